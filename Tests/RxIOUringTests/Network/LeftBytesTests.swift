// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import RxIOUring
import RxSwift
import TestSupport
import Testing

/// Bytes behind a line or frame with which a subscriber leaves.
@Suite struct LeftBytesTests {
    enum Framing: CaseIterable {
        case lines, delimiter, lengths

        var head: [UInt8] {
            switch self {
            case .lines: Array("HEAD\n".utf8)
            case .delimiter: Array("HEAD||".utf8)
            case .lengths: [4] + Array("HEAD".utf8)
            }
        }

        func first(of bytes: Observable<ByteChunk>) -> Observable<String> {
            switch self {
            case .lines: bytes.lines().take(1)
            case .delimiter: bytes.frames(delimiter: Array("||".utf8)).take(1).map { String($0) }
            case .lengths: bytes.frames(LengthPrefix(size: 1)).take(1).map { String($0) }
            }
        }
    }

    /// The fault: the line left bytes of its frame, which the connection took for its own rest and delivered again.
    @Test("Bytes that are left within a frame are not those of the connection", arguments: Backend.built)
    func lineInFrame(_ backend: Backend) throws {
        try leavingNothingBehind {
            let body = Guarded<Receiver<String>?>(nil)
            let heads = EventLog()
            let server = try Server(backend) { connection in
                let head = connection.received.frames(LengthPrefix(size: 1)).flatMap {
                    Observable.just($0).lines().take(1)
                }.take(1)
                _ = head.subscribe(
                    onNext: { heads.note($0) },
                    onCompleted: { body.value = Receiver(connection.received.map { String($0) }) })
            }
            let peer = PlainSocket(connectedTo: server.address)
            peer.send([4] + Array("a\nbc".utf8))
            #expect(waitUntil { body.value != nil })
            peer.send(Array("body".utf8))
            peer.close()
            #expect(waitUntil { body.value?.isCompleted == true })
            #expect(heads.lines == ["a"] && body.value?.elements.joined() == "body")
            body.value = nil
            server.end()
        }
    }

    /// The fault: the stage that cut off the head took the rest of its chunk with it, and the body had a hole.
    @Test(
        "Bytes behind a head are for the next subscriber, wherever chunks end", arguments: Backend.built,
        Framing.allCases)
    func headAndBody(_ backend: Backend, _ framing: Framing) throws {
        let bytes = framing.head + Array("BODY||12345".utf8)
        try leavingNothingBehind {
            for cut in 0...bytes.count {
                for isConcatenated in [false, true] {
                    let bodies = Guarded<[Receiver<String>]>([])
                    let heads = EventLog()
                    let server = try Server(
                        backend,
                        onConnection: { connection in
                            let head = framing.first(of: connection.received)
                            let body = connection.received.map { String($0) }
                            if isConcatenated {
                                bodies.change { $0.append(Receiver(head.concat(body))) }
                            } else {
                                _ = head.subscribe(
                                    onNext: { heads.note($0) },
                                    onCompleted: { bodies.change { $0.append(Receiver(body)) } })
                            }
                        })
                    let peer = PlainSocket(connectedTo: server.address)
                    peer.send(Array(bytes[..<cut]))
                    if cut % 3 == 0 { usleep(2_000) }
                    peer.send(Array(bytes[cut...]))
                    peer.close()
                    #expect(waitUntil { bodies.value.first?.isCompleted == true })
                    let text = (heads.lines + bodies.value[0].elements).joined()
                    #expect(text == "HEADBODY||12345", "cut at \(cut)")
                    server.end()
                }
            }
        }
    }

    /// The fault: while other threads submit work to the loop, a subscriber leaves later than it is disposed of.
    @Test(
        "Subscribers that take some lines each, on several connections of one loop, get all", arguments: Backend.built)
    func inTurn(_ backend: Backend) throws {
        try leavingNothingBehind {
            let lines = (0..<3_000).map { "\($0) " + String(repeating: "x", count: $0 % 150) }
            let logs = (0..<4).map { _ in EventLog() }
            let next = AtomicCounter(0)
            let server = try Server(
                backend,
                onConnection: { connection in
                    next.increment()
                    takeSome(connection, into: logs[next.value - 1])
                })
            let isOver = Guarded(false)
            let submitter = DispatchQueue(label: "submitter")
            // As many as always wait; more would only make each subscriber leave later.
            let room = DispatchSemaphore(value: 1_000)
            submitter.async { [scheduler = server.scheduler] in
                while !isOver.value {
                    room.wait()
                    _ = scheduler.schedule(()) { _ in
                        room.signal()
                        return Disposables.create()
                    }
                }
            }
            let peers = logs.map { _ in PlainSocket(connectedTo: server.address) }
            DispatchQueue.concurrentPerform(iterations: peers.count) { place in
                peers[place].send(Array(lines.map { $0 + "\n" }.joined().utf8))
                peers[place].close()
            }
            for log in logs {
                #expect(waitUntil { log.lines.last == "completed" })
                #expect(log.lines.dropLast() == lines[...])
            }
            isOver.value = true
            submitter.sync {}
            server.end()
        }
    }

    /// Takes one to five lines, again and again, and notes the end.
    private func takeSome(_ connection: Connection, into log: EventLog) {
        let before = log.lines.count
        _ = connection.received.lines().take(1 + before % 5).subscribe(
            onNext: { log.note($0) },
            onError: { log.note("\($0)") },
            onCompleted: {
                if log.lines.count == before { log.note("completed") } else { takeSome(connection, into: log) }
            })
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import RxIOUring
import RxSwift
import TestSupport
import Testing

/// A stream has no holes: the peer gets all bytes up to some point, and a clean end only behind all of them.
@Suite(.serialized) struct OutputLimitTests {
    @Test("A small send and one beyond the limit behind it arrive, both", arguments: Backend.built)
    func largePiece(_ backend: Backend) throws {
        try leavingNothingBehind {
            let server = try Server(backend, keeps: true)
            let peer = PlainSocket(connectedTo: server.address)
            let connection = try #require(server.firstConnection())
            let body = pattern(20 << 20)
            #expect(connection.send("header"))
            #expect(connection.send(ByteChunk(body)))
            connection.close()
            let (bytes, end) = receiveAll(peer)
            #expect(bytes.count == 6 + body.count && bytes.suffix(1_000) == body.suffix(1_000))
            #expect(end == 0)
            server.end()
        }
    }

    @Test("A connection whose peer does not read fails at its limit, and the peer is reset", arguments: Backend.built)
    func overflow(_ backend: Backend) throws {
        let rejected = Guarded<[String]>([])
        let before = IOHooks.sendRejectedHandler
        IOHooks.sendRejectedHandler = { error, _ in rejected.change { $0.append("\(error)") } }
        defer { IOHooks.sendRejectedHandler = before }
        try leavingNothingBehind {
            var options = ConnectionOptions()
            options.sendBufferSize = 4_096
            options.sendLimit = 100_000
            let server = try Server(backend, options: options, keeps: true)
            let peer = PlainSocket(connectedTo: server.address, receiveBuffer: 4_096)
            let connection = try #require(server.firstConnection())
            let errors = EventLog()
            let closed = connection.closed.subscribe(onError: { errors.note("\($0)") })
            let written = connection.write(ByteChunk(pattern(100))).subscribe(onError: { errors.note("\(code($0))") })
            let bytes = pattern(1_000_000)
            var accepted = 0
            while accepted < bytes.count, connection.send(ByteChunk(bytes[accepted..<accepted + 1_000])) {
                accepted += 1_000
            }
            #expect(accepted < 200_000)
            #expect(!connection.send("behind"))
            #expect(waitUntil { errors.lines.contains { $0.contains("limit is 100000") && $0.contains("127.0.0.1") } })
            #expect(rejected.value.count == 1)
            let (received, end) = receiveAll(peer)
            #expect(end == ECONNRESET)
            #expect(received.dropFirst(100) == bytes[..<max(0, received.count - 100)])
            closed.dispose()
            written.dispose()
            server.end()
        }
    }

    /// The fault: `closed` failed with the end of the loop, as that came before the socket was closed.
    @Test("The end of a loop does not hide why a connection has failed", arguments: Backend.built)
    func overflowBeforeShutdown(_ backend: Backend) throws {
        try leavingNothingBehind {
            var options = ConnectionOptions()
            options.sendBufferSize = 4_096
            options.sendLimit = 100_000
            let server = try Server(backend, options: options, keeps: true)
            let peer = PlainSocket(connectedTo: server.address, receiveBuffer: 4_096)
            let connection = try #require(server.firstConnection())
            let errors = EventLog()
            _ = connection.closed.subscribe(onError: { errors.note("\(code($0))") })
            #expect(connection.send(ByteChunk(pattern(1_000_000))))
            #expect(waitUntil { connection.queuedBytes < 1_000_000 })
            let scheduler = server.scheduler
            _ = scheduler.schedule(()) { _ in
                #expect(!connection.send("x"))
                scheduler.shutdown()
                return Disposables.create()
            }
            #expect(waitUntil { errors.lines == ["\(ENOBUFS)"] }, "\(errors.lines)")
            peer.close()
            server.end()
        }
    }

    enum OrderlyEnd: CaseIterable {
        case shutdownOutput, close, shutdown
    }

    /// The fault: what had been accepted went out, and an orderly end behind it, before the loop learned of the failure.
    @Test(
        "An orderly end beside a rejected send does not look as if everything had arrived",
        arguments: Backend.built, OrderlyEnd.allCases)
    func endBesideOverflow(_ backend: Backend, _ ending: OrderlyEnd) throws {
        let before = IOHooks.sendRejectedHandler
        defer { IOHooks.sendRejectedHandler = before }
        try leavingNothingBehind {
            var options = ConnectionOptions()
            options.sendLimit = 1_000
            let server = try Server(backend, options: options, keeps: true)
            let peer = PlainSocket(connectedTo: server.address)
            let connection = try #require(server.firstConnection())
            let errors = EventLog()
            _ = connection.closed.subscribe(
                onCompleted: { errors.note("completed") }, onError: { errors.note("\(code($0))") })
            let isHeld = DispatchSemaphore(value: 0)
            _ = server.scheduler.schedule(()) { _ in
                isHeld.wait()
                return Disposables.create()
            }
            IOHooks.sendRejectedHandler = { [scheduler = server.scheduler] _, _ in
                switch ending {
                case .shutdownOutput: connection.shutdownOutput()
                case .close: connection.close()
                case .shutdown: DispatchQueue.global().async { scheduler.shutdown() }
                }
                isHeld.signal()
                _ = waitUntil { connection.queuedBytes == 0 }
                usleep(50_000)
            }
            #expect(connection.send(ByteChunk(pattern(2_000))))
            #expect(!connection.send("x"))
            IOHooks.sendRejectedHandler = before
            #expect(receiveAll(peer).end == ECONNRESET)
            #expect(waitUntil { errors.lines == ["\(ENOBUFS)"] }, "\(errors.lines)")
            server.end()
        }
    }

    @Test("A million small sends to a peer that does not read take little memory", arguments: Backend.built)
    func smallSends(_ backend: Backend) throws {
        try leavingNothingBehind {
            let server = try Server(backend, keeps: true)
            let peer = PlainSocket(connectedTo: server.address, receiveBuffer: 4_096)
            let connection = try #require(server.firstConnection())
            let before = residentBytes()
            let count = stepCount(1_000_000, debug: 200_000)
            for number in 0..<count { #expect(connection.send(ByteChunk([UInt8(truncatingIfNeeded: number)]))) }
            if !hasSanitizer { #expect(residentBytes() - before < 16 << 20) }
            connection.close()
            let (bytes, end) = receiveAll(peer)
            #expect(end == 0)
            #expect(bytes == (0..<count).map { UInt8(truncatingIfNeeded: $0) })
            server.end()
        }
    }

    @Test("isWritable tells when the output is full, and when it has room again", arguments: Backend.built)
    func isWritable(_ backend: Backend) throws {
        try leavingNothingBehind {
            var options = ConnectionOptions()
            options.sendBufferSize = 4_096
            options.sendLimit = 1 << 20
            let server = try Server(backend, options: options, keeps: true)
            let peer = PlainSocket(connectedTo: server.address, receiveBuffer: 4_096)
            let connection = try #require(server.firstConnection())
            let log = EventLog()
            let subscription = connection.isWritable.subscribe(
                onNext: { log.note("\($0)") }, onCompleted: { log.note("completed") })
            #expect(waitUntil { log.lines == ["true"] })
            for round in 1...3 {
                var sent = 0
                while sent < 700_000 {
                    #expect(connection.send(ByteChunk(pattern(7_000))))
                    sent += 7_000
                }
                // While the output is filled, the kernel may take some of it again and again: each time is told.
                #expect(waitUntil { log.lines.count >= 2 * round && log.lines.last == "false" })
                #expect(peer.receive(sent).count == sent)
                #expect(waitUntil { log.lines.count > 2 * round && log.lines.last == "true" })
            }
            #expect(zip(log.lines, log.lines.dropFirst()).allSatisfy { $0 != $1 })
            connection.close()
            #expect(waitUntil { log.lines.last == "completed" })
            subscription.dispose()
            server.end()
        }
    }

    /// The fault: the loop had sent everything by the time it told of the full output, and so told nothing. The sender waited for ever.
    @Test(
        "A sender that stops at the watermark is told of each room behind that", arguments: Backend.built,
        [true, false])
    func gatedSender(_ backend: Backend, _ isOnLoop: Bool) throws {
        try leavingNothingBehind {
            var options = ConnectionOptions()
            options.highWatermark = 30_000
            let server = try Server(backend, options: options, keeps: true)
            let peer = PlainSocket(connectedTo: server.address)
            let connection = try #require(server.firstConnection())
            let other = SerialDispatchQueueScheduler(qos: .default)
            let states = isOnLoop ? connection.isWritable : connection.isWritable.observe(on: other)
            // Small pieces share their memory, so that the last one fills the output exactly.
            let (pieces, size) = isOnLoop ? (30_000, 10) : (100, 10_000)
            let sent = AtomicCounter(0)
            let subscription = states.subscribe(onNext: { isWritable in
                while isWritable, sent.value < pieces, connection.queuedBytes < connection.highWatermark {
                    connection.send(ByteChunk(pattern(size)))
                    sent.increment()
                }
            })
            #expect(peer.receive(pieces * size).count == pieces * size)
            subscription.dispose()
            connection.close()
            server.end()
        }
    }

    enum LoopEnd: CaseIterable { case shutdown, closeAndShutdown }

    @Test("The end of the loop sends what was accepted", arguments: Backend.built, LoopEnd.allCases)
    func loopEnd(_ backend: Backend, ending: LoopEnd) throws {
        let all = pattern(6_000_000)
        for round in 0..<stepCount(200, debug: 40) {
            let server = try Server(backend, keeps: true)
            let peer = PlainSocket(connectedTo: server.address)
            let connection = try #require(server.firstConnection())
            if round % 3 == 0 { peer.send([1, 2, 3]) }
            let bytes = all.prefix([5, 1_000, 600_000, 6_000_000][round % 4])
            let receiving = Receiving { receiveAll(peer) }
            #expect(connection.send(ByteChunk(bytes)))
            if ending == .closeAndShutdown { connection.close() }
            server.scheduler.shutdown()
            let (received, end) = receiving.result()
            #expect(received.count == bytes.count && received.suffix(100) == bytes.suffix(100), "round \(round)")
            #expect(end == 0, "round \(round)")
            server.end()
        }
    }

    @Test("The end of the loop does not wait for a peer that does not read, and resets it", arguments: Backend.built)
    func loopEndLimit(_ backend: Backend) throws {
        for drainTime in [RxTimeInterval.nanoseconds(0), .milliseconds(50)] {
            var options = ConnectionOptions()
            options.sendBufferSize = 4_096
            let server = try Server(backend, options: options, keeps: true)
            let peer = PlainSocket(connectedTo: server.address, receiveBuffer: 4_096)
            let connection = try #require(server.firstConnection())
            #expect(connection.send(ByteChunk(pattern(4 << 20))))
            connection.close()
            server.scheduler.shutdown(draining: drainTime)
            let (received, end) = receiveAll(peer)
            #expect(received.count < 4 << 20)
            #expect(end == ECONNRESET)
            server.end()
        }
    }

    @Test("What was accepted beside a close on another thread arrives", arguments: Backend.built)
    func sendBesideClose(_ backend: Backend) throws {
        let server = try Server(backend, keeps: true)
        for round in 0..<stepCount(1_500, debug: 300) {
            let peer = PlainSocket(connectedTo: server.address)
            let connection = try #require(server.firstConnection())
            server.connections.value = []
            let accepted = Guarded(0)
            race(
                { for _ in 0..<20 where connection.send("x") { accepted.change { $0 += 1 } } },
                {
                    jitter(round)
                    if round % 2 == 0 { connection.close() } else { connection.shutdownOutput() }
                })
            let (received, end) = receiveAll(peer)
            guard received.count == accepted.value, end == 0 else {
                Issue.record("round \(round): \(received.count) of \(accepted.value), end \(end)")
                break
            }
        }
        server.end()
    }

    @Test(
        "A write beside the end of the output completes if its bytes arrive, and fails if not", arguments: Backend.built
    )
    func writeBesideShutdown(_ backend: Backend) throws {
        let server = try Server(backend, keeps: true)
        for round in 0..<stepCount(1_500, debug: 300) {
            let peer = PlainSocket(connectedTo: server.address)
            let connection = try #require(server.firstConnection())
            server.connections.value = []
            let log = EventLog()
            race(
                {
                    _ = connection.write(ByteChunk("hello")).subscribe(
                        onCompleted: { log.note("completed") }, onError: { log.note("failed \(code($0))") })
                },
                {
                    jitter(round)
                    connection.shutdownOutput()
                })
            let (received, end) = receiveAll(peer)
            #expect(waitUntil { !log.lines.isEmpty })
            guard log.lines == (received.isEmpty ? ["failed \(EPIPE)"] : ["completed"]), end == 0 else {
                Issue.record("round \(round): \(received.count) bytes, \(log.lines)")
                break
            }
        }
        server.end()
    }

    /// The fault: a write that the loop had not begun failed with the loop's end, although its bytes were sent.
    @Test(
        "A write beside the end of the loop completes if its bytes arrive, and fails if not", arguments: Backend.built)
    func writesBesideLoopEnd(_ backend: Backend) throws {
        for round in 0..<stepCount(60, debug: 30) {
            let server = try Server(backend, keeps: true)
            let peer = PlainSocket(connectedTo: server.address)
            let connection = try #require(server.firstConnection())
            let (completed, failed, isOver) = (AtomicCounter(0), AtomicCounter(0), AtomicCounter(0))
            let piece = ByteChunk("x")
            let started = AtomicCounter(0)
            race(
                {
                    while isOver.value == 0, started.value < 100_000 {
                        started.increment()
                        _ = connection.write(piece).subscribe(
                            onCompleted: { completed.increment() }, onError: { _ in failed.increment() })
                    }
                },
                {
                    usleep(2_000)
                    jitter(round)
                    server.scheduler.shutdown()
                    isOver.increment()
                })
            server.connections.value = []
            let (received, end) = receiveAll(peer)
            #expect(waitUntil { completed.value + failed.value == started.value })
            guard end != 0 || received.count == completed.value else {
                Issue.record(
                    "round \(round): \(received.count) bytes, \(completed.value) of \(started.value) completed")
                break
            }
            peer.close()
            server.end()
        }
    }

    @Test("A file is sent in chunks of a megabyte", arguments: Backend.built)
    func largeChunks(_ backend: Backend) throws {
        let folder = TemporaryFolder()
        let path = folder.put(pattern(24 << 20), into: "a")
        let server = try Server(backend) { connection in
            _ = connection.write(File.read(path, chunkSize: 1 << 20, scheduler: connection.scheduler))
                .subscribe(onCompleted: { connection.close() }, onError: { Issue.record("\($0)") })
        }
        let peer = PlainSocket(connectedTo: server.address)
        usleep(50_000)
        let (received, end) = receiveAll(peer)
        #expect(received.count == 24 << 20 && end == 0)
        server.end()
    }

    /// The fault: a source that asks behind its second element got no chance to.
    @Test("A pausable source may emit chunks of which each is beyond the limit", arguments: Backend.built)
    func chunksBeyondTheLimit(_ backend: Backend) throws {
        try leavingNothingBehind {
            var options = ConnectionOptions()
            options.sendLimit = 100_000
            let server = try Server(backend, options: options, keeps: true)
            let peer = PlainSocket(connectedTo: server.address)
            let connection = try #require(server.firstConnection())
            let chunk = ByteChunk([UInt8](repeating: 7, count: 3_000_000))
            let chunks = Observable.from([ByteChunk](repeating: chunk, count: 5), scheduler: server.scheduler)
            let log = EventLog()
            let write = connection.write(chunks).subscribe(
                onCompleted: {
                    log.note("completed")
                    connection.close()
                }, onError: { log.note("\($0)") })
            let (bytes, end) = receiveAll(peer)
            #expect(bytes.count == 15_000_000 && end == 0)
            #expect(waitUntil { log.lines == ["completed"] })
            write.dispose()
            server.end()
        }
    }
}

/// A blocking call on a thread of its own.
private final class Receiving: @unchecked Sendable {
    private let done = OneShot()
    private let value = Guarded<(bytes: [UInt8], end: CInt)>(([], -1))

    init(_ receive: @escaping @Sendable () -> (bytes: [UInt8], end: CInt)) {
        let thread = Thread { [self] in
            value.value = receive()
            done.fire()
        }
        thread.start()
    }

    func result() -> (bytes: [UInt8], end: CInt) {
        _ = done.wait()
        return value.value
    }
}

// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Glibc
import RxIOUring
import RxSwift
import TestSupport
import Testing

/// Subscribers that take long for the bytes of a peer.
@Suite struct DeliveryPaceTests {
    /// The fault: a chunk of 256 KiB is as many empty lines, and the loop did nothing else until the last of them.
    @Test("A peer of many small lines shares the loop with others", arguments: Backend.built)
    func manyLines(_ backend: Backend) throws {
        try leavingNothingBehind {
            let lines = Guarded(0)
            let most = Guarded(0)
            let server = try Server(backend) { connection in
                _ = connection.received.lines().subscribe(onNext: { _ in
                    spin(nanoseconds: 1_000)
                    lines.change { $0 += 1 }
                })
            }
            // Seen at each turn that user work gets.
            let before = Guarded(0)
            let watch = server.scheduler.schedulePeriodic(
                (), startAfter: .milliseconds(0), period: .microseconds(100)
            ) {
                let now = lines.value
                most.change { $0 = max($0, now - before.value) }
                before.value = now
            }
            let peer = PlainSocket(connectedTo: server.address)
            let sent = [UInt8](repeating: 0x0A, count: 600_000)
            #expect(peer.send(sent))
            #expect(waitUntil { lines.value == sent.count })
            #expect(most.value <= 40_000)
            watch.dispose()
            peer.close()
            server.end()
        }
    }

    enum Cut: CaseIterable, Sendable {
        case lines, delimiter, lengths, concatMap

        func pieces(of connection: Connection) -> Observable<Void> {
            switch self {
            case .lines: connection.received.lines().map { _ in }
            case .delimiter: connection.received.frames(delimiter: [0x0A]).map { _ in }
            case .lengths: connection.received.frames(LengthPrefix(size: 1)).map { _ in }
            case .concatMap: connection.received.lines().concatMap { _ in Observable.just(()) }
            }
        }

        var piece: UInt8 { self == .lengths ? 0 : 0x0A }
    }

    /// The fault: the first 16 KiB of a peer came at once, however long its lines took.
    @Test("A peer whose pieces take long has a turn of few", arguments: Backend.built, Cut.allCases)
    func slowPieces(_ backend: Backend, _ cut: Cut) throws {
        try leavingNothingBehind {
            let (pieces, most, before) = (Guarded(0), Guarded(0), Guarded(0))
            let server = try Server(backend) { connection in
                _ = cut.pieces(of: connection).subscribe(onNext: {
                    spin(nanoseconds: 100_000)
                    pieces.change { $0 += 1 }
                })
            }
            // Seen at each turn that user work gets.
            let watch = server.scheduler.schedulePeriodic((), startAfter: .milliseconds(0), period: .microseconds(100))
            {
                let now = pieces.value
                most.change { $0 = max($0, now - before.value) }
                before.value = now
            }
            let peer = PlainSocket(connectedTo: server.address)
            let sent = [UInt8](repeating: cut.piece, count: 4_000)
            #expect(peer.send(sent))
            #expect(waitUntil { pieces.value == sent.count })
            #expect(most.value <= 40)
            watch.dispose()
            peer.close()
            server.end()
        }
    }

    /// The fault: each of them had 16 KiB at once, and the others waited for all.
    @Test("Many peers of small lines leave turns to another one", arguments: Backend.withoutFaults)
    func manyPeers(_ backend: Backend) throws {
        try leavingNothingBehind {
            let lines = Guarded(0)
            let server = try Server(backend) { connection in
                _ = connection.received.lines().subscribe(onNext: { line in
                    if line.isEmpty {
                        spin(nanoseconds: 5_000)
                        lines.change { $0 += 1 }
                    } else {
                        connection.send("\(line)\n")
                    }
                })
            }
            let flooders = (0..<60).map { _ in PlainSocket(connectedTo: server.address) }
            let asker = PlainSocket(connectedTo: server.address)
            for flooder in flooders { #expect(flooder.send([UInt8](repeating: 0x0A, count: 10_000))) }
            for _ in 0..<20 {
                asker.send(Array("?\n".utf8))
                #expect(asker.receive(2) == Array("?\n".utf8))
            }
            #expect(lines.value < 300_000)
            for flooder in flooders { flooder.close() }
            asker.close()
            server.end()
        }
    }

    /// Pieces of 1 KiB would be 2,000 transactions. The fault: once a delivery had been held up, all later ones had 4 KiB.
    @Test(
        "A subscriber that takes as long for few bytes as for many gets many", arguments: Backend.withoutFaults,
        [1_000, 20_000] as [UInt32])
    func timePerChunk(_ backend: Backend, _ first: UInt32) throws {
        try leavingNothingBehind {
            let (chunks, bytes) = (Guarded(0), Guarded(0))
            let server = try Server(backend) { connection in
                _ = connection.received.subscribe(onNext: { chunk in
                    usleep(chunks.value == 0 ? first : 1_000)
                    chunks.change { $0 += 1 }
                    bytes.change { $0 += chunk.count }
                })
            }
            let peer = PlainSocket(connectedTo: server.address)
            let sent = pattern(2_000_000)
            #expect(peer.send(sent))
            #expect(waitUntil { bytes.value == sent.count })
            #expect(chunks.value < 400)
            peer.close()
            server.end()
        }
    }

    /// The fault: the errors named "stream", and not the peer.
    @Test("A line or frame of a peer that is too long is an error that names the peer", arguments: Backend.built)
    func peerInErrors(_ backend: Backend) throws {
        try leavingNothingBehind {
            let errors = Guarded<[IOError]>([])
            let server = try Server(backend) { connection in
                let head = connection.received.lines(maximumLength: 4).take(1)
                let body = connection.received.frames(LengthPrefix(size: 1), maximumLength: 4)
                let rest = head.map { _ in ByteChunk("") }.concat(body)
                _ = rest.subscribe(onError: { error in errors.change { $0.append(error as! IOError) } })
            }
            let peers = ["12345\n", "1\n\u{5}12345"].map { text in
                let peer = PlainSocket(connectedTo: server.address)
                peer.send(Array(text.utf8))
                return peer
            }
            #expect(waitUntil { errors.value.count == 2 })
            for peer in peers {
                let name = "127.0.0.1:\(peer.localPort)"
                #expect(errors.value.contains { $0.code == EMSGSIZE && $0.subject.hasPrefix(name) })
                peer.close()
            }
            server.end()
        }
    }

    /// Each subscriber is slow, gets one piece, and leaves.
    @Test("Pieces of a chunk that are left are for the next subscriber", arguments: Backend.built)
    func pieces(_ backend: Backend) throws {
        try leavingNothingBehind {
            let received = Guarded<[UInt8]>([])
            let ended = OneShot()
            @Sendable func takeOne(_ connection: Connection) {
                let count = received.value.count
                _ = connection.received.take(1).subscribe(
                    onNext: { chunk in
                        spin(nanoseconds: 20 * UInt64(chunk.count))
                        received.change { $0 += Array(chunk) }
                    },
                    onCompleted: { if received.value.count > count { takeOne(connection) } else { ended.fire() } })
            }
            let server = try Server(backend, onConnection: takeOne)
            let peer = PlainSocket(connectedTo: server.address)
            let sent = pattern(2_000_000)
            #expect(peer.send(sent))
            peer.shutdownOutput()
            #expect(ended.wait(seconds: 20))
            #expect(received.value == sent)
            server.end()
        }
    }

    /// The fault: the next piece went to a subscriber that was disposed of while the loop was busy, before the loop came to its leaving.
    @Test("Pieces behind a dispose on another thread are for the next subscriber", arguments: Backend.withoutFaults)
    func disposeBetweenPieces(_ backend: Backend) throws {
        try leavingNothingBehind {
            let received = Guarded<[UInt8]>([])
            let (isBusy, mayGoOn, isFirst) = (OneShot(), OneShot(), Guarded(true))
            let subscription = SerialDisposable()
            let server = try Server(backend, keeps: true) { connection in
                subscription.disposable = connection.received.subscribe(onNext: { [unowned connection] chunk in
                    spin(nanoseconds: 100 * UInt64(chunk.count))
                    received.change { $0 += Array(chunk) }
                    if received.value.count < 100_000 || !isFirst.value { return }
                    isFirst.value = false
                    connection.scheduler.run {
                        isBusy.fire()
                        _ = mayGoOn.wait(seconds: 10)
                    }
                })
            }
            let peer = PlainSocket(connectedTo: server.address)
            let sent = pattern(600_000)
            #expect(peer.send(sent))
            peer.shutdownOutput()
            #expect(isBusy.wait(seconds: 10))
            // More than a turn, so that the loop comes to the end of its tick before it comes to the dispose.
            for _ in 0..<10 { server.scheduler.run { spin(nanoseconds: 1_000_000) } }
            subscription.dispose()
            mayGoOn.fire()
            let connection = try #require(server.firstConnection())
            let rest = connection.received.received()
            #expect(rest.wait(seconds: 20))
            #expect(received.value + rest.bytes == sent)
            server.end()
        }
    }

    /// A stage below pauses the source in the midst of a chunk.
    @Test("A subscriber behind a hop gets all pieces in order", arguments: Backend.built)
    func hop(_ backend: Backend) throws {
        try leavingNothingBehind {
            let other = IOUringScheduler(name: "test.other", backend: backend)
            let receiver = Guarded<Receiver<[UInt8]>?>(nil)
            let server = try Server(backend) { connection in
                receiver.value = connection.received
                    .do(onNext: { spin(nanoseconds: 20 * UInt64($0.count)) })
                    .observe(on: other)
                    .do(onNext: { spin(nanoseconds: 40 * UInt64($0.count)) })
                    .received()
            }
            let peer = PlainSocket(connectedTo: server.address)
            let sent = pattern(2_000_000)
            #expect(peer.send(sent))
            peer.shutdownOutput()
            #expect(waitUntil { receiver.value?.isCompleted == true })
            #expect(receiver.value?.bytes == sent)
            receiver.value = nil
            server.end()
            other.shutdown()
        }
    }
}

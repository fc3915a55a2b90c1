// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import RxIOUring
import RxSwift
import TestSupport
import Testing

/// A peer sees a clean end only if it gets everything that was accepted.
@Suite struct CleanEndTests {
    /// The fault: the system rejects a send, but not the connection, as it does without memory.
    @Test("A connection whose send failed ends with a reset", arguments: UInt64(0)..<32)
    func failedSend(_ seed: UInt64) throws {
        var configuration = IOUringScheduler.Configuration(backend: .simulated)
        configuration.simulation = Simulation(seed: seed, hasErrors: true)
        try onLoop(configuration) { scheduler in
            let listener = try TCP.listener(port: 0, scheduler: scheduler)
            let peer = PlainSocket(connectedTo: listener.address)
            let accepted = Guarded(0)
            _ = listener.connections.take(1).subscribe(onNext: { connection in
                // A subscriber keeps a connection whose output has failed.
                _ = connection.received.subscribe()
                for _ in 0..<40 { if connection.send("0123456789") { accepted.change { $0 += 10 } } }
                // On the loop, behind the end of this tick.
                _ = scheduler.schedule(()) {
                    for _ in 0..<40 { if connection.send("0123456789") { accepted.change { $0 += 10 } } }
                    connection.shutdownOutput()
                    return Disposables.create()
                }
            })
            peer.shutdownOutput()
            let (bytes, end) = receiveAll(peer)
            #expect(end != 0 || bytes.count == accepted.value)
        }
    }

    /// The fault: until the loop came to the close, a send could find more than the limit queued, which failed the connection.
    @Test("What was accepted before a close arrives, however much is sent behind it", arguments: Backend.built)
    func sendBehindClose(_ backend: Backend) throws {
        try leavingNothingBehind {
            var options = ConnectionOptions()
            options.sendLimit = 100
            let server = try Server(backend, options: options, keeps: true)
            let peer = PlainSocket(connectedTo: server.address)
            let connection = try #require(server.firstConnection())
            let (isBusy, mayGoOn) = (OneShot(), OneShot())
            server.scheduler.run {
                isBusy.fire()
                _ = mayGoOn.wait(seconds: 10)
            }
            #expect(isBusy.wait(seconds: 10))
            #expect(connection.send(ByteChunk(pattern(1_000))))
            connection.close()
            #expect(!connection.send(ByteChunk(pattern(1_000))))
            mayGoOn.fire()
            let (bytes, end) = receiveAll(peer)
            #expect(bytes.count == 1_000 && end == 0)
            server.end()
        }
    }

    /// The fault: who had sent them could not tell their loss from an end behind the last byte.
    @Test("Bytes that the end of the loop drops are told of", arguments: Backend.built)
    func droppedAtEnd(_ backend: Backend) throws {
        let notices = Guarded<[String]>([])
        let before = IOHooks.noticeHandler
        IOHooks.noticeHandler = { notice in notices.change { $0.append(notice) } }
        defer { IOHooks.noticeHandler = before }
        try leavingNothingBehind {
            let server = try Server(backend, keeps: true)
            let peer = PlainSocket(connectedTo: server.address, receiveBuffer: 4_096)
            let connection = try #require(server.firstConnection())
            #expect(connection.send(ByteChunk(pattern(10_000_000))))
            server.scheduler.shutdown(draining: .milliseconds(10))
            #expect(notices.value.contains { $0.contains("bytes that the peer did not take") })
            #expect(receiveAll(peer).end == ECONNRESET)
            server.end()
        }
    }

    enum Close: CaseIterable { case close, abort, shutdownOutput }

    /// The fault: until the loop came to the close, a send of the same thread was accepted, and sent or lost as chance had it.
    @Test("A send behind a close on the same thread is rejected", arguments: Backend.built, Close.allCases)
    func sendRightBehindClose(_ backend: Backend, _ close: Close) throws {
        try leavingNothingBehind {
            let server = try Server(backend, keeps: true)
            for _ in 0..<50 {
                let peer = PlainSocket(connectedTo: server.address)
                let connection = try #require(server.firstConnection())
                #expect(connection.send("accepted"))
                switch close {
                case .close: connection.close()
                case .abort: connection.abort()
                case .shutdownOutput: connection.shutdownOutput()
                }
                #expect(!connection.send("behind"))
                let (bytes, end) = receiveAll(peer)
                #expect(close == .abort ? bytes.count <= 8 : bytes.count == 8 && end == 0)
                peer.close()
                connection.close()
                server.connections.value = []
            }
            server.end()
        }
    }

    enum Ending: CaseIterable {
        case close, closeInDeadlock, shutdownInDeadlock
        /// A sequence is being written, so that the peer is reset when it has acknowledged what the kernel has.
        case shutdownInTheMidst
    }

    /// The fault: the peer waited until its bytes were received, this side until its own were sent, both until the time for sending was over.
    @Test(
        "An end sends what is queued also to a peer that sends as much as it reads", arguments: Backend.built,
        Ending.allCases)
    func endBesideEcho(_ backend: Backend, _ ending: Ending) throws {
        try leavingNothingBehind {
            // The time for sending is thirty seconds.
            var options = ConnectionOptions()
            (options.sendBufferSize, options.receiveBufferSize) = (65_536, 65_536)
            if ending == .shutdownInTheMidst { options.sendBufferSize = 1 << 20 }
            let server = try Server(backend, options: options, keeps: true)
            let peer = PlainSocket(connectedTo: server.address, receiveBuffer: 65_536)
            var size: CInt = 65_536
            setsockopt(peer.fd, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<CInt>.size))
            let connection = try #require(server.firstConnection())
            for _ in 0..<8 { connection.send(ByteChunk(pattern(1 << 20))) }
            let more = PublishSubject<ByteChunk>()
            if ending == .shutdownInTheMidst { _ = connection.write(more).subscribe(onError: { _ in }) }
            let received = AtomicCounter(0)
            let echo = Thread {
                var buffer = [UInt8](repeating: 0, count: 65_536)
                while true {
                    let count = recv(peer.fd, &buffer, buffer.count, 0)
                    if count <= 0 { return }
                    received.add(count)
                    // Once this side has closed, there are only bytes to be read.
                    peer.send(Array(buffer[..<count]))
                }
            }
            echo.start()
            if ending != .close {
                var known = -1
                #expect(
                    waitUntil {
                        usleep(50_000)
                        defer { known = received.value }
                        return known > 0 && received.value == known
                    })
                #expect(known < 8 << 20)
            }
            if ending == .shutdownInDeadlock {
                server.scheduler.shutdown(draining: .seconds(3))
            } else if ending == .shutdownInTheMidst {
                let start = ContinuousClock.now
                server.scheduler.shutdown(draining: .seconds(20))
                #expect(ContinuousClock.now - start < .seconds(10))
            } else {
                let ended = Receiver(connection.closed.asObservable())
                connection.close()
                #expect(ended.wait(seconds: 10) && ended.isCompleted)
            }
            server.end()
            #expect(waitUntil { echo.isFinished })
            // What the peer sends behind the close makes the system drop what is in its buffers.
            #expect(received.value >= (8 << 20) - 400_000)
        }
    }

    /// The fault: the loop received the end of the input again and again.
    @Test("A loop that ends waits at rest for a peer that has ended its side", arguments: Backend.withoutFaults)
    func halfClosedPeer(_ backend: Backend) throws {
        try leavingNothingBehind {
            let server = try Server(backend) { $0.send(ByteChunk([UInt8](repeating: 7, count: 8_000_000))) }
            let peer = PlainSocket(connectedTo: server.address, receiveBuffer: 4_096)
            #expect(shutdown(peer.fd, CInt(SHUT_WR)) == 0)
            #expect(peer.receive(1) == [7])
            let before = processorTime()
            server.scheduler.shutdown(draining: .seconds(1))
            #expect(processorTime() - before < 0.5)
            peer.close()
            server.end()
        }
    }

    private func processorTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// The fault: as the subscription was over, the connection was taken for one that had reached nobody, and reset.
    @Test("An answer arrives though the subscription to connections ends with it", arguments: Backend.built)
    func answerOfLast(_ backend: Backend) throws {
        try leavingNothingBehind {
            let scheduler = IOUringScheduler(backend: backend)
            let listener = try TCP.listener(port: 0, scheduler: scheduler)
            _ = listener.connections.take(1).subscribe(onNext: { $0.send(ByteChunk(pattern(100_000))) })
            let (bytes, end) = receiveAll(PlainSocket(connectedTo: listener.address))
            #expect(bytes == pattern(100_000) && end == 0)
            scheduler.shutdown()
        }
    }

    enum Output: CaseIterable { case bytes, sequence }

    /// The fault: beside the end of the loop a write was refused, and a send behind it accepted.
    @Test(
        "What follows a write that the ending loop refuses is refused, too", arguments: Backend.built, Output.allCases)
    func endInBetween(_ backend: Backend, _ output: Output) throws {
        try leavingNothingBehind {
            for round in 0..<stepCount(100, debug: 30) {
                let server = try Server(backend, keeps: true)
                let peer = PlainSocket(connectedTo: server.address)
                let connection = try #require(server.firstConnection())
                let isOver = AtomicCounter(0)
                let results = EventLog()
                let received = Guarded<(bytes: [UInt8], end: CInt)>(([], 0))
                let reader = Thread { received.value = receiveAll(peer) }
                reader.start()
                race(
                    {
                        for number in UInt32(0)... {
                            if isOver.value > 0 { break }
                            let bytes = ByteChunk(withUnsafeBytes(of: number.bigEndian, Array.init))
                            if number.isMultiple(of: 2) {
                                if !connection.send(bytes) { break }
                                continue
                            }
                            let isRefused = AtomicCounter(0)
                            let write: Completable =
                                output == .bytes ? connection.write(bytes) : connection.write(.just(bytes))
                            // A sequence is asked for its elements on the loop.
                            let isTold = OneShot()
                            _ = write.subscribe(
                                onCompleted: isTold.fire,
                                onError: { _ in
                                    isRefused.increment()
                                    isTold.fire()
                                })
                            if output == .sequence, !isTold.wait(seconds: 10) { results.note("not told") }
                            if isRefused.value > 0, connection.send(bytes) { results.note("accepted behind \(number)") }
                        }
                    },
                    {
                        usleep(UInt32(500 + round * 50))
                        server.scheduler.shutdown()
                        isOver.increment()
                    })
                #expect(waitUntil { reader.isFinished })
                #expect(results.lines == [])
                let (bytes, end) = received.value
                let isWhole = stride(from: 0, to: bytes.count - 3, by: 4).allSatisfy { place in
                    bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } == place / 4
                }
                #expect(end != 0 || isWhole)
                server.end()
            }
        }
    }

    /// The fault: a write that ended behind the FIN was in nobody's queue any more, and the close still waited for it.
    @Test(
        "A close behind the end of the output ends the connection, also beside writes that end",
        arguments: Backend.built)
    func closeBesideEndingWrites(_ backend: Backend) throws {
        for _ in 0..<10 {
            try leavingNothingBehind {
                let server = try Server(backend, keeps: true)
                let peer = PlainSocket(connectedTo: server.address)
                let connection = try #require(server.firstConnection())
                let sources = (0..<500).map { _ in PublishSubject<ByteChunk>() }
                let (ended, closed) = (AtomicCounter(0), OneShot())
                for source in sources {
                    _ = connection.write(source).subscribe(
                        onCompleted: { ended.increment() }, onError: { _ in ended.increment() })
                }
                _ = connection.closed.subscribe(onDisposed: { closed.fire() })
                connection.shutdownOutput()
                #expect(receiveAll(peer).end == 0)
                race({ for source in sources { source.onCompleted() } }, { connection.close() })
                #expect(closed.wait(seconds: 10))
                #expect(waitUntil { ended.value == sources.count })
                peer.close()
                server.end()
            }
        }
    }
}

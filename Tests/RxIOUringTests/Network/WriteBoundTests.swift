// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import RxIOUring
import RxSwift
import TestSupport
import Testing

/// The memory that the source of a write may take, of which a part can pause.
@Suite(.serialized) struct WriteBoundTests {
    private static let sendLimit = 1 << 20
    /// Before the first question an output accepts the limit and a chunk. Behind a question it accepts 33 chunks until it knows that nothing asks. It does so
    /// twice: the source asks itself, or a drainer asks for it by a stand-in, and each may just have been told to pause.
    private static let mostQueued = sendLimit + chunkSize + 2 * 33 * chunkSize
    private static let chunkSize = 64 << 10

    private func options(sendLimit: Int = WriteBoundTests.sendLimit) -> ConnectionOptions {
        var options = ConnectionOptions()
        options.sendBufferSize = 65_536
        options.sendLimit = sendLimit
        return options
    }

    enum Mixture: CaseIterable { case merged, combined }

    /// The fault: a part that can pause switched the limit off for the part that cannot.
    @Test(
        "A source that cannot pause is limited beside one that can", arguments: Backend.built, Mixture.allCases)
    func mixture(_ backend: Backend, _ mixture: Mixture) async throws {
        try await leavingNothing(backend) { folder, scheduler in
            let server = try Server(backend, options: options(), keeps: true)
            let peer = PlainSocket(connectedTo: server.address, receiveBuffer: 65_536)
            let connection = try #require(server.firstConnection())
            truncate(folder.put([], into: "a"), 64 << 20)
            let file = File.read(folder["a"], scheduler: scheduler)
            let room = PublishSubject<ByteChunk>()
            let source: Observable<ByteChunk> =
                switch mixture {
                case .merged: .merge(file, room)
                case .combined: .combineLatest(file, room) { $1 }
                }
            let written = Received(connection.write(source).asObservable())
            #expect(waitUntil { room.hasObservers })
            // The file pauses first.
            usleep(50_000)
            let bytes = ByteChunk(pattern(64_000))
            var (sent, most) = (0, 0)
            while sent < 2_000, room.hasObservers {
                server.scheduler.performAndWait { room.onNext(bytes) }
                sent += 1
                most = max(most, connection.queuedBytes)
            }
            #expect(await written.ends())
            #expect((written.anyError as? IOError)?.code == ENOBUFS)
            #expect(most <= WriteBoundTests.mostQueued, "\(most) bytes")
            peer.close()
            server.end()
        }
    }

    /// The fault: whether the limit held was chance. If the slow one was asked first, it took everything.
    @Test(
        "One of two peers that share a source does not grow beyond its limit", arguments: Backend.built, [true, false])
    func sharedSource(_ backend: Backend, _ isSlowFirst: Bool) async throws {
        try await leavingNothing(backend) { folder, scheduler in
            let server = try Server(backend, options: options(), keeps: true)
            let stalled = PlainSocket(connectedTo: server.address, receiveBuffer: 65_536)
            let first = try #require(server.firstConnection())
            let reading = PlainSocket(connectedTo: server.address)
            #expect(waitUntil { server.connections.value.count == 2 })
            let second = try #require(server.connections.value.last)
            truncate(folder.put([], into: "a"), 64 << 20)
            let most = Guarded(0)
            let shared = File.read(folder["a"], scheduler: scheduler)
                .do(onNext: { _ in most.change { $0 = max($0, first.queuedBytes) } })
                .publish()
            let writes = (isSlowFirst ? [first, second] : [second, first]).map {
                Received($0.write(shared).asObservable())
            }
            server.scheduler.performAndWait {}
            let received = Guarded((0, CInt(0)))
            let reader = Thread {
                let (bytes, end) = receiveAll(reading)
                received.value = (bytes.count, end)
            }
            reader.start()
            let connected = shared.connect()
            for write in writes { #expect(await write.ends()) }
            let (slow, fast) = isSlowFirst ? (writes[0], writes[1]) : (writes[1], writes[0])
            #expect((slow.anyError as? IOError)?.code == ENOBUFS)
            #expect(fast.hasCompleted)
            #expect(most.value <= WriteBoundTests.mostQueued, "\(most.value) bytes")
            second.close()
            #expect(waitUntil { reader.isFinished })
            #expect(received.value == (64 << 20, 0))
            connected.dispose()
            stalled.close()
            server.end()
        }
    }

    /// The fault: the first two chunks of each write had no limit, as a source may ask behind its second element.
    @Test("Many writes of a chunk or two are limited", arguments: Backend.built, [1, 2])
    func shortWrites(_ backend: Backend, _ chunks: Int) async throws {
        try await leavingNothing(backend) { _, _ in
            let server = try Server(backend, options: options(), keeps: true)
            let peer = PlainSocket(connectedTo: server.address, receiveBuffer: 65_536)
            let connection = try #require(server.firstConnection())
            let failures = EventLog()
            let source = Observable.from((0..<chunks).map { _ in ByteChunk(pattern(64_000)) })
            var most = 0
            for _ in 0..<500 {
                server.scheduler.performAndWait {
                    _ = connection.write(source).subscribe(onError: { failures.note("\(code($0))") })
                }
                most = max(most, connection.queuedBytes)
            }
            #expect(failures.lines.contains("\(ENOBUFS)"))
            #expect(most <= WriteBoundTests.mostQueued, "\(most) bytes")
            peer.close()
            server.end()
        }
    }

    @Test("Many sources that pause are written whole, whatever their chunks take", arguments: Backend.built)
    func manyFiles(_ backend: Backend) async throws {
        try await expectWhole(80 << 20, backend) { folder, scheduler in
            truncate(folder.put([], into: "a"), 4 << 20)
            return .merge((0..<20).map { _ in File.read(folder["a"], chunkSize: 1 << 20, scheduler: scheduler) })
        }
    }

    @Test("A source that asks seldom is written whole, however large its elements", arguments: Backend.built)
    func largeElements(_ backend: Backend) async throws {
        let bytes = ByteChunk(pattern(500_000))
        try await expectWhole(50_000_000, backend) { _, scheduler in
            Observable.range(start: 0, count: 100, scheduler: scheduler).map { _ in bytes }
        }
    }

    /// The fault: a hop asks behind 512 elements, of which the third was beyond the limit.
    @Test("A hop is written whole, however small the limit", arguments: Backend.built, [0, 100, 10_000])
    func hop(_ backend: Backend, _ limit: Int) async throws {
        let bytes = ByteChunk(pattern(1_009))
        try await expectWhole(2_000 * 1_009, backend, sendLimit: limit) { _, scheduler in
            let other = IOUringScheduler(backend: backend)
            return Observable.range(start: 0, count: 1_000, scheduler: scheduler)
                .flatMap { _ in Observable.of(bytes, bytes) }
                .observe(on: other)
        }
    }

    private func expectWhole(
        _ count: Int, _ backend: Backend, sendLimit: Int = WriteBoundTests.sendLimit,
        _ source: (TemporaryFolder, IOUringScheduler) -> Observable<ByteChunk>
    ) async throws {
        try await leavingNothing(backend) { folder, scheduler in
            let server = try Server(backend, options: options(sendLimit: sendLimit), keeps: true)
            let peer = PlainSocket(connectedTo: server.address, receiveBuffer: 65_536)
            let connection = try #require(server.firstConnection())
            let written = Received(connection.write(source(folder, scheduler)).asObservable())
            usleep(100_000)
            #expect(peer.receive(count).count == count)
            #expect(await written.ends())
            #expect(written.hasCompleted, "\(String(describing: written.anyError))")
            peer.close()
            server.end()
        }
    }
}

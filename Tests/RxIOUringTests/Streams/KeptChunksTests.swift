// SPDX-License-Identifier: Apache-2.0

import Dispatch
import RxIOUring
import RxSwift
import TestSupport
import Testing

/// An operator that keeps chunks of a stream.
enum KeepingOperator: String, CaseIterable, Sendable {
    case toArray, buffer, pairwise, replay, takeLast, window

    func apply(_ chunks: Observable<ByteChunk>, _ scheduler: IOUringScheduler) -> Observable<[ByteChunk]> {
        switch self {
        case .toArray: chunks.toArray().asObservable()
        case .buffer: chunks.buffer(timeSpan: .seconds(60), count: 4, scheduler: scheduler)
        case .pairwise: chunks.scan([]) { $0.suffix(1) + [$1] }
        case .replay: chunks.share(replay: 2).map { [$0] }
        case .takeLast: chunks.takeLast(3).map { [$0] }
        case .window:
            chunks.window(timeSpan: .seconds(60), count: 4, scheduler: scheduler).flatMap {
                $0.toArray().asObservable()
            }
        }
    }

    /// True if each chunk of the stream comes out once.
    var passesEachOnce: Bool { self != .pairwise && self != .takeLast }
}

/// A chunk that is kept costs memory, and never stops its stream.
@Suite struct KeptChunksTests {
    private func expectEnd(
        of stream: Observable<ByteChunk>, through keeping: KeepingOperator, _ scheduler: IOUringScheduler,
        _ bytes: [UInt8]
    ) async {
        let received = Received(keeping.apply(stream, scheduler))
        #expect(await received.ends())
        #expect(received.hasCompleted)
        if keeping.passesEachOnce { #expect(received.elements.flatMap { $0 }.flatMap { Array($0) } == bytes) }
    }

    @Test(
        "Operators that keep chunks of a file complete with the defaults", arguments: Backend.built,
        KeepingOperator.allCases)
    func file(_ backend: Backend, keeping: KeepingOperator) async {
        await leavingNothing(backend) { folder, scheduler in
            let bytes = pattern(600_000)
            let path = folder.put(bytes, into: "a")
            await expectEnd(of: File.read(path, scheduler: scheduler), through: keeping, scheduler, bytes)
        }
    }

    @Test(
        "Operators that keep chunks of a connection complete with the defaults", arguments: Backend.built,
        KeepingOperator.allCases)
    func connection(_ backend: Backend, keeping: KeepingOperator) async throws {
        try await leavingNothing(backend) { _, scheduler in
            let listener = try TCP.listener(port: 0, scheduler: scheduler)
            let bytes = pattern(600_000)
            let peer = PlainSocket(connectedTo: listener.address)
            let sender = DispatchQueue(label: "sender")
            sender.async {
                peer.send(bytes)
                peer.shutdownOutput()
            }
            let received = listener.connections.take(1).flatMap(\.received)
            await expectEnd(of: received, through: keeping, scheduler, bytes)
            sender.sync { peer.close() }
        }
    }

    /// More chunks than the buffers that the connections of a loop share.
    @Test("A connection receives on while all buffers of its loop are kept", arguments: Backend.built)
    func manyChunks(_ backend: Backend) async throws {
        try await leavingNothing(backend) { _, scheduler in
            var options = ConnectionOptions()
            options.receiveWindow = 10_000
            let listener = try TCP.listener(port: 0, options: options, scheduler: scheduler)
            let bytes = pattern(9 << 20)
            let peer = PlainSocket(connectedTo: listener.address)
            let sender = DispatchQueue(label: "sender")
            sender.async {
                peer.send(bytes)
                peer.shutdownOutput()
            }
            let received = Received(listener.connections.take(1).flatMap(\.received).toArray().asObservable())
            #expect(await received.ends())
            #expect(received.elements.first.map { $0.flatMap { Array($0) } } == bytes)
            sender.sync { peer.close() }
        }
    }

    @Test("A chunk weighs the memory that it keeps", arguments: Backend.built)
    func weight(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            let path = folder.put(pattern(10), into: "a")
            let received = Received(File.read(path, chunkSize: 5_000, scheduler: scheduler))
            #expect(await received.ends())
            #expect(received.elements.map(\.weightInBytes) == [5_000])
            #expect(received.elements.map { $0[2..<4].weightInBytes } == [5_000])
            #expect(ByteChunk("text").weightInBytes == 4)
            #expect(ChildProcess.Event.output(ByteChunk("text")).weightInBytes == 4)
            #expect(ChildProcess.Event.exited(status: 0).weightInBytes == 0)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Glibc
import RxIOUring
import RxSwift
import TestSupport
import Testing

/// Small slices of large chunks that wait to be written.
///
/// The fault: outputs counted the bytes of a slice, and kept the 16 KiB that it was cut from.
@Suite(.serialized) struct KeptMemoryTests {
    /// 64 MB of chunks, of which each slice has a small part.
    private static let count = 4_000
    private static let whole = pattern(16 << 10)

    /// Sends the slices, and expects that they take little memory while they wait.
    private func expectLittleMemory(_ size: Int = 100, _ send: (ByteChunk) -> Void) {
        let before = residentBytes()
        for _ in 0..<Self.count { send(ByteChunk(Self.whole)[1_000..<1_000 + size]) }
        if !hasSanitizer { #expect(residentBytes() - before < 16 << 20) }
    }

    /// Blocks a loop while `body` runs.
    private func blocking(_ scheduler: IOUringScheduler, _ body: () -> Void) {
        let goOn = DispatchSemaphore(value: 0)
        scheduler.run { goOn.wait() }
        body()
        goOn.signal()
        scheduler.performAndWait {}
    }

    @Test("Slices sent on a connection keep little memory while they wait", arguments: [true, false])
    func connection(_ isBlocked: Bool) throws {
        try leavingNothingBehind {
            let server = try Server(Backend.built[0], keeps: true)
            let peer = PlainSocket(connectedTo: server.address, receiveBuffer: 4_096)
            let connection = try #require(server.firstConnection())
            #expect(connection.send(ByteChunk(pattern(6_000_000))))
            server.scheduler.performAndWait {}
            let send = {
                expectLittleMemory(600) { #expect(connection.send($0)) }
                expectLittleMemory { _ = connection.write($0).subscribe() }
            }
            if isBlocked { blocking(server.scheduler, send) } else { send() }
            connection.close()
            let bytes = receiveAll(peer).bytes
            #expect(bytes.count == 6_000_000 + 700 * Self.count)
            #expect(bytes.suffix(200) == Self.whole[1_000..<1_100] + Self.whole[1_000..<1_100])
            server.end()
        }
    }

    @Test("Slices written to files keep little memory while they wait", arguments: [100, 2_000])
    func files(_ size: Int) async throws {
        try await leavingNothing(Backend.built[0]) { folder, scheduler in
            let opened = Received(File.open(folder["a"], mode: .append, scheduler: scheduler).asObservable())
            #expect(await opened.ends())
            let file = try #require(opened.take().first)
            let chunks = PublishSubject<ByteChunk>()
            let written = Received(File.write(chunks, to: folder["b"], scheduler: scheduler).asObservable())
            #expect(await eventually { chunks.hasObservers })
            blocking(scheduler) {
                expectLittleMemory(size) { #expect(file.append($0)) }
                expectLittleMemory(size) { chunks.onNext($0) }
            }
            chunks.onCompleted()
            #expect(await written.ends())
            #expect(await Received(file.close().asObservable()).ends())
            let piece = Array(Self.whole[1_000..<1_000 + size])
            let expected = [[UInt8]](repeating: piece, count: Self.count).flatMap { $0 }
            #expect(folder.bytes(of: "a") == expected && folder.bytes(of: "b") == expected)
        }
    }

    @Test("Datagrams that are slices keep little memory while they wait") func datagrams() throws {
        try leavingNothingBehind {
            let scheduler = IOUringScheduler(backend: Backend.built[0])
            let receiver = try UDP.bind(port: 0, scheduler: scheduler)
            let sender = try UDP.bind(port: 0, scheduler: scheduler)
            blocking(scheduler) { expectLittleMemory { #expect(sender.send($0, to: receiver.address)) } }
            scheduler.shutdown()
        }
    }

    /// The fault: the hop to the loop kept the chunks as they were.
    @Test("Slices written to a pipe keep little memory while they wait", arguments: [false, true])
    func pipe(_ isBlocked: Bool) throws {
        try onLoop(Backend.built[0]) { scheduler in
            let (readEnd, writeEnd) = try DescriptorStream.makePipe()
            let chunks = PublishSubject<ByteChunk>()
            let written = Received(DescriptorStream.write(chunks, to: writeEnd, scheduler: scheduler).asObservable())
            chunks.onNext(ByteChunk(pattern(1 << 20)))
            if isBlocked {
                blocking(scheduler) { expectLittleMemory { chunks.onNext($0) } }
            } else {
                expectLittleMemory { chunks.onNext($0) }
            }
            written.dispose()
            close(readEnd)
            close(writeEnd)
        }
    }
}

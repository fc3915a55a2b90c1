// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import RxIOUring
import RxSwift
import TestSupport
import Testing

/// An output that is full pauses the source of what it writes.
@Suite(.serialized) struct OutputPressureTests {
    private static let size = 16 << 20

    /// A sequence of the bytes of a file, and the number that was emitted.
    private func file(
        _ folder: TemporaryFolder, _ emitted: Guarded<Int>, chunkSize: Int = 65_536, _ scheduler: IOUringScheduler
    ) -> Observable<ByteChunk> {
        truncate(folder.put([], into: "a"), OutputPressureTests.size)
        return File.read(folder["a"], chunkSize: chunkSize, scheduler: scheduler)
            .do(onNext: { chunk in emitted.change { $0 += chunk.count } })
    }

    @Test(
        "A connection pauses its source, and rejects no chunk of it", arguments: Backend.built,
        [16_384, 1 << 20, 4 << 20])
    func connection(_ backend: Backend, chunkSize: Int) async throws {
        try await leavingNothing(backend) { folder, scheduler in
            var options = ConnectionOptions()
            options.sendBufferSize = 65_536
            let server = try Server(backend, options: options, keeps: true)
            let peer = PlainSocket(connectedTo: server.address, receiveBuffer: 65_536)
            let connection = try #require(server.firstConnection())
            let emitted = Guarded(0)
            let written = Received(
                connection.write(file(folder, emitted, chunkSize: chunkSize, scheduler)).asObservable())
            #expect(await eventually { emitted.value > 0 })
            let paused = await settled { emitted.value }
            #expect(paused <= (2 << 20) + 2 * chunkSize, "\(paused) bytes were emitted")
            #expect(peer.receive(OutputPressureTests.size).count == OutputPressureTests.size)
            #expect(await written.ends())
            #expect(written.hasCompleted, "\(String(describing: written.anyError))")
            peer.close()
            server.end()
        }
    }

    @Test("Many small chunks pause their source, too", arguments: Backend.built)
    func smallChunks(_ backend: Backend) async throws {
        try await leavingNothing(backend) { folder, scheduler in
            // So small that a receive never finds more than a usual buffer holds.
            var inputOptions = ConnectionOptions()
            inputOptions.receiveBufferSize = 4_096
            let server = try Server(backend, options: inputOptions, keeps: true)
            var options = ConnectionOptions()
            options.sendBufferSize = 4_096
            // Small pieces take the memory of their bytes: they are copied together.
            options.sendLimit = 100_000
            let slow = try Server(backend, options: options, keeps: true)
            let (input, output) = (
                PlainSocket(connectedTo: server.address), PlainSocket(connectedTo: slow.address, receiveBuffer: 4_096)
            )
            let (source, target) = (try #require(server.firstConnection()), try #require(slow.firstConnection()))
            let emitted = Guarded(0)
            // A million pieces of one byte.
            let bytes = source.received.flatMap { Observable.from($0.map { ByteChunk([$0]) }) }
                .do(onNext: { _ in emitted.change { $0 += 1 } })
            let written = Received(target.write(bytes).asObservable())
            let sender = DispatchQueue(label: "sender")
            sender.async {
                input.send([UInt8](repeating: 1, count: 1 << 20))
                input.shutdownOutput()
            }
            #expect(await eventually { emitted.value > 0 })
            // A chunk of 16 KiB comes in pieces that the source cannot hold back.
            #expect(await settled { emitted.value } < 100_000)
            #expect(output.receive(1 << 20).count == 1 << 20)
            #expect(await written.ends())
            #expect(written.hasCompleted)
            sender.sync { input.close() }
            output.close()
            server.end()
            slow.end()
        }
    }

    @Test("A connection that is closed resumes the source that waits for it", arguments: Backend.built)
    func closed(_ backend: Backend) async throws {
        try await leavingNothing(backend) { folder, scheduler in
            let server = try Server(backend, keeps: true)
            let peer = PlainSocket(connectedTo: server.address)
            let connection = try #require(server.firstConnection())
            let emitted = Guarded(0)
            // The file has another observer, which goes on.
            let shared = file(folder, emitted, scheduler).publish()
            let isSubscribed = OneShot()
            // On the connection's loop.
            let written = Received(connection.write(shared.do(onSubscribed: { isSubscribed.fire() })).asObservable())
            #expect(isSubscribed.wait())
            let connected = shared.connect()
            #expect(await eventually { emitted.value > 0 })
            #expect(await settled { emitted.value } < OutputPressureTests.size)
            let other = Received(shared.map { $0.count })
            connection.abort()
            #expect(await other.ends())
            #expect(await written.ends())
            #expect(emitted.value == OutputPressureTests.size)
            connected.dispose()
            peer.close()
            server.end()
        }
    }

    @Test("A pipe pauses its source on any loop", arguments: Backend.built, [false, true])
    func pipe(_ backend: Backend, isElsewhere: Bool) async throws {
        try await leavingNothing(backend) { folder, scheduler in
            let other = IOUringScheduler(backend: backend)
            let (readEnd, writeEnd) = try DescriptorStream.makePipe()
            let emitted = Guarded(0)
            let written = Received(
                DescriptorStream.write(
                    file(folder, emitted, isElsewhere ? other : scheduler), to: writeEnd, closesWhenDone: true,
                    scheduler: scheduler
                ).asObservable())
            #expect(await eventually { emitted.value > 0 })
            let paused = await settled { emitted.value }
            #expect(paused < 4 << 20, "\(paused) bytes were emitted")
            var buffer = [UInt8](repeating: 0, count: 65_536)
            var total = 0
            while case let count = Glibc.read(readEnd, &buffer, buffer.count), count > 0 { total += count }
            #expect(total == OutputPressureTests.size)
            #expect(await written.ends())
            #expect(written.hasCompleted)
            Glibc.close(readEnd)
            other.shutdown()
        }
    }

    @Test("A program pauses the source of its input", arguments: Backend.built)
    func program(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            let emitted = Guarded(0)
            let events = Received(
                ChildProcess.run(
                    "sh", arguments: ["-c", "sleep 0.5; wc -c"], input: file(folder, emitted, scheduler),
                    whenDisposed: .kill, scheduler: scheduler))
            #expect(await eventually { emitted.value > 0 })
            let paused = await settled { emitted.value }
            #expect(paused < 4 << 20, "\(paused) bytes were emitted")
            #expect(await events.ends())
            let output = events.elements.compactMap { if case .output(let chunk) = $0 { String(chunk) } else { nil } }
            #expect(output.joined().contains("\(OutputPressureTests.size)"))
        }
    }

    @Test("A file that is written to a pipe without a reader pauses its source", arguments: Backend.built)
    func fifo(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            mkfifo(folder["pipe"], 0o600)
            let reader = Glibc.open(folder["pipe"], O_RDWR | O_CLOEXEC)
            let emitted = Guarded(0)
            let written = Received(
                File.write(file(folder, emitted, scheduler), to: folder["pipe"], scheduler: scheduler).asObservable())
            #expect(await eventually { emitted.value > 0 })
            let paused = await settled { emitted.value }
            #expect(paused <= (8 << 20) + 2 * 65_536, "\(paused) bytes were emitted")
            var buffer = [UInt8](repeating: 0, count: 65_536)
            var total = 0
            while total < OutputPressureTests.size, case let count = Glibc.read(reader, &buffer, buffer.count),
                count > 0
            {
                total += count
            }
            #expect(await written.ends())
            #expect(written.elements == [OutputPressureTests.size])
            Glibc.close(reader)
        }
    }
}

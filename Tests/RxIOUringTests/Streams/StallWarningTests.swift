import Glibc
import RxIOUring
import RxSwift
import TestSupport
import Testing

/// Without the notice, the program would wait in silence for memory that its observer retains.
@Suite struct StallWarningTests {
    /// Expects that a stream of at most three chunks, whose window is two, gives one notice if its chunks are retained, and none
    /// if they are copied.
    private func expectNotice(
        _ backend: Backend, about subject: String? = nil, sourceLocation: SourceLocation = #_sourceLocation,
        _ stream: (TemporaryFolder, IOUringScheduler) throws -> Observable<ByteChunk>
    ) async rethrows {
        let before = IOHooks.noticeHandler
        defer { IOHooks.noticeHandler = before }
        let notices = EventLog()
        IOHooks.noticeHandler = { notices.note($0) }
        try await leavingNothing(backend) { folder, scheduler in
            let kept = Received(try stream(folder, scheduler).toArray().asObservable())
            #expect(await eventually { !notices.lines.isEmpty }, sourceLocation: sourceLocation)
            #expect(notices.text.contains("2 chunks"), sourceLocation: sourceLocation)
            #expect(notices.text.contains(subject ?? folder.path), sourceLocation: sourceLocation)
            #expect(!kept.hasEnded, sourceLocation: sourceLocation)
            kept.dispose()
            let copied = Received(try stream(folder, scheduler).map { Array($0) }.toArray().asObservable())
            #expect(await copied.ends(), sourceLocation: sourceLocation)
            #expect(copied.elements.first?.isEmpty == false, sourceLocation: sourceLocation)
        }
        #expect(notices.lines.count == 1, sourceLocation: sourceLocation)
    }

    @Test("A file whose chunks are all retained gives one notice", arguments: Backend.built)
    func file(_ backend: Backend) async {
        await expectNotice(backend) { folder, scheduler in
            File.read(folder.put(pattern(3_000), into: "kept"), chunkSize: 1_000, window: 2, scheduler: scheduler)
        }
    }

    @Test("A pipe whose chunks are all retained gives one notice", arguments: Backend.built)
    func pipe(_ backend: Backend) async throws {
        try await expectNotice(backend, about: "descriptor") { _, scheduler in
            let (readEnd, writeEnd) = try DescriptorStream.makePipe()
            defer { close(writeEnd) }
            #expect(write(writeEnd, pattern(3_000), 3_000) == 3_000)
            return DescriptorStream.read(
                readEnd, closesWhenDone: true, chunkSize: 1_000, window: 2, scheduler: scheduler)
        }
    }

    @Test("A program whose output is all retained gives one notice", arguments: Backend.built)
    func program(_ backend: Backend) async {
        await expectNotice(backend, about: "head") { _, scheduler in
            ChildProcess.run(
                "head", arguments: ["-c", "3000", "/dev/zero"], whenDisposed: .kill, chunkSize: 1_000, window: 2,
                scheduler: scheduler
            ).compactMap { if case .output(let chunk) = $0 { chunk } else { nil } }
        }
    }

    @Test("A connection whose chunks are all retained gives one notice", arguments: Backend.built)
    func connection(_ backend: Backend) async throws {
        try await expectNotice(backend, about: "127.0.0.1") { _, scheduler in
            var options = ConnectionOptions()
            options.receiveWindow = 2
            let server = try TCP.listener(port: 0, options: options, scheduler: scheduler)
            nonisolated(unsafe) let client = TCP.connect(to: server.address, scheduler: scheduler).asObservable()
                .flatMap { $0.write(ByteChunk(pattern(100_000))).asObservable() }
            return server.connections.do(onSubscribed: { _ = client.subscribe() }).take(1).flatMap(\.received)
        }
    }

    @Test("A UDP socket whose datagrams are all retained gives one notice", arguments: Backend.built)
    func socket(_ backend: Backend) async throws {
        try await expectNotice(backend, about: "127.0.0.1") { _, scheduler in
            let socket = try UDP.bind(port: 0, window: 2, scheduler: scheduler)
            for number in 0..<3 { socket.send(ByteChunk("\(number)"), to: socket.address) }
            return socket.received.take(3).map(\.bytes)
        }
    }
}

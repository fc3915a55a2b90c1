// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import RxIOUring
import RxPrimitives
import RxSwift
import TestSupport
import Testing

/// A serial queue that runs nothing until the test opens it.
final class BlockedQueue: @unchecked Sendable {
    let scheduler: SerialDispatchQueueScheduler
    private let gate = DispatchSemaphore(value: 0)

    init() {
        let queue = DispatchQueue(label: "blocked")
        scheduler = SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "blocked")
        queue.async { [gate] in gate.wait() }
    }

    func open() { gate.signal() }
}

/// Returns the value of a number that has not changed for 100 ms.
func settled(_ number: () -> Int) async -> Int {
    var (before, unchanged) = (number(), 0)
    for _ in 0..<1_000 where unchanged < 10 {
        try? await Task.sleep(nanoseconds: 10_000_000)
        let now = number()
        unchanged = now == before ? unchanged + 1 : 0
        before = now
    }
    return before
}

/// Sources pause while a stage below is full.
@Suite(.serialized) struct PressureTests {
    /// Expects that a stream of 8 MiB in front of a hop that delivers nothing pauses, and continues when the hop delivers.
    private func expectPause(
        _ stream: Observable<ByteChunk>, of bytes: Int, _ location: SourceLocation = #_sourceLocation
    ) async {
        let queue = BlockedQueue()
        let (emitted, consumed) = (Guarded(0), Guarded(0))
        let received = Received<Int>(
            stream.do(onNext: { chunk in emitted.change { $0 += chunk.count } }).observe(on: queue.scheduler)
                .map { chunk in
                    consumed.change { $0 += chunk.count }
                    return 0
                })
        #expect(await eventually { emitted.value > 0 }, sourceLocation: location)
        let paused = await settled { emitted.value }
        #expect(paused < 3 << 20, "\(paused) bytes were emitted", sourceLocation: location)
        queue.open()
        #expect(await eventually { consumed.value == bytes }, "\(consumed.value)", sourceLocation: location)
        received.dispose()
    }

    private static let size = 8 << 20

    @Test("A file that is read or followed pauses", arguments: Backend.built, [false, true])
    func file(_ backend: Backend, follows: Bool) async {
        await leavingNothing(backend) { folder, scheduler in
            truncate(folder.put([], into: "a"), PressureTests.size)
            let stream =
                follows
                ? File.follow(folder["a"], from: .beginning, scheduler: scheduler)
                : File.read(folder["a"], scheduler: scheduler)
            await expectPause(stream, of: PressureTests.size)
        }
    }

    @Test("A pipe pauses, and so does a program that writes to it", arguments: Backend.built)
    func program(_ backend: Backend) async {
        await leavingNothing(backend) { _, scheduler in
            let output = ChildProcess.run(
                "head", arguments: ["-c", "\(PressureTests.size)", "/dev/zero"], whenDisposed: .kill,
                scheduler: scheduler)
            await expectPause(
                output.compactMap { if case .output(let chunk) = $0 { chunk } else { nil } }, of: PressureTests.size)
        }
    }

    @Test("A connection pauses", arguments: Backend.built)
    func connection(_ backend: Backend) async throws {
        try await leavingNothing(backend) { _, scheduler in
            var options = ConnectionOptions()
            options.receiveBufferSize = 65_536
            let listener = try TCP.listener(port: 0, options: options, scheduler: scheduler)
            let peer = PlainSocket(connectedTo: listener.address)
            let sender = DispatchQueue(label: "sender")
            sender.async { peer.send([UInt8](repeating: 1, count: PressureTests.size)) }
            await expectPause(listener.connections.take(1).flatMap(\.received), of: PressureTests.size)
            sender.sync { peer.close() }
        }
    }

    @Test("A socket for datagrams pauses", arguments: Backend.built)
    func datagrams(_ backend: Backend) async throws {
        try await leavingNothing(backend) { _, scheduler in
            let socket = try UDP.bind(port: 0, maximumLength: 65_535, scheduler: scheduler)
            let queue = BlockedQueue()
            let emitted = Guarded(0)
            let received = Received(
                socket.received.do(onNext: { _ in emitted.change { $0 += 1 } }).observe(on: queue.scheduler)
                    .map { String($0.bytes) })
            for number in 0..<80 { socket.send(ByteChunk("\(number)"), to: socket.address) }
            #expect(await eventually { emitted.value > 0 })
            // Each has a buffer of 64 KiB. The hop lets a megabyte of those wait, and is asked at each 16th event at least.
            let passed = await settled { emitted.value }
            #expect((16...32).contains(passed))
            queue.open()
            #expect(await eventually { received.elements == (0..<80).map { "\($0)" } })
            received.dispose()
            socket.close()
        }
    }

    @Test("A source that is disposed of while paused leaves nothing", arguments: Backend.built)
    func disposedWhilePaused(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            truncate(folder.put([], into: "a"), PressureTests.size)
            let queue = BlockedQueue()
            let emitted = Guarded(0)
            let received = Received(
                File.read(folder["a"], scheduler: scheduler).do(onNext: { _ in emitted.change { $0 += 1 } })
                    .observe(on: queue.scheduler))
            #expect(await eventually { emitted.value > 0 })
            _ = await settled { emitted.value }
            received.dispose()
            queue.open()
        }
    }

    @Test("The end of the loop reaches the observer of a paused source", arguments: Backend.built)
    func shutdownWhilePaused(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            truncate(folder.put([], into: "a"), PressureTests.size)
            let queue = BlockedQueue()
            let emitted = Guarded(0)
            let received = Received(
                File.read(folder["a"], scheduler: scheduler).do(onNext: { _ in emitted.change { $0 += 1 } })
                    .observe(on: queue.scheduler).map { $0.count })
            #expect(await eventually { emitted.value > 0 })
            _ = await settled { emitted.value }
            scheduler.shutdown()
            queue.open()
            #expect(await received.ends())
            #expect(received.error?.code == ECANCELED)
        }
    }
}

/// The memory of a process whose consumers are slower than its sources.
@Suite(.serialized) struct BoundedMemoryTests {
    /// Expects that the memory does not grow by 32 MB while a stream runs for two seconds.
    private func expectBoundedMemory(
        _ stream: Observable<Void>, _ location: SourceLocation = #_sourceLocation
    ) async {
        let consumed = AtomicCounter(0)
        let before = residentBytes()
        let received = stream.subscribe(onNext: { consumed.increment() })
        var grown = 0
        for _ in 0..<200 {
            try? await Task.sleep(nanoseconds: 10_000_000)
            grown = max(grown, residentBytes() - before)
        }
        received.dispose()
        #expect(grown < 32_000_000, "\(grown) bytes more were resident", sourceLocation: location)
        #expect(consumed.value > 100, "\(consumed.value) lines were consumed", sourceLocation: location)
    }

    private static let line = String(repeating: "x", count: 99) + "\n"

    @Test("A connection whose lines are consumed slowly takes little memory", arguments: Backend.built)
    func connection(_ backend: Backend) async throws {
        try await leavingNothing(backend) { _, scheduler in
            let listener = try TCP.listener(port: 0, scheduler: scheduler)
            let peer = PlainSocket(connectedTo: listener.address)
            let block = Array(String(repeating: BoundedMemoryTests.line, count: 1_000).utf8)
            let sender = DispatchQueue(label: "sender")
            sender.async {
                for _ in 0..<2_000 where !peer.send(block) { return }
            }
            let slow = SerialDispatchQueueScheduler(internalSerialQueueName: "slow")
            await expectBoundedMemory(
                listener.connections.take(1).flatMap(\.received).lines().observe(on: slow).map { _ in _ = usleep(200) })
            sender.sync { peer.close() }
        }
    }

    enum Consumer: CaseIterable, Sendable { case hop, zip, merge }

    @Test("A file whose lines are consumed slowly takes little memory", arguments: Backend.built, Consumer.allCases)
    func file(_ backend: Backend, consumer: Consumer) async {
        await leavingNothing(backend) { folder, scheduler in
            let block = Array(String(repeating: BoundedMemoryTests.line, count: 10_000).utf8)
            for _ in 0..<100 { folder.append(block, to: "a") }
            let lines = File.lines(folder["a"], scheduler: scheduler)
            let slow = SerialDispatchQueueScheduler(internalSerialQueueName: "slow")
            let ticks = Observable<Int>.interval(.milliseconds(1), scheduler: slow)
            switch consumer {
            case .hop: await expectBoundedMemory(lines.observe(on: slow).map { _ in _ = usleep(200) })
            case .zip: await expectBoundedMemory(Observable.zip(lines, ticks) { _, _ in })
            case .merge:
                await expectBoundedMemory(
                    lines.map { _ in Observable.just(()).delay(.milliseconds(1), scheduler: slow) }.merge(
                        maxConcurrent: 4))
            }
        }
    }

    @Test("A listener accepts no more connections than are wanted", arguments: Backend.built)
    func accepted(_ backend: Backend) async throws {
        var old = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &old)
        var many = rlimit(rlim_cur: min(8_192, old.rlim_max), rlim_max: old.rlim_max)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &many)
        defer { setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &old) }
        try await leavingNothing(backend) { _, scheduler in
            let listener = try TCP.listener(port: 0, backlog: 4_096, scheduler: scheduler)
            let before = descriptorCount()
            let ended = AtomicCounter(0)
            let received = Received(
                listener.connections.map { $0.received.map { _ in }.do(onCompleted: { ended.increment() }) }
                    .merge(maxConcurrent: 10))
            var peers = (0..<2_000).map { _ in PlainSocket(connectedTo: listener.address) }
            let accepted = await settled { descriptorCount() } - before - peers.count
            #expect(accepted >= 10 && accepted <= 74, "\(accepted) connections were accepted")
            for number in stride(from: 0, to: peers.count, by: 100) {
                for peer in peers[number..<number + 100] { peer.close() }
                #expect(descriptorCount() - before <= 2_000 + 74)
            }
            #expect(await eventually { ended.value == 2_000 }, "\(ended.value)")
            peers = []
            received.dispose()
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import CRxIOUring
import Dispatch
import Glibc
@preconcurrency import RxIOUring
@preconcurrency import RxPrimitives
import RxSwift
import TestSupport
import Testing

@Suite struct FileReadTests {
    @Test(
        "All bytes of a file come in order, in chunks of the given size",
        arguments: Backend.built, [0, 1, 999, 1_000, 1_001, 3_000, 100_001])
    func anySize(_ backend: Backend, size: Int) async {
        await leavingNothing(backend) { folder, scheduler in
            let bytes = pattern(size)
            let path = folder.put(bytes, into: "a")
            let received = Received.bytes(File.read(path, chunkSize: 1_000, scheduler: scheduler))
            #expect(await received.ends())
            #expect(received.hasCompleted)
            #expect(difference(received.bytes, bytes) == nil)
            #expect(received.elements.count == (size + 999) / 1_000)
            #expect(received.elements.allSatisfy { !$0.isEmpty && $0.count <= 1_000 })
        }
    }

    @Test("Chunks have the default size unless the caller gives another", arguments: Backend.built)
    func defaultChunkSize(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            let path = folder.put(pattern(300_000), into: "a")
            let received = Received(File.read(path, scheduler: scheduler).map { $0.count })
            #expect(await received.ends())
            let size = File.defaultChunkSize
            #expect(received.elements == [size, size, 300_000 - 2 * size])
        }
    }

    /// Regular by its status. Only the superuser may read it, and not on each machine.
    private static let kernelPipe = "/sys/kernel/tracing/trace_pipe"
    private static let kernelPipeInput = "/sys/kernel/tracing/trace_marker"

    @Test(
        "A file of the kernel that is a pipe is waited for",
        .enabled(if: access(kernelPipe, R_OK) == 0 && access(kernelPipeInput, W_OK) == 0), arguments: Backend.built)
    func kernelPipe(_ backend: Backend) async {
        await leavingNothing(backend) { _, scheduler in
            let received = Received.bytes(File.read(FileReadTests.kernelPipe, scheduler: scheduler))
            usleep(20_000)
            let input = open(FileReadTests.kernelPipeInput, O_WRONLY | O_CLOEXEC)
            for word in ["first", "second"] {
                #expect(write(input, word, word.utf8.count) == word.utf8.count)
                #expect(waitUntil { String(decoding: received.bytes, as: UTF8.self).contains(word) })
            }
            close(input)
            received.dispose()
            #expect(received.error == nil)
        }
    }

    @Test("Events come on the loop, and the file is closed before the last one", arguments: Backend.built)
    func closedAtTheEnd(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            let path = folder.put(pattern(10), into: "a")
            let before = descriptorCount()
            nonisolated(unsafe) var log: [Bool] = []
            let received = Received(
                File.read(path, scheduler: scheduler).do(
                    onNext: { _ in log.append(scheduler.isCurrent) },
                    onCompleted: { log.append(descriptorCount() == before) }))
            #expect(await received.ends())
            #expect(log == [true, true])
        }
    }

    @Test("A file of the kernel that reports a size of 0 is read", arguments: Backend.built)
    func kernelFile(_ backend: Backend) async {
        await leavingNothing(backend) { _, scheduler in
            let received = Received.bytes(File.read("/proc/self/maps", chunkSize: 100, scheduler: scheduler))
            #expect(await received.ends())
            #expect(received.hasCompleted && received.bytes.count > 1_000)
        }
    }

    @Test("A missing file is an error", arguments: Backend.built)
    func missingFile(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            let missing = Received(File.read(folder["missing"], scheduler: scheduler))
            #expect(await missing.ends())
            #expect(missing.error == IOError(code: ENOENT, operation: "open", subject: folder["missing"]))
        }
    }

    @Test("Reading a folder is an error", arguments: Backend.built)
    func directory(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            let directory = Received(File.read(folder.path, scheduler: scheduler))
            #expect(await directory.ends())
            #expect(directory.error == IOError(code: EISDIR, operation: "read", subject: folder.path))
        }
    }

    @Test("A file without read permission is an error", arguments: Backend.built)
    func noPermission(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            chmod(folder.put(pattern(10), into: "secret"), 0)
            let secret = Received.bytes(File.read(folder["secret"], scheduler: scheduler))
            #expect(await secret.ends())
            if geteuid() != 0 { #expect(secret.error?.code == EACCES) }
        }
    }

    /// The fault: a source that reads what is in the kernel's memory goes on to the end of the file.
    @Test("A file in the kernel's memory keeps no timer waiting, and ends on a dispose", arguments: Backend.built)
    func fairness(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            // Some seconds' worth of chunks.
            let path = folder.put([UInt8](repeating: 1, count: 64 << 20), into: "a")
            let chunks = AtomicCounter(0)
            let received = Received(
                File.read(path, chunkSize: 16, scheduler: scheduler).do(onNext: { _ in chunks.increment() })
                    .ignoreElements().asObservable())
            #expect(await eventually { chunks.value > 100 })
            let fired = OneShot()
            _ = scheduler.scheduleRelative((), dueTime: .milliseconds(10)) { _ in
                fired.fire()
                return Disposables.create()
            }
            #expect(fired.wait(seconds: 0.3))
            #expect(!received.hasEnded)
            received.dispose()
            #expect(scheduler.performAndWait { true })
            let (atDispose, more) = (chunks.value, OneShot())
            #expect(!more.wait(seconds: 0.01))
            #expect(chunks.value == atDispose)
        }
    }

    /// False on file systems that do not tell what is in the kernel's memory: ext4, XFS and btrfs do.
    private func isReadAtOnce(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        var byte: UInt8 = 0
        return rx_read_cached(descriptor, &byte, 1, 0) == 1
    }

    /// The fault: one chunk per turn, as each read waits for the loop to come to it.
    @Test("A loop with other work reads as much in a turn as fits into its share", arguments: Backend.withoutFaults)
    func manyChunksPerTurn(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            let path = folder.put(pattern(400_000), into: "a")
            guard isReadAtOnce(path) else { return }
            let actions = AtomicCounter(0)
            let isOver = Guarded(false)
            @Sendable func occupy() {
                if isOver.value { return }
                actions.increment()
                usleep(1_000)
                scheduler.run(occupy)
            }
            scheduler.run(occupy)
            let before = actions.value
            let received = Received(File.read(path, chunkSize: 1_000, scheduler: scheduler).map { $0.count })
            #expect(await received.ends())
            let during = actions.value - before
            isOver.value = true
            #expect(received.elements == Array(repeating: 1_000, count: 400))
            #expect(during < 200, "400 chunks took \(during) turns")
        }
    }

    /// The fault: the loop itself copied each chunk, for as long as that took.
    @Test("Another thread reads chunks that take longer than a turn", arguments: Backend.withoutFaults)
    func largeChunks(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            let path = folder.put([UInt8](repeating: 1, count: 32 << 20), into: "a")
            let before = scheduler.metrics.completions
            let received = Received(File.read(path, chunkSize: 4 << 20, scheduler: scheduler).map { $0.count })
            #expect(await received.ends())
            #expect(received.elements.reduce(0, +) == 32 << 20)
            #expect(scheduler.performAndWait { scheduler.metrics.completions } - before >= 8)
        }
    }

    @Test("A slow consumer slows the reading down", arguments: Backend.built)
    func slowConsumer(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            let bytes = pattern(6_000_000)
            let path = folder.put(bytes, into: "a")
            let emitted = AtomicCounter(0)
            let consumed = AtomicCounter(0)
            let most = AtomicCounter(0)
            let received = Received.bytes(
                File.read(path, chunkSize: 65_536, scheduler: scheduler)
                    .do(onNext: { _ in
                        emitted.increment()
                        while most.value < emitted.value - consumed.value { most.increment() }
                    })
                    .observe(on: SerialDispatchQueueScheduler(internalSerialQueueName: "slow"))
                    .do(onNext: { _ in
                        if consumed.value % 5 == 0 { usleep(2_000) }
                        consumed.increment()
                    }))
            #expect(await received.ends())
            #expect(difference(received.bytes, bytes) == nil)
            // The hop lets a megabyte wait.
            #expect(most.value >= 1 && most.value <= 20, "\(most.value) chunks were in use")
        }
    }

    @Test("Retained chunks keep their bytes while reading goes on", arguments: Backend.built)
    func keptChunks(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            let bytes = pattern(10_000)
            let path = folder.put(bytes, into: "a")
            // A slice retains the memory of its chunk.
            let received = Received(
                File.read(path, chunkSize: 1_000, window: 2, scheduler: scheduler).map { $0[1..<2] })
            #expect(await received.ends())
            #expect(received.elements.flatMap { Array($0) } == stride(from: 1, to: 10_000, by: 1_000).map { bytes[$0] })
        }
    }

    @Test("A file that is truncated while it is read ends there", arguments: Backend.built)
    func truncated(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            let path = folder.put(pattern(100_000), into: "a")
            let received = Received<[UInt8]>(
                File.read(path, chunkSize: 1_000, scheduler: scheduler).map { Array($0) },
                onNext: { _ in truncate(path, 500) })
            #expect(await received.ends())
            #expect(received.hasCompleted)
            // Chunks that were read before the truncation may have come.
            #expect(received.bytes == Array(pattern(100_000)[..<received.bytes.count]))
            #expect(received.elements.count <= 2)
        }
    }

    @Test("A pipe is read in pieces as they come, also under signals", arguments: Backend.built)
    func pipe(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            // Causes EINTR: the handler does not ask for restarting, and the loop thread gets a signal per piece.
            var action = sigaction()
            action.__sigaction_handler.sa_handler = { _ in }
            var before = sigaction()
            sigaction(SIGUSR1, &action, &before)
            defer { sigaction(SIGUSR1, &before, nil) }
            let ready = OneShot()
            nonisolated(unsafe) var thread = pthread_self()
            _ = scheduler.schedule(()) {
                thread = pthread_self()
                ready.fire()
                return Disposables.create()
            }
            #expect(ready.wait())
            mkfifo(folder["pipe"], 0o600)
            let writer = open(folder["pipe"], O_RDWR | O_CLOEXEC)
            let received = Received.bytes(File.read(folder["pipe"], chunkSize: 100, scheduler: scheduler))
            let bytes = pattern(20_000)
            for start in stride(from: 0, to: bytes.count, by: 40) {
                pthread_kill(thread, SIGUSR1)
                let piece = bytes[start..<start + 40]
                #expect(piece.withUnsafeBytes { write(writer, $0.baseAddress, 40) } == 40)
            }
            #expect(await eventually { received.bytes.count == bytes.count })
            close(writer)
            #expect(await received.ends())
            #expect(received.hasCompleted && received.bytes == bytes)
        }
    }

    @Test("Disposing closes a pipe that stays silent", arguments: Backend.built)
    func silentPipe(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            mkfifo(folder["pipe"], 0o600)
            let writer = open(folder["pipe"], O_RDWR | O_CLOEXEC)
            let before = descriptorCount()
            let received = Received(File.read(folder["pipe"], scheduler: scheduler))
            #expect(await eventually { descriptorCount() == before + 1 })
            received.dispose()
            #expect(await eventually { descriptorCount() == before })
            close(writer)
        }
    }

    @Test("Shutting the loop down ends a waiting read with an error", arguments: Backend.built)
    func shutdown(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            mkfifo(folder["pipe"], 0o600)
            let writer = open(folder["pipe"], O_RDWR | O_CLOEXEC)
            let received = Received(File.read(folder["pipe"], scheduler: scheduler))
            scheduler.shutdown()
            #expect(received.error?.code == ECANCELED)
            close(writer)
        }
    }
}

import Dispatch
import Glibc
@preconcurrency import RxIOUring
@preconcurrency import RxPrimitives
import RxSwift
import TestSupport
import Testing

@Suite struct FileReadTests {
    @Test(arguments: IOUringScheduler.Backend.built)
    func allBytesComeInOrderWhateverTheSizeOfTheFile(_ backend: IOUringScheduler.Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            for size in [0, 1, 999, 1_000, 1_001, 3_000, 100_001] {
                let bytes = pattern(size)
                let path = folder.put(bytes, into: "a")
                let received = Received.bytes(File.read(path, chunkSize: 1_000, scheduler: scheduler))
                #expect(await received.ends())
                #expect(received.hasCompleted)
                #expect(received.bytes == bytes)
                #expect(received.elements.count == (size + 999) / 1_000)
                #expect(received.elements.allSatisfy { !$0.isEmpty && $0.count <= 1_000 })
            }
        }
    }

    @Test(arguments: IOUringScheduler.Backend.built)
    func chunksHaveTheDefaultSizeUnlessToldOtherwise(_ backend: IOUringScheduler.Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            let path = folder.put(pattern(300_000), into: "a")
            let received = Received(File.read(path, scheduler: scheduler).map { $0.count })
            #expect(await received.ends())
            let size = File.defaultChunkSize
            #expect(received.elements == [size, size, 300_000 - 2 * size])
        }
    }

    @Test(arguments: IOUringScheduler.Backend.built)
    func eventsComeOnTheLoopAndTheFileIsClosedBefore(_ backend: IOUringScheduler.Backend) async {
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

    @Test(arguments: IOUringScheduler.Backend.built)
    func filesOfTheKernelThatSayTheyAreEmptyAreRead(_ backend: IOUringScheduler.Backend) async {
        await leavingNothing(backend) { _, scheduler in
            let received = Received.bytes(File.read("/proc/self/maps", chunkSize: 100, scheduler: scheduler))
            #expect(await received.ends())
            #expect(received.hasCompleted && received.bytes.count > 1_000)
        }
    }

    /// C would cut the path off there, and open another file.
    @Test(arguments: IOUringScheduler.Backend.built)
    func aPathWithANULCharacterNamesNoFile(_ backend: IOUringScheduler.Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            let path = folder.put(pattern(10), into: "file") + "\0.txt"
            let sources = [
                File.read(path, scheduler: scheduler),
                File.follow(path, scheduler: scheduler),
                File.write(.just(ByteChunk("x")), to: path, scheduler: scheduler).asObservable().map { _ in
                    ByteChunk("")
                },
            ]
            for source in sources {
                let received = Received(source)
                #expect(await received.ends())
                #expect(received.error == IOError(code: EINVAL, operation: "open", subject: path))
            }
            #expect(folder.bytes(of: "file") == pattern(10))
        }
    }

    @Test(arguments: IOUringScheduler.Backend.built)
    func noSuchFile_aFolder_andNoPermissionAreErrors(_ backend: IOUringScheduler.Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            let missing = Received(File.read(folder["missing"], scheduler: scheduler))
            #expect(await missing.ends())
            #expect(missing.error == IOError(code: ENOENT, operation: "open", subject: folder["missing"]))
            let directory = Received(File.read(folder.path, scheduler: scheduler))
            #expect(await directory.ends())
            #expect(directory.error == IOError(code: EISDIR, operation: "read", subject: folder.path))
            chmod(folder.put(pattern(10), into: "secret"), 0)
            let secret = Received.bytes(File.read(folder["secret"], scheduler: scheduler))
            #expect(await secret.ends())
            if geteuid() != 0 { #expect(secret.error?.code == EACCES) }
        }
    }

    @Test(arguments: IOUringScheduler.Backend.built)
    func aSlowConsumerElsewhereNeverHasMoreThanTheWindow(_ backend: IOUringScheduler.Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            let bytes = pattern(200_000)
            let path = folder.put(bytes, into: "a")
            let emitted = AtomicCounter(0)
            let consumed = AtomicCounter(0)
            let most = AtomicCounter(0)
            let received = Received.bytes(
                File.read(path, chunkSize: 1_000, window: 3, scheduler: scheduler)
                    .do(onNext: { _ in
                        emitted.increment()
                        while most.value < emitted.value - consumed.value { most.increment() }
                    })
                    .observe(on: SerialDispatchQueueScheduler(internalSerialQueueName: "slow"))
                    .do(onNext: { chunk in
                        if consumed.value % 50 == 0 { usleep(2_000) }
                        withExtendedLifetime(chunk) { consumed.increment() }
                    }))
            #expect(await received.ends())
            #expect(received.bytes == bytes)
            #expect(most.value >= 1 && most.value <= 3, "\(most.value) chunks were in use")
        }
    }

    @Test(arguments: IOUringScheduler.Backend.built)
    func readingStopsWhileChunksAreKeptAndGoesOnWhenOneIsLetGo(_ backend: IOUringScheduler.Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            let path = folder.put(pattern(10_000), into: "a")
            let lock = Mutex()
            nonisolated(unsafe) var kept: [ByteChunk] = []
            let received = Received<Int>(
                File.read(path, chunkSize: 1_000, window: 2, scheduler: scheduler).map { chunk in
                    lock.withLock { kept.append(chunk) }
                    return chunk.count
                })
            #expect(await eventually { received.elements.count == 2 })
            for count in 3...10 {
                usleep(1_000)
                #expect(received.elements.count == count - 1)
                // A slice keeps the memory as well.
                var slice: ByteChunk? = lock.withLock { kept.removeFirst()[1..<2] }
                usleep(1_000)
                #expect(received.elements.count == count - 1)
                #expect(slice?.count == 1)
                slice = nil
                #expect(await eventually { received.elements.count == count })
            }
            kept = []
            #expect(await received.ends())
        }
    }

    @Test(arguments: IOUringScheduler.Backend.built)
    func aFileThatIsTruncatedWhileItIsReadEndsThere(_ backend: IOUringScheduler.Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            let path = folder.put(pattern(100_000), into: "a")
            let received = Received<[UInt8]>(
                File.read(path, chunkSize: 1_000, scheduler: scheduler).map { Array($0) },
                onNext: { _ in truncate(path, 500) })
            #expect(await received.ends())
            #expect(received.hasCompleted)
            // What was read ahead when it was truncated may have come.
            #expect(received.bytes == Array(pattern(100_000)[..<received.bytes.count]))
            #expect(received.elements.count <= 2)
        }
    }

    @Test(arguments: IOUringScheduler.Backend.built)
    func aPipeIsReadInPiecesAsTheyComeAlsoUnderSignals(_ backend: IOUringScheduler.Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            // EINTR: a handler that does not ask for restarting, and a signal to the loop's thread at each turn.
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

    @Test(arguments: IOUringScheduler.Backend.built)
    func aPipeThatStaysSilentIsClosedByDispose(_ backend: IOUringScheduler.Backend) async {
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

    @Test(arguments: IOUringScheduler.Backend.built)
    func shutdownEndsAReadThatWaits(_ backend: IOUringScheduler.Backend) async {
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

import Dispatch
import Glibc
@preconcurrency import RxIOUring
@preconcurrency import RxPrimitives
import RxSwift
import TestSupport
import Testing

@Suite struct FileWriteTests {
    private func chunks(_ bytes: [UInt8], of size: Int) -> Observable<ByteChunk> {
        .from(stride(from: 0, to: bytes.count, by: size).map { ByteChunk(bytes[$0..<min($0 + size, bytes.count)]) })
    }

    @Test(arguments: IOUringScheduler.Backend.built)
    func chunksOfAnySizeAreWrittenInOrderAndCounted(_ backend: IOUringScheduler.Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            let bytes = pattern(500_000)
            for size in [7, 1_000, 60_000, 70_000, 500_000] {
                let received = Received(
                    File.write(chunks(bytes, of: size), to: folder["a"], scheduler: scheduler).asObservable())
                #expect(await received.ends())
                #expect(received.elements == [500_000] && received.hasCompleted)
                #expect(folder.bytes(of: "a") == bytes, "in chunks of \(size)")
            }
        }
    }

    @Test(arguments: IOUringScheduler.Backend.built)
    func theFileIsClosedWhenTheNumberComesOnTheLoop(_ backend: IOUringScheduler.Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            let before = descriptorCount()
            nonisolated(unsafe) var log: [Bool] = []
            let received = Received(
                File.write(.just(ByteChunk("abc")), to: folder["a"], synchronize: true, scheduler: scheduler)
                    .do(onSuccess: { log = [$0 == 3, scheduler.isCurrent, descriptorCount() == before] }).asObservable()
            )
            #expect(await received.ends())
            #expect(log == [true, true, true])
        }
    }

    @Test(arguments: IOUringScheduler.Backend.built)
    func modesSayWhatBecomesOfAFileThatIsThere(_ backend: IOUringScheduler.Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            func write(_ text: String, _ mode: File.WriteMode) async -> IOError? {
                let received = Received(
                    File.write(.just(ByteChunk(text)), to: folder["a"], mode: mode, scheduler: scheduler).asObservable()
                )
                #expect(await received.ends())
                return received.error
            }
            #expect(await write("new", .createNew) == nil)
            #expect(await write("x", .createNew) == IOError(code: EEXIST, operation: "open", subject: folder["a"]))
            #expect(await write(" appended", .append) == nil)
            #expect(folder.bytes(of: "a") == Array("new appended".utf8))
            #expect(await write("replaced", .replace) == nil)
            #expect(folder.bytes(of: "a") == Array("replaced".utf8))
        }
    }

    @Test(arguments: IOUringScheduler.Backend.built)
    func permissionsAreThoseOfANewFile(_ backend: IOUringScheduler.Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            let received = Received(
                File.write(.empty(), to: folder["a"], permissions: 0o600, scheduler: scheduler).asObservable())
            #expect(await received.ends())
            #expect(received.elements == [0])
            var status = stat()
            stat(folder["a"], &status)
            #expect(status.st_mode & 0o777 == 0o600 && status.st_size == 0)
        }
    }

    @Test(arguments: IOUringScheduler.Backend.built)
    func whatCannotBeOpenedIsAnErrorAndItsSourceIsNotSubscribedTo(_ backend: IOUringScheduler.Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            let subscribed = AtomicCounter(0)
            let source = Observable<ByteChunk>.never().do(onSubscribe: { subscribed.increment() })
            for (path, code) in [(folder["no/file"], ENOENT), (folder.path, EISDIR)] {
                let received = Received(File.write(source, to: path, scheduler: scheduler).asObservable())
                #expect(await received.ends())
                #expect(received.error == IOError(code: code, operation: "open", subject: path))
            }
            #expect(subscribed.value == 0)
        }
    }

    @Test(arguments: IOUringScheduler.Backend.built)
    func aFullDiskIsAnErrorAndEndsTheSource(_ backend: IOUringScheduler.Backend) async {
        await leavingNothing(backend) { _, scheduler in
            let source = PublishSubject<ByteChunk>()
            let received = Received(File.write(source, to: "/dev/full", scheduler: scheduler).asObservable())
            #expect(await eventually { source.hasObservers })
            source.onNext(ByteChunk("a"))
            #expect(await received.ends())
            #expect(received.error == IOError(code: ENOSPC, operation: "write", subject: "/dev/full"))
            #expect(!source.hasObservers)
        }
    }

    @Test(arguments: IOUringScheduler.Backend.built)
    func anErrorOfTheSourceIsPassedOnWhenWhatCameBeforeIsWritten(_ backend: IOUringScheduler.Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            let bytes = pattern(1_000_000)
            let source = chunks(bytes, of: 100_000).concat(Observable.error(Failure.expected))
            let received = Received(File.write(source, to: folder["a"], scheduler: scheduler).asObservable())
            #expect(await received.ends())
            #expect(received.anyError as? Failure == .expected)
            #expect(folder.bytes(of: "a") == bytes)
        }
    }

    @Test(arguments: IOUringScheduler.Backend.built)
    func chunksFromOtherThreadsAreWrittenInTheirOrder(_ backend: IOUringScheduler.Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            let bytes = pattern(300_000)
            let elsewhere = SerialDispatchQueueScheduler(internalSerialQueueName: "elsewhere")
            let source = chunks(bytes, of: 300).observe(on: elsewhere)
            let received = Received(
                File.write(source, to: folder["a"], synchronize: true, scheduler: scheduler).asObservable())
            #expect(await received.ends())
            #expect(received.elements == [300_000])
            #expect(folder.bytes(of: "a") == bytes)
        }
    }

    /// A write is short at the limit of a file's size, and the one that goes on behind it fails.
    @Test(arguments: IOUringScheduler.Backend.built)
    func aShortWriteAtTheLimitOfTheFilesSizeGoesOnAndFails(_ backend: IOUringScheduler.Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            let limit = 50_000_001
            var before = rlimit()
            getrlimit(__rlimit_resource_t(1), &before)
            var lowered = rlimit(rlim_cur: rlim_t(limit), rlim_max: before.rlim_max)
            signal(SIGXFSZ, SIG_IGN)
            setrlimit(__rlimit_resource_t(1), &lowered)
            defer { setrlimit(__rlimit_resource_t(1), &before) }
            let chunk = ByteChunk([UInt8](repeating: 97, count: 60_000_000))
            let received = Received(File.write(.just(chunk), to: folder["a"], scheduler: scheduler).asObservable())
            #expect(await received.ends())
            #expect(received.error == IOError(code: EFBIG, operation: "write", subject: folder["a"]))
            var status = stat()
            stat(folder["a"], &status)
            #expect(status.st_size == limit)
        }
    }

    /// Writes to a pipe of one page are short all the time.
    @Test(arguments: IOUringScheduler.Backend.built)
    func shortWritesToAPipeGoOnWhereTheyStopped(_ backend: IOUringScheduler.Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            mkfifo(folder["pipe"], 0o600)
            let reader = open(folder["pipe"], O_RDWR | O_CLOEXEC)
            let setPipeSize: CInt = 1031
            _ = fcntl(reader, setPipeSize, 4096)
            let bytes = pattern(300_000)
            let received = Received(
                File.write(chunks(bytes, of: 100_000), to: folder["pipe"], synchronize: true, scheduler: scheduler)
                    .asObservable())
            var found: [UInt8] = []
            var part = [UInt8](repeating: 0, count: 1_000)
            while found.count < bytes.count {
                let count = read(reader, &part, part.count)
                if count <= 0 { break }
                found += part[..<count]
            }
            #expect(await received.ends())
            #expect(received.elements == [300_000] && found == bytes)
            close(reader)
        }
    }

    @Test(arguments: IOUringScheduler.Backend.built)
    func disposeEndsAWriteThatWaitsAndLetsGoOfItsChunks(_ backend: IOUringScheduler.Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            mkfifo(folder["pipe"], 0o600)
            let reader = open(folder["pipe"], O_RDWR | O_CLOEXEC)
            let before = descriptorCount()
            let source = PublishSubject<ByteChunk>()
            let received = Received(File.write(source, to: folder["pipe"], scheduler: scheduler).asObservable())
            #expect(await eventually { source.hasObservers })
            for _ in 0..<10 { source.onNext(ByteChunk([UInt8](repeating: 97, count: 1_000_000))) }
            received.dispose()
            #expect(await eventually { descriptorCount() == before })
            #expect(!source.hasObservers && !received.hasEnded)
            close(reader)
        }
    }

    @Test(arguments: IOUringScheduler.Backend.built)
    func aQueueThatGrowsIsReportedAtEachMultipleOfItsLimit(_ backend: IOUringScheduler.Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            let handler = Hooks.backlogHandler
            defer { Hooks.backlogHandler = handler }
            let lock = Mutex()
            nonisolated(unsafe) var reports: [Int] = []
            Hooks.backlogHandler = { name, count in
                if name.contains(folder["a"]) { lock.withLock { reports.append(count) } }
            }
            // All of it comes within the subscription, on the loop, so that nothing can be written meanwhile.
            let received = Received(
                File.write(
                    chunks(pattern(10_000), of: 100), to: folder["a"], backlogLimit: 2_500, scheduler: scheduler
                ).asObservable())
            #expect(await received.ends())
            #expect(reports == [2_500, 5_000, 7_500, 10_000])
            #expect(received.elements == [10_000])
        }
    }

    @Test(arguments: IOUringScheduler.Backend.built)
    func copyingAFileNeedsTheMemoryOfTheWindowOnly(_ backend: IOUringScheduler.Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            let handler = Hooks.backlogHandler
            defer { Hooks.backlogHandler = handler }
            let reports = AtomicCounter(0)
            Hooks.backlogHandler = { _, _ in reports.increment() }
            let size = 256 << 20
            // Holes, but for its end: bytes that cost no time to make.
            truncate(folder.put([], into: "a"), size)
            folder.append(pattern(1_000), to: "a")
            let chunkSize = 64 << 10
            let memory = residentBytes()
            nonisolated(unsafe) var grown = 0
            let source = File.read(folder["a"], chunkSize: chunkSize, scheduler: scheduler).enumerated()
                .map { index, chunk in
                    if index % 256 == 0 { grown = max(grown, residentBytes() - memory) }
                    return chunk
                }
            // More than the two chunks of the window can never wait.
            let received = Received(
                File.write(source, to: folder["b"], backlogLimit: 2 * chunkSize + 1, scheduler: scheduler)
                    .asObservable())
            #expect(await received.ends())
            #expect(received.elements == [size + 1_000])
            #expect(reports.value == 0)
            #expect(grown < 16 << 20, "\(grown >> 20) MiB more were resident")
            #expect(folder.bytes(of: "b").suffix(1_000) == pattern(1_000)[...])
        }
    }

    /// The sequence is subscribed to on the loop, and never lets it go by itself.
    @Test(arguments: IOUringScheduler.Backend.built)
    func anEndlessSourceIsDisposedOfFromAnotherThread(_ backend: IOUringScheduler.Backend) async throws {
        await leavingNothing(backend) { folder, scheduler in
            let begun = AtomicCounter(0)
            let source = Observable.repeatElement(ByteChunk(EmptyCollection()))
                .do(onNext: { _ in begun.increment() })
            let subscription = File.write(source, to: folder["endless"], scheduler: scheduler).subscribe()
            #expect(await eventually { begun.value > 0 })
            subscription.dispose()
            let isBack = AtomicCounter(0)
            _ = scheduler.schedule(()) {
                isBack.increment()
                return Disposables.create()
            }
            #expect(await eventually { isBack.value == 1 })
        }
    }

    @Test(arguments: IOUringScheduler.Backend.built)
    func anEndlessSourceDoesNotKeepTheLoopFromEnding(_ backend: IOUringScheduler.Backend) async throws {
        await leavingNothing(backend) { folder, scheduler in
            let begun = AtomicCounter(0)
            let source = Observable.repeatElement(ByteChunk(EmptyCollection()))
                .do(onNext: { _ in begun.increment() })
            let received = Received(File.write(source, to: folder["endless"], scheduler: scheduler).asObservable())
            #expect(await eventually { begun.value > 0 })
            scheduler.shutdown()
            #expect(await received.ends())
            #expect((received.error)?.code == ECANCELED)
        }
    }

    private func residentBytes() -> Int {
        guard let file = fopen("/proc/self/statm", "r") else { return 0 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 128)
        guard fgets(&line, 128, file) != nil else { return 0 }
        let fields = line.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }.split(separator: " ")
        return (Int(fields[1]) ?? 0) * Int(getpagesize())
    }
}

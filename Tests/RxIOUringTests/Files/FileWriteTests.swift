// SPDX-License-Identifier: Apache-2.0

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

    @Test(
        "Chunks of any size are written in order and counted",
        arguments: Backend.built, [7, 1_000, 60_000, 70_000, 500_000])
    func anyChunkSize(_ backend: Backend, size: Int) async {
        await leavingNothing(backend) { folder, scheduler in
            let bytes = pattern(500_000)
            let received = Received(
                File.write(chunks(bytes, of: size), to: folder["a"], scheduler: scheduler).asObservable())
            #expect(await received.ends())
            #expect(received.elements == [500_000] && received.hasCompleted)
            #expect(difference(folder.bytes(of: "a"), bytes) == nil)
        }
    }

    @Test("A file without offsets is written to", arguments: Backend.built)
    func withoutOffsets(_ backend: Backend) async {
        await leavingNothing(backend) { _, scheduler in
            let name = File.read("/proc/self/comm", scheduler: scheduler)
            let before = Received.bytes(name)
            #expect(await before.ends())
            let received = Received(
                File.write(.just(ByteChunk(before.bytes)), to: "/proc/self/comm", scheduler: scheduler).asObservable())
            #expect(await received.ends())
            #expect(received.hasCompleted, "\(String(describing: received.error))")
        }
    }

    /// The fault: the file was emptied, cut off or overwritten by the write that had been disposed of, after the next one had succeeded.
    @Test(
        "A write after a disposed one has the file for itself", arguments: Backend.built,
        [File.WriteMode.replace, .append, .replaceAtomically])
    func supersededWrite(_ backend: Backend, _ mode: File.WriteMode) async {
        await leavingNothing(backend) { folder, scheduler in
            let other = IOUringScheduler(backend: backend)
            let (old, new) = ([UInt8](repeating: 1, count: 1 << 20), pattern(100_000))
            for round in 0..<stepCount(200, debug: 40) {
                let first = Received(
                    File.write(
                        .from(Array(repeating: ByteChunk(old), count: 4)), to: folder["a"], mode: mode,
                        scheduler: scheduler
                    )
                    .asObservable())
                usleep(UInt32(round % 20) * 100)
                first.dispose()
                // However the path is spelled.
                let path = folder[["a", "./a", "/a"][round % 3]]
                let second = Received(
                    File.write(
                        .just(ByteChunk(new)), to: path, mode: mode, scheduler: round % 2 == 0 ? scheduler : other
                    )
                    .asObservable())
                #expect(await second.ends())
                let written = folder.bytes(of: "a")
                #expect(second.elements == [new.count] && second.hasCompleted)
                #expect(written.suffix(new.count).elementsEqual(new), "round \(round): \(written.count) bytes")
                if mode != .append { #expect(written.count == new.count) }
                usleep(1_000)
                #expect(folder.bytes(of: "a") == written, "round \(round)")
                folder.remove("a")
            }
            other.shutdown()
        }
    }

    @Test("The number of bytes comes on the loop after the file is closed", arguments: Backend.built)
    func closedBeforeCount(_ backend: Backend) async {
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

    @Test("The mode decides what becomes of an existing file", arguments: Backend.built)
    func modes(_ backend: Backend) async {
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

    @Test("A new file gets the given permissions", arguments: Backend.built)
    func permissions(_ backend: Backend) async {
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

    @Test(
        "A file that cannot be opened is an error, and its source is not subscribed to",
        arguments: Backend.built, [("/no/file", ENOENT), ("", EISDIR)])
    func unopenable(_ backend: Backend, _ fault: (place: String, code: CInt)) async {
        await leavingNothing(backend) { folder, scheduler in
            let subscribed = AtomicCounter(0)
            let source = Observable<ByteChunk>.never().do(onSubscribe: { subscribed.increment() })
            let path = folder.path + fault.place
            let received = Received(File.write(source, to: path, scheduler: scheduler).asObservable())
            #expect(await received.ends())
            #expect(received.error == IOError(code: fault.code, operation: "open", subject: path))
            #expect(subscribed.value == 0)
        }
    }

    @Test("A full disk is an error and ends the subscription to the source", arguments: Backend.built)
    func fullDisk(_ backend: Backend) async {
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

    @Test("An error of the source follows when the chunks before it are written", arguments: Backend.built)
    func sourceError(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            let bytes = pattern(1_000_000)
            let source = chunks(bytes, of: 100_000).concat(Observable.error(Failure.expected))
            let received = Received(File.write(source, to: folder["a"], scheduler: scheduler).asObservable())
            #expect(await received.ends())
            #expect(received.anyError as? Failure == .expected)
            #expect(difference(folder.bytes(of: "a"), bytes) == nil)
        }
    }

    @Test("Chunks from another thread are written in their order", arguments: Backend.built)
    func otherThread(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            let bytes = pattern(300_000)
            let elsewhere = SerialDispatchQueueScheduler(internalSerialQueueName: "elsewhere")
            let source = chunks(bytes, of: 300).observe(on: elsewhere)
            let received = Received(
                File.write(source, to: folder["a"], synchronize: true, scheduler: scheduler).asObservable())
            #expect(await received.ends())
            #expect(received.elements == [300_000])
            #expect(difference(folder.bytes(of: "a"), bytes) == nil)
        }
    }

    @Test("A short write at the limit of the file size is resumed and fails", arguments: Backend.built)
    func fileSizeLimit(_ backend: Backend) async {
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

    /// Each write to a pipe of one page is short.
    @Test("A short write to a pipe is resumed where it stopped", arguments: Backend.built)
    func shortWrites(_ backend: Backend) async {
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

    @Test("Disposing ends a waiting write and releases its chunks", arguments: Backend.built)
    func dispose(_ backend: Backend) async {
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

    /// The backlogs that are reported until `end`.
    private final class Backlogs: Sendable {
        private let counts = Guarded<[Int]>([])
        private nonisolated(unsafe) let usual = Hooks.backlogHandler

        init() { Hooks.backlogHandler = { [counts] _, count in counts.change { $0.append(count) } } }

        var all: [Int] { counts.value }

        func end() { Hooks.backlogHandler = usual }
    }

    @Test("A growing queue is reported at each multiple of its limit", arguments: Backend.built)
    func backlog(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            let backlogs = Backlogs()
            defer { backlogs.end() }
            // All chunks come within the subscription, on the loop, so that the loop can write none meanwhile.
            let received = Received(
                File.write(
                    chunks(pattern(10_000), of: 100), to: folder["a"], backlogLimit: 2_500, scheduler: scheduler
                ).asObservable())
            #expect(await received.ends())
            #expect(backlogs.all == [2_500, 5_000, 7_500, 10_000])
            #expect(received.elements == [10_000])
        }
    }

    /// The fault: each chunk was reported, one by one.
    @Test("A source that pauses is no backlog, however large its chunks are", arguments: Backend.built)
    func largeChunks(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            let backlogs = Backlogs()
            defer { backlogs.end() }
            folder.put(pattern(1_000_000), into: "a")
            let source = File.read(folder["a"], chunkSize: 10_000, scheduler: scheduler)
            let received = Received(
                File.write(source, to: folder["b"], backlogLimit: 1_000, scheduler: scheduler).asObservable())
            #expect(await received.ends())
            #expect(backlogs.all.isEmpty)
            #expect(difference(folder.bytes(of: "b"), pattern(1_000_000)) == nil)
        }
    }

    /// The fault: a queue that grew and shrank was reported each time.
    @Test("A queue that comes to a multiple of its limit again is not reported again", arguments: Backend.built)
    func backlogAgain(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            let backlogs = Backlogs()
            defer { backlogs.end() }
            let source = PublishSubject<ByteChunk>()
            let received = Received(
                File.write(source.asObservable(), to: folder["a"], backlogLimit: 1_000, scheduler: scheduler)
                    .asObservable())
            #expect(await eventually { source.hasObservers })
            for round in 1...5 {
                scheduler.performAndWait {
                    for _ in 0..<12 { source.onNext(ByteChunk(pattern(100))) }
                }
                #expect(await eventually { folder.bytes(of: "a").count == 1_200 * round })
            }
            source.onCompleted()
            #expect(await received.ends())
            // The loop may hear that a round is written only after bytes of the next one came: then a greater multiple is reported.
            #expect(backlogs.all.first == 1_000 && Set(backlogs.all).count == backlogs.all.count)
        }
    }

    @Test("Copying a file takes little memory", arguments: Backend.built)
    func copy(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            let backlogs = Backlogs()
            defer { backlogs.end() }
            let size = 256 << 20
            // The file is a hole up to its last bytes, which costs no time to make.
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
            // The file pauses while half of the limit waits.
            let received = Received(
                File.write(source, to: folder["b"], backlogLimit: 2 * chunkSize + 1, scheduler: scheduler)
                    .asObservable())
            #expect(await received.ends())
            #expect(received.elements == [size + 1_000])
            #expect(backlogs.all.isEmpty)
            if !hasAddressSanitizer { #expect(grown < 16 << 20, "\(grown >> 20) MiB more were resident") }
            #expect(folder.bytes(of: "b").suffix(1_000) == pattern(1_000)[...])
        }
    }

    /// The loop subscribes to the source, whose `subscribe` does not return by itself.
    @Test("Another thread can dispose of the write of an endless source", arguments: Backend.built)
    func endlessSource(_ backend: Backend) async throws {
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

    @Test("An endless source does not keep the loop from ending", arguments: Backend.built)
    func endlessShutdown(_ backend: Backend) async throws {
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
}

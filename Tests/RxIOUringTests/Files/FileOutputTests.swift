// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
@preconcurrency import RxIOUring
@preconcurrency import RxPrimitives
import RxSwift
import TestSupport
import Testing

@Suite(.serialized) struct FileOutputTests {
    /// Emits a chunk that the system cannot read from one of its pages on, among others, while the loop is busy: so chunks behind it are
    /// in the file when the error comes.
    struct BrokenChunk {
        let chunks: [ByteChunk]
        /// The number of bytes before the page.
        let readable: Int
        private let page: UnsafeMutableRawPointer
        private static let pageSize = Int(getpagesize())

        /// - Parameter broken: the index of the chunk that cannot be read.
        init(count: Int, of size: Int, broken: Int) {
            chunks = (0..<count).map { ByteChunk([UInt8](repeating: UInt8(97 + $0), count: size)) }
            let start = chunks[broken].withUnsafeBytes { Int(bitPattern: $0.baseAddress!) }
            let page = (start + size / 2) / Self.pageSize * Self.pageSize
            readable = broken * size + page - start
            self.page = UnsafeMutableRawPointer(bitPattern: page)!
            #expect(mprotect(self.page, Self.pageSize, PROT_NONE) == 0)
        }

        func repair() { #expect(mprotect(page, Self.pageSize, PROT_READ | PROT_WRITE) == 0) }
    }

    /// Compares without the search for differences of `#expect`, which takes hours for some megabytes.
    private func isSame(_ some: [UInt8], _ others: [UInt8]) -> Bool { some == others }

    /// Keeps the loop from looking at its kernel for as long as some writes of a few megabytes take.
    private func occupy(_ scheduler: IOUringScheduler, with body: @escaping @Sendable () -> Void) {
        _ = scheduler.schedule(()) {
            body()
            return Disposables.create()
        }
    }

    @Test("A loop with other work in each turn writes all that waits, not one chunk a turn", arguments: Backend.built)
    func busyLoop(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            let chunk = ByteChunk([UInt8](repeating: 1, count: 64 << 10))
            let turns = AtomicCounter(0)
            let work = Observable<Int>.interval(.milliseconds(1), scheduler: scheduler)
                .subscribe(onNext: { _ in
                    turns.increment()
                    // Long enough for a write to end, also on a busy machine.
                    usleep(10_000)
                })
            let source = Observable.from([ByteChunk](repeating: chunk, count: 1_024))
            let received = Received(File.write(source, to: folder["a"], scheduler: scheduler).asObservable())
            #expect(await received.ends())
            #expect(received.elements == [64 << 20])
            #expect(turns.value < 512, "\(turns.value) turns for 1,024 chunks")
            work.dispose()
        }
    }

    /// Two writes of 4 MiB are under way, and the first one fails in its middle.
    @Test("The file ends where the first byte is missing, also if later bytes were written", arguments: Backend.built)
    func hole(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            let broken = BrokenChunk(count: 3, of: 4 << 20, broken: 0)
            let received = Received(
                File.write(.from(broken.chunks), to: folder["a"], scheduler: scheduler).asObservable())
            occupy(scheduler) { usleep(200_000) }
            #expect(await received.ends())
            #expect(received.error == IOError(code: EFAULT, operation: "write", subject: folder["a"]))
            broken.repair()
            let written = folder.bytes(of: "a")
            #expect(written.count == broken.readable)
            #expect(isSame(written, Array(broken.chunks[0].prefix(written.count))))
        }
    }

    /// The dispose comes when both writes have ended, and the loop does not know that yet.
    @Test("A dispose leaves the bytes up to some place, and none behind it", arguments: Backend.built)
    func disposedHole(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            let broken = BrokenChunk(count: 3, of: 4 << 20, broken: 0)
            let descriptors = descriptorCount()
            let subscription = SingleAssignmentDisposable()
            let ended = AtomicCounter(0)
            let source = Observable.from(broken.chunks).concat(
                Observable<ByteChunk>.deferred {
                    // Runs when the loop has submitted the writes.
                    _ = scheduler.scheduleRelative((), dueTime: .microseconds(300)) {
                        usleep(200_000)
                        subscription.dispose()
                        return Disposables.create()
                    }
                    return .never()
                })
            subscription.setDisposable(
                File.write(source, to: folder["a"], scheduler: scheduler).subscribe { _ in ended.increment() })
            #expect(await eventually { folder.names == ["a"] && descriptorCount() == descriptors })
            broken.repair()
            let written = folder.bytes(of: "a")
            // The simulated kernel may have written a part by then.
            #expect(written.count == broken.readable || backend == .simulated && written.count < broken.readable)
            #expect(isSame(written, Array(broken.chunks[0].prefix(written.count))))
            #expect(ended.value == 0)
        }
    }

    @Test("Writes of an open file before a failed one succeed, and those behind it fail", arguments: Backend.built)
    func openFile(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            let broken = BrokenChunk(count: 4, of: 4 << 20, broken: 2)
            let file = Received(
                File.open(folder["a"], mode: .replace, writeLimit: 64 << 20, scheduler: scheduler).asObservable())
            #expect(await file.ends())
            let opened = file.take()[0]
            let writes = broken.chunks.map { Received(opened.write($0).asObservable()) }
            occupy(scheduler) { usleep(200_000) }
            for write in writes { #expect(await write.ends()) }
            broken.repair()
            let error = IOError(
                code: EFAULT, operation: "write", subject: "\(folder["a"]) at offset \(broken.readable)")
            #expect(writes.map(\.error) == [nil, nil, error, error])
            #expect(folder.bytes(of: "a").count == broken.readable)
            let late = Received(opened.write(ByteChunk("x")).asObservable())
            #expect(await late.ends() && late.error == error)
            let closed = Received(opened.close().asObservable())
            #expect(await closed.ends() && closed.error == error)
        }
    }

    @Test("A shutdown writes the chunks that were accepted", arguments: Backend.built, File.WriteMode.allCases)
    func shutdown(_ backend: Backend, _ mode: File.WriteMode) async {
        await leavingNothing(backend) { folder, scheduler in
            let pieces = (0..<8).map { pattern(1_000 + $0) + [UInt8](repeating: UInt8($0), count: 1 << 20) }
            let chunks = pieces.map { ByteChunk($0) }
            let bytes = pieces.reduce(into: []) { $0 += $1 }
            let source = PublishSubject<ByteChunk>()
            let received = Received(
                File.write(source, to: folder["a"], mode: mode, synchronize: true, scheduler: scheduler).asObservable())
            #expect(await eventually { source.hasObservers })
            // The loop has told the kernel nothing of the chunks when it is shut down.
            occupy(scheduler) {
                for chunk in chunks { source.onNext(chunk) }
                source.onCompleted()
                scheduler.shutdown(draining: .seconds(60))
            }
            #expect(await received.ends())
            #expect(received.elements == [bytes.count])
            #expect(isSame(folder.bytes(of: "a"), bytes))
            #expect(folder.names == ["a"])
        }
    }

    @Test("A shutdown without a source's end fails, and leaves what was accepted", arguments: Backend.built)
    func openShutdown(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            let source = PublishSubject<ByteChunk>()
            let received = Received(File.write(source, to: folder["a"], scheduler: scheduler).asObservable())
            #expect(await eventually { source.hasObservers })
            let pieces = (0..<6).map { [UInt8](repeating: $0, count: 1 << 19) }
            for piece in pieces { source.onNext(ByteChunk(piece)) }
            let bytes = pieces.reduce(into: []) { $0 += $1 }
            scheduler.shutdown(draining: .seconds(60))
            #expect(received.error?.code == ECANCELED)
            #expect(isSame(folder.bytes(of: "a"), bytes))
        }
    }

    /// Another part of the program closes the descriptor, which is the only way to make `close` fail on a local disk.
    @Test("An error of close is reported", arguments: Backend.built)
    func closeError(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            let source = PublishSubject<ByteChunk>()
            let received = Received(File.write(source, to: folder["a"], scheduler: scheduler).asObservable())
            #expect(await eventually { source.hasObservers })
            #expect(folder.closeDescriptor(of: "a"))
            source.onCompleted()
            #expect(await received.ends())
            #expect(received.error == IOError(code: EBADF, operation: "close", subject: folder["a"]))
        }
    }
}

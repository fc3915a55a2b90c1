// SPDX-License-Identifier: Apache-2.0

import Glibc
@preconcurrency import RxIOUring
import RxSwift
import TestSupport
import Testing

@Suite struct FileOpeningTests {
    enum Access: CaseIterable, Sendable {
        case read, write

        func stream(_ path: String, _ scheduler: IOUringScheduler) -> Observable<[UInt8]> {
            switch self {
            case .read: File.read(path, scheduler: scheduler).map { Array($0) }
            case .write:
                File.write(.just(ByteChunk("hello")), to: path, scheduler: scheduler).asObservable().map { [UInt8($0)] }
            }
        }
    }

    /// Whether the loop runs work within a second.
    private func isAlive(_ scheduler: IOUringScheduler) -> Bool {
        let ran = OneShot()
        _ = scheduler.schedule(()) {
            ran.fire()
            return Disposables.create()
        }
        return ran.wait(seconds: 1)
    }

    @Test(
        "A pipe without its other end keeps no other work of the loop waiting", arguments: Backend.built,
        Access.allCases)
    func alonePipe(_ backend: Backend, _ access: Access) async {
        await leavingNothing(backend) { folder, scheduler in
            mkfifo(folder["pipe"], 0o600)
            let received = (0..<20).map { _ in Received(access.stream(folder["pipe"], scheduler)) }
            usleep(20_000)
            #expect(isAlive(scheduler))
            let file = Received.bytes(File.read(folder.put(pattern(10), into: "a"), scheduler: scheduler))
            #expect(await file.ends())
            #expect(difference(file.bytes, pattern(10)) == nil)
            for one in received {
                #expect(!one.hasEnded)
                one.dispose()
            }
            #expect(isAlive(scheduler))
        }
    }

    @Test("A dispose closes a pipe that waits for its writer", arguments: Backend.built)
    func dispose(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            mkfifo(folder["pipe"], 0o600)
            let before = descriptorCount()
            let received = Received(Access.read.stream(folder["pipe"], scheduler))
            #expect(await eventually { descriptorCount() == before + 1 })
            received.dispose()
            #expect(await eventually { descriptorCount() == before })
        }
    }

    @Test("A shutdown ends a stream whose pipe has no other end", arguments: Backend.built, Access.allCases)
    func shutdown(_ backend: Backend, _ access: Access) async {
        await leavingNothing(backend) { folder, scheduler in
            mkfifo(folder["pipe"], 0o600)
            let received = Received(access.stream(folder["pipe"], scheduler))
            #expect(isAlive(scheduler))
            scheduler.shutdown()
            #expect(received.error?.code == ECANCELED)
        }
    }

    /// The child writes as a program does that knows nothing of this one.
    @Test("A pipe is read from its first writer on", arguments: Backend.built)
    func laterWriter(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            mkfifo(folder["pipe"], 0o600)
            let received = Received(Access.read.stream(folder["pipe"], scheduler))
            #expect(isAlive(scheduler))
            let writer = open(folder["pipe"], O_WRONLY | O_CLOEXEC)
            usleep(20_000)
            #expect(!received.hasEnded)
            #expect(write(writer, "one", 3) == 3)
            #expect(await received.becomes("one"))
            usleep(20_000)
            #expect(write(writer, "two", 3) == 3)
            #expect(await received.becomes("onetwo"))
            #expect(!received.hasEnded)
            close(writer)
            #expect(await received.ends())
            #expect(received.hasCompleted)
        }
    }

    @Test("A writer that writes nothing ends the stream", arguments: Backend.built)
    func silentWriter(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            mkfifo(folder["pipe"], 0o600)
            let received = Received(Access.read.stream(folder["pipe"], scheduler))
            #expect(isAlive(scheduler))
            close(open(folder["pipe"], O_WRONLY | O_CLOEXEC))
            #expect(await received.ends())
            #expect(received.hasCompleted && received.bytes.isEmpty)
        }
    }

    @Test("A pipe is written to when its reader has come", arguments: Backend.built, File.WriteMode.allCases)
    func laterReader(_ backend: Backend, _ mode: File.WriteMode) async {
        await leavingNothing(backend) { folder, scheduler in
            mkfifo(folder["pipe"], 0o600)
            let received = Received(
                File.write(.just(ByteChunk("hello")), to: folder["pipe"], mode: mode, scheduler: scheduler)
                    .asObservable())
            if mode == .createNew || mode == .replaceAtomically {
                #expect(await received.ends())
                // Only a regular file can be replaced.
                let code = mode == .createNew ? EEXIST : EINVAL
                #expect(received.error == IOError(code: code, operation: "open", subject: folder["pipe"]))
                return
            }
            usleep(50_000)
            #expect(!received.hasEnded)
            let reader = open(folder["pipe"], O_RDONLY | O_CLOEXEC)
            var bytes: [UInt8] = []
            var byte: UInt8 = 0
            while read(reader, &byte, 1) == 1 { bytes.append(byte) }
            #expect(bytes == Array("hello".utf8))
            #expect(await received.ends())
            #expect(received.elements == [5])
            close(reader)
        }
    }

    @Test("A regular file that takes the name of a pipe without a reader is written to", arguments: Backend.built)
    func replacedPipe(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            mkfifo(folder["pipe"], 0o600)
            let received = Received(Access.write.stream(folder["pipe"], scheduler))
            #expect(isAlive(scheduler))
            folder.put(pattern(100), into: "file")
            folder.rename("file", to: "pipe")
            #expect(await received.ends())
            #expect(folder.bytes(of: "pipe") == Array("hello".utf8))
        }
    }

    @Test("A directory is no file to be read", arguments: Backend.built)
    func directory(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            for mode in File.OpenMode.allCases where mode != .createNew {
                let opened = Received(File.open(folder.path, mode: mode, scheduler: scheduler).asObservable())
                #expect(await opened.ends())
                #expect(opened.error == IOError(code: EISDIR, operation: "open", subject: folder.path))
            }
        }
    }

    /// The fault: such a file was unusable after a synchronization.
    @Test(
        "A device or a pipe, which has nothing to put on a disk, is synchronized", arguments: Backend.built,
        [true, false])
    func synchronizedDevice(_ backend: Backend, isPipe: Bool) async {
        await leavingNothing(backend) { folder, scheduler in
            mkfifo(folder["pipe"], 0o600)
            let reader = Glibc.open(folder["pipe"], O_RDWR | O_CLOEXEC)
            defer { close(reader) }
            let path = isPipe ? folder["pipe"] : "/dev/zero"
            let requests = File.open(path, mode: .append, scheduler: scheduler).asObservable().flatMap { file in
                file.write(ByteChunk("x")).andThen(file.sync()).andThen(file.write(ByteChunk("y"))).andThen(
                    file.close()
                ).asObservable()
            }
            let received = Received<Never>(requests)
            #expect(await received.ends() && received.hasCompleted)
        }
    }

    @Test("Devices and files of the kernel are opened", arguments: Backend.built)
    func devices(_ backend: Backend) async {
        await leavingNothing(backend) { _, scheduler in
            let zeros = Received.bytes(File.read("/dev/zero", chunkSize: 100, scheduler: scheduler).take(2))
            #expect(await zeros.ends())
            #expect(zeros.bytes == [UInt8](repeating: 0, count: 200))
            let nothing = Received(Access.write.stream("/dev/null", scheduler))
            #expect(await nothing.ends())
            #expect(nothing.elements == [[5]])
            let empty = Received(Access.read.stream("/dev/null", scheduler))
            #expect(await empty.ends())
            #expect(empty.hasCompleted && empty.bytes.isEmpty)
        }
    }

    /// A thread that is stuck, as with a network mount whose server is gone.
    @Test("Threads that are stuck in opening files keep the loop from nothing", arguments: Backend.built)
    func stuckThreads(_ backend: Backend) async {
        let pool = BlockingPool(name: "test", limit: 1)
        let isOpen = OneShot()
        _ = pool.submit(ClosureTask { _ = isOpen.wait() })
        await leavingNothing(backend) { folder, _ in
            var configuration = IOUringScheduler.Configuration(backend: backend)
            configuration.files = pool
            let scheduler = IOUringScheduler(configuration)
            // From memory the kernel opens no device, makes no file, and does not know a path for which no process has asked.
            let read = Received(Access.read.stream("/dev/null", scheduler))
            let written = Received(Access.write.stream(folder["new"], scheduler))
            let followed = Received(File.follow(folder["missing"], scheduler: scheduler))
            #expect(isAlive(scheduler))
            let file = Received.bytes(File.read(folder.put(pattern(10), into: "a"), scheduler: scheduler))
            #expect(await file.ends())
            #expect(!read.hasEnded && !written.hasEnded && !followed.hasEnded)
            read.dispose()
            let other = Received(Access.read.stream("/dev/zero", scheduler))
            #expect(isAlive(scheduler))
            scheduler.shutdown()
            #expect(
                written.error?.code == ECANCELED && followed.error?.code == ECANCELED && other.error?.code == ECANCELED)
            isOpen.fire()
            // A thread that ends the work which waits would make the file.
            let last = OneShot()
            _ = pool.submit(ClosureTask { last.fire() })
            #expect(last.wait())
            #expect(access(folder["new"], F_OK) != 0)
        }
    }

    @Test("A file that a thread opens after the dispose is closed", arguments: Backend.built)
    func disposeRace(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            for round in 0..<500 {
                let received = Received(Access.read.stream("/dev/null", scheduler))
                let written = Received(Access.write.stream(folder["a"], scheduler))
                if round % 2 == 0 { #expect(isAlive(scheduler)) }
                jitter(round)
                received.dispose()
                written.dispose()
            }
        }
    }

    @Test("A file cannot be opened when the system has had no thread for a second", arguments: Backend.built)
    func noThread(_ backend: Backend) async {
        await leavingNothing(backend) { folder, _ in
            var configuration = IOUringScheduler.Configuration(backend: backend)
            configuration.files = BlockingPool(name: "test", limit: 4) { _ in EAGAIN }
            let scheduler = IOUringScheduler(configuration)
            func expected(_ path: String) -> IOError {
                IOError(code: EAGAIN, operation: "pthread_create", subject: path)
            }
            let read = Received(Access.read.stream("/dev/null", scheduler))
            let written = Received(Access.write.stream(folder["new"], scheduler))
            let followed = Received(File.follow(folder["missing"], scheduler: scheduler))
            #expect(isAlive(scheduler))
            #expect(await read.ends())
            #expect(await written.ends())
            #expect(await followed.ends())
            #expect(read.error == expected("/dev/null"))
            #expect(followed.error == expected(folder["missing"]))
            #expect(written.error == expected(folder["new"]))
            // A path that is in memory needs no thread.
            let file = Received.bytes(File.read(folder.put(pattern(10), into: "a"), scheduler: scheduler))
            #expect(await file.ends())
            #expect(difference(file.bytes, pattern(10)) == nil)
            scheduler.shutdown()
        }
    }
}

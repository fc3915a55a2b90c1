// SPDX-License-Identifier: Apache-2.0

import CRxIOUring
import CTestSupport
import Foundation
import Glibc
import RxIOUring
import RxSwift
import TestSupport
import Testing

@Suite struct DescriptorStreamTests {
    @Test("Chunks come until the writer closes", arguments: Backend.built)
    func untilClose(_ backend: Backend) throws {
        try onLoop(backend) { scheduler in
            let (readEnd, writeEnd) = try DescriptorStream.makePipe()
            let receiver = DescriptorStream.read(readEnd, closesWhenDone: true, scheduler: scheduler).received()
            write(writeEnd, "one", 3)
            #expect(soon { receiver.text == "one" })
            write(writeEnd, "two", 3)
            close(writeEnd)
            #expect(receiver.wait())
            #expect(receiver.text == "onetwo")
            #expect(receiver.isCompleted)
        }
    }

    /// The fault: a terminal without a reader reports that it can be written to, and blocks the writer.
    @Test("Writing to a terminal without a reader blocks no loop", arguments: Backend.built)
    func unreadTerminal(_ backend: Backend) throws {
        try onLoop(backend) { scheduler in
            var (terminal, otherSide): (CInt, CInt) = (-1, -1)
            try #require(rx_test_make_terminal(&terminal, &otherSide) == 0)
            let bytes = [UInt8](repeating: 97, count: 200_000)
            let written = Receiver(
                DescriptorStream.write(.just(ByteChunk(bytes)), to: terminal, scheduler: scheduler).asObservable())
            for _ in 0..<5 {
                usleep(20_000)
                let ran = OneShot()
                scheduler.run { ran.fire() }
                #expect(ran.wait(seconds: 5))
            }
            var count = 0
            var buffer = [UInt8](repeating: 0, count: 4_096)
            while count < bytes.count {
                let more = read(otherSide, &buffer, buffer.count)
                if more <= 0 { break }
                count += more
            }
            #expect(count == bytes.count)
            #expect(written.wait() && written.isCompleted)
            close(terminal)
            close(otherSide)
        }
    }

    /// The fault: epoll wrote byte by byte, as to a terminal, and an eventfd takes eight at a time.
    @Test("A descriptor of messages gets a chunk as it is", arguments: Backend.built)
    func eventDescriptor(_ backend: Backend) throws {
        onLoop(backend) { scheduler in
            let counter = rx_eventfd_make()
            _ = fcntl(counter, F_SETFL, 0)
            let one = ByteChunk([1, 0, 0, 0, 0, 0, 0, 0])
            let written = Receiver(
                DescriptorStream.write(.of(one, one), to: counter, scheduler: scheduler).asObservable())
            #expect(written.wait() && written.isCompleted)
            var count: UInt64 = 0
            #expect(read(counter, &count, 8) == 8 && count == 2)
            close(counter)
        }
    }

    @Test("The flags of the open file do not change", arguments: Backend.built, [0, O_NONBLOCK])
    func openFlags(_ backend: Backend, flags: CInt) throws {
        try onLoop(backend) { scheduler in
            let (readEnd, writeEnd) = try DescriptorStream.makePipe()
            for end in [readEnd, writeEnd] { _ = fcntl(end, F_SETFL, fcntl(end, F_GETFL) | flags) }
            let before = [fcntl(readEnd, F_GETFL), fcntl(writeEnd, F_GETFL)]
            let chunks = PublishSubject<ByteChunk>()
            let receiver = DescriptorStream.read(readEnd, scheduler: scheduler).received()
            let written = Receiver(
                DescriptorStream.write(chunks, to: writeEnd, scheduler: scheduler).asObservable())
            chunks.onNext(ByteChunk("text"))
            #expect(soon { receiver.text == "text" })
            #expect([fcntl(readEnd, F_GETFL), fcntl(writeEnd, F_GETFL)] == before)
            chunks.onCompleted()
            #expect(written.wait() && written.isCompleted)
            receiver.dispose()
            #expect(receiver.wait())
            #expect([fcntl(readEnd, F_GETFL), fcntl(writeEnd, F_GETFL)] == before)
            close(readEnd)
            close(writeEnd)
        }
    }

    @Test("A shortage of descriptors has its own error", arguments: [3, 64], Backend.built)
    func noDescriptors(_ limit: rlim_t, _ backend: Backend) {
        onLoop(backend) { scheduler in
            #expect(scheduler.performAndWait { true })
            var old = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &old)
            var few = rlimit(rlim_cur: limit, rlim_max: old.rlim_max)
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &few)
            var taken: [CInt] = []
            while case let fd = dup(0), fd >= 0 { taken.append(fd) }
            let receiver = DescriptorStream.read(0, scheduler: scheduler).received()
            for fd in taken { close(fd) }
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &old)
            #expect(receiver.wait())
            #expect(receiver.error as? IOError == IOError(code: EMFILE, operation: "dup", subject: "descriptor 0"))
        }
    }

    @Test("The caller may close the descriptor after subscribing", arguments: Backend.built)
    func closedByCaller(_ backend: Backend) throws {
        try onLoop(backend) { scheduler in
            let (readEnd, writeEnd) = try DescriptorStream.makePipe()
            let receiver = DescriptorStream.read(readEnd, scheduler: scheduler).received()
            let written = DescriptorStream.write(.just(ByteChunk("text")), to: writeEnd, scheduler: scheduler)
            _ = written.subscribe()
            close(readEnd)
            close(writeEnd)
            #expect(receiver.wait())
            #expect(receiver.text == "text" && receiver.isCompleted)
        }
    }

    /// The fault: a write to a pipe without readers raises SIGPIPE, whose default action would end this process.
    @Test("Writing to a pipe without readers is an error and raises no signal", arguments: Backend.built)
    func noReaders(_ backend: Backend) throws {
        let before = signal(SIGPIPE, SIG_DFL)
        defer { signal(SIGPIPE, before) }
        try onLoop(backend) { scheduler in
            let (readEnd, writeEnd) = try DescriptorStream.makePipe()
            close(readEnd)
            let written = Receiver(
                DescriptorStream.write(
                    .just(ByteChunk("text")), to: writeEnd, closesWhenDone: true, scheduler: scheduler
                ).asObservable())
            #expect(written.wait())
            #expect(
                written.error as? IOError == IOError(code: EPIPE, operation: "write", subject: "descriptor \(writeEnd)")
            )
        }
    }

    @Test("A waiting write fails when the last reader leaves", arguments: Backend.built)
    func leavingReader(_ backend: Backend) throws {
        let before = signal(SIGPIPE, SIG_DFL)
        defer { signal(SIGPIPE, before) }
        try onLoop(backend) { scheduler in
            let (readEnd, writeEnd) = try DescriptorStream.makePipe(capacity: 4096)
            let written = Receiver(
                DescriptorStream.write(
                    .just(ByteChunk([UInt8](repeating: 7, count: 100_000))), to: writeEnd, closesWhenDone: true,
                    scheduler: scheduler
                ).asObservable())
            var byte: UInt8 = 0
            #expect(read(readEnd, &byte, 1) == 1)
            close(readEnd)
            #expect(written.wait())
            #expect((written.error as? IOError)?.code == EPIPE)
        }
    }

    /// The fault: the second subscription read from, and closed, what had the number by then.
    @Test("A descriptor that was taken over is taken over once", arguments: Backend.built, [false, true])
    func takenOnce(_ backend: Backend, _ reads: Bool) throws {
        try onLoop(backend) { scheduler in
            let (readEnd, writeEnd) = try DescriptorStream.makePipe()
            let fd = reads ? readEnd : writeEnd
            let stream =
                reads
                ? DescriptorStream.read(fd, closesWhenDone: true, scheduler: scheduler).ignoreElements().asObservable()
                : DescriptorStream.write(.empty(), to: fd, closesWhenDone: true, scheduler: scheduler).asObservable()
            if reads { close(writeEnd) }
            #expect(Receiver(stream).wait())
            #expect(waitUntil { fcntl(fd, F_GETFD) == -1 })
            // The number of another file.
            #expect(dup2(open("/dev/zero", O_RDWR), fd) == fd)
            for _ in 0..<2 {
                let again = Receiver(stream)
                #expect(again.wait())
                #expect(
                    again.error as? IOError
                        == IOError(code: EBUSY, operation: "take over", subject: "descriptor \(fd)"))
            }
            #expect(fcntl(fd, F_GETFD) != -1)
            close(fd)
            if !reads { close(readEnd) }
        }
    }

    /// The fault: the pipe holds one page, so that writes are short.
    @Test("Every byte passes through a small pipe in order", arguments: Backend.built)
    func smallPipe(_ backend: Backend) throws {
        try onLoop(backend) { scheduler in
            let (readEnd, writeEnd) = try DescriptorStream.makePipe(capacity: 4096)
            let chunks = (0..<50).map { number in
                ByteChunk((0..<20_011).map { UInt8(truncatingIfNeeded: $0 / 7 + number) })
            }
            let receiver = DescriptorStream.read(
                readEnd, closesWhenDone: true, chunkSize: 1_000, scheduler: scheduler
            ).received()
            let written = Receiver(
                DescriptorStream.write(.from(chunks), to: writeEnd, closesWhenDone: true, scheduler: scheduler)
                    .asObservable())
            #expect(receiver.wait() && written.wait())
            #expect(written.isCompleted && receiver.isCompleted)
            #expect(receiver.bytes == chunks.flatMap { Array($0) })
        }
    }

    @Test("A reader that is paused stops the writer", arguments: Backend.built)
    func pausedReader(_ backend: Backend) throws {
        try onLoop(backend) { scheduler in
            let (readEnd, writeEnd) = try DescriptorStream.makePipe(capacity: 65_536)
            _ = fcntl(writeEnd, F_SETFL, O_NONBLOCK)
            let queue = BlockedQueue()
            let receiver = Receiver(
                DescriptorStream.read(readEnd, closesWhenDone: true, chunkSize: 65_536, scheduler: scheduler)
                    .observe(on: queue.scheduler).map(\.count))
            let page = [UInt8](repeating: 1, count: 4096)
            var total = 0
            // Waits until the pipe takes no more bytes for a while.
            var quiet = 0
            while quiet < 50, total < 10_000_000 {
                let count = write(writeEnd, page, page.count)
                if count > 0 { (total, quiet) = (total + count, 0) } else { quiet += 1 }
                usleep(count > 0 ? 0 : 2_000)
            }
            // The pipe, and what the hop lets wait.
            #expect(total <= 65_536 + 20 * 65_536)
            queue.open()
            #expect(soon { receiver.elements.reduce(0, +) == total })
            close(writeEnd)
            #expect(receiver.wait() && receiver.isCompleted)
        }
    }

    @Test("Reading a terminal leaves its flags as they were", arguments: Backend.built)
    func terminal(_ backend: Backend) {
        onLoop(backend) { scheduler in
            var terminal: CInt = -1
            var master: CInt = -1
            #expect(rx_test_make_terminal(&terminal, &master) == 0)
            let flags = fcntl(terminal, F_GETFL)
            let receiver = DescriptorStream.read(terminal, scheduler: scheduler).received()
            write(master, "line\n", 5)
            #expect(soon { receiver.text == "line\n" })
            let written = Receiver(
                DescriptorStream.write(.just(ByteChunk("answer\n")), to: terminal, scheduler: scheduler).asObservable())
            #expect(written.wait() && written.isCompleted)
            // A waiting read does not block the loop, and can be disposed of.
            #expect(scheduler.performAndWait { true })
            receiver.dispose()
            #expect(receiver.wait())
            #expect(fcntl(terminal, F_GETFL) == flags)
            close(terminal)
            close(master)
        }
    }

    @Test("A file is read from its current position to its end", arguments: Backend.built)
    func file(_ backend: Backend) {
        onLoop(backend) { scheduler in
            var name = Array("/tmp/rx-descriptor-XXXXXX".utf8CString)
            let file = mkstemp(&name)
            unlink(name)
            let written = Receiver(
                DescriptorStream.write(.of(ByteChunk("some "), ByteChunk("text")), to: file, scheduler: scheduler)
                    .asObservable())
            #expect(written.wait() && written.isCompleted)
            #expect(lseek(file, 0, SEEK_CUR) == 9)
            lseek(file, 2, SEEK_SET)
            let receiver = DescriptorStream.read(
                file, closesWhenDone: true, chunkSize: 3, scheduler: scheduler
            ).received()
            #expect(receiver.wait() && receiver.isCompleted)
            #expect(receiver.text == "me text")
        }
    }

    @Test("Devices and sockets are streams, too", arguments: Backend.built)
    func devices(_ backend: Backend) {
        onLoop(backend) { scheduler in
            let null = Receiver(
                DescriptorStream.read(open("/dev/null", O_RDONLY), closesWhenDone: true, scheduler: scheduler))
            let zeros = Receiver(
                DescriptorStream.read(
                    open("/dev/zero", O_RDONLY), closesWhenDone: true, chunkSize: 1_000, scheduler: scheduler
                ).map(\.count).take(5))
            let ends = socketPair()
            let socket = DescriptorStream.read(ends[0], closesWhenDone: true, scheduler: scheduler).received()
            _ = DescriptorStream.write(
                .just(ByteChunk("text")), to: ends[1], closesWhenDone: true, scheduler: scheduler
            )
            .subscribe()
            #expect(null.wait() && null.isCompleted && null.elements.isEmpty)
            #expect(zeros.wait() && zeros.elements == [1_000, 1_000, 1_000, 1_000, 1_000])
            #expect(socket.wait() && socket.text == "text")
        }
    }

    @Test("An error of the source follows when the chunks before it are written", arguments: Backend.built)
    func sourceError(_ backend: Backend) throws {
        try onLoop(backend) { scheduler in
            let (readEnd, writeEnd) = try DescriptorStream.makePipe()
            let chunks = Observable.concat([.just(ByteChunk("text")), .error(Failure.expected)])
            let written = Receiver(
                DescriptorStream.write(chunks, to: writeEnd, closesWhenDone: true, scheduler: scheduler).asObservable())
            #expect(written.wait())
            #expect(written.error as? Failure == .expected)
            let receiver = DescriptorStream.read(readEnd, closesWhenDone: true, scheduler: scheduler).received()
            #expect(receiver.wait() && receiver.text == "text")
        }
    }

    @Test("Disposing ends a waiting stream and closes its descriptor", arguments: Backend.built)
    func dispose(_ backend: Backend) throws {
        try onLoop(backend) { scheduler in
            let (readEnd, writeEnd) = try DescriptorStream.makePipe(capacity: 4096)
            let source = PublishSubject<ByteChunk>()
            let written = Receiver(
                DescriptorStream.write(source, to: writeEnd, closesWhenDone: true, scheduler: scheduler).asObservable())
            for _ in 0..<10 { source.onNext(ByteChunk([UInt8](repeating: 7, count: 10_000))) }
            #expect(scheduler.performAndWait { true })
            written.dispose()
            #expect(soon { !source.hasObservers })
            let other = try DescriptorStream.makePipe()
            let waiting = DescriptorStream.read(other.readEnd, closesWhenDone: true, scheduler: scheduler).received()
            #expect(scheduler.performAndWait { true })
            waiting.dispose()
            #expect(soon { fcntl(writeEnd, F_GETFD) < 0 && fcntl(other.readEnd, F_GETFD) < 0 })
            close(other.writeEnd)
            close(readEnd)
        }
    }

    @Test("A descriptor that is not open is an error", arguments: Backend.built, [false, true])
    func notOpen(_ backend: Backend, closesWhenDone: Bool) throws {
        onLoop(backend) { scheduler in
            let receiver = DescriptorStream.read(
                12_345, closesWhenDone: closesWhenDone, scheduler: scheduler
            ).received()
            #expect(receiver.wait())
            let error = receiver.error as? IOError
            #expect(error?.code == EBADF)
            #expect(error?.operation == (closesWhenDone ? "fstat" : "dup"))
            #expect(error?.subject == "descriptor 12345")
        }
    }

    /// The faults: the loop ends while a stream waits, and has ended before another one begins.
    @Test("A shutdown fails streams and closes the descriptors that they own", arguments: Backend.built)
    func shutdown(_ backend: Backend) throws {
        try onLoop(backend) { scheduler in
            let (readEnd, writeEnd) = try DescriptorStream.makePipe()
            let receiver = DescriptorStream.read(readEnd, closesWhenDone: true, scheduler: scheduler).received()
            #expect(scheduler.performAndWait { true })
            scheduler.shutdown()
            #expect(receiver.wait())
            #expect((receiver.error as? IOError)?.code == ECANCELED)
            let late = Receiver(
                DescriptorStream.write(.never(), to: writeEnd, closesWhenDone: true, scheduler: scheduler)
                    .asObservable())
            #expect(late.wait())
            #expect((late.error as? IOError)?.code == ECANCELED)
        }
    }
}

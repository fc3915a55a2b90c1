// SPDX-License-Identifier: Apache-2.0

import CTestSupport
import Glibc
import RxIOUring
import RxSwift
import TestSupport
import Testing

/// A process to which the system gives no more threads, as that of a user with `ulimit -u`. The kernel has none for io_uring then, either.
@Suite(.enabled(if: getuid() == 0)) struct ThreadShortageTests {
    /// The fault: the kernel, without a thread for it, cancelled each write, and reads of what it does not have in memory.
    @Test("A file is read and written though the system has no thread")
    func files() async {
        await #expect(processExitsWith: .success) {
            let folder = TemporaryFolder()
            let bytes = pattern(6_000_000)
            let path = folder.put(bytes, into: "a")
            chmod(folder.path, 0o755)
            chmod(folder.put([0], into: "b"), 0o666)
            let scheduler = loopWithoutThreads()
            let received = Received.bytes(File.read(path, chunkSize: 2 << 20, scheduler: scheduler))
            let hasEnded = await received.ends()
            precondition(hasEnded && received.hasCompleted, "\(String(describing: received.error))")
            precondition(received.bytes == bytes)
            let chunks = Observable.of(ByteChunk([1, 2]), ByteChunk([3]))
            let written = Receiver(
                File.write(chunks, to: folder["b"], mode: .append, scheduler: scheduler).asObservable())
            precondition(written.wait() && written.elements == [3], "\(String(describing: written.error))")
        }
    }

    /// The fault: the kernel, without a thread for them, cancelled reads and writes that it cannot tell not to wait.
    @Test("Terminals and devices are read and written though the system has no thread")
    func descriptors() async {
        await #expect(processExitsWith: .success) {
            let null = open("/dev/null", O_RDWR)
            var (terminal, otherSide): (CInt, CInt) = (-1, -1)
            precondition(rx_test_make_terminal(&terminal, &otherSide) == 0)
            let scheduler = loopWithoutThreads()

            let nothing = DescriptorStream.read(null, scheduler: scheduler).received()
            precondition(nothing.wait() && nothing.isCompleted, "\(String(describing: nothing.error))")
            let dropped = Receiver(
                DescriptorStream.write(.just(ByteChunk("x")), to: null, scheduler: scheduler).asObservable())
            precondition(dropped.wait() && dropped.isCompleted, "\(String(describing: dropped.error))")

            let received = DescriptorStream.read(terminal, scheduler: scheduler).received()
            for word in ["one\n", "two\n"] {
                usleep(20_000)
                precondition(write(otherSide, word, 4) == 4)
            }
            precondition(
                soon { received.text == "one\ntwo\n" }, "\(received.text) \(String(describing: received.error))")
            let bytes = [UInt8](repeating: 97, count: 20_000)
            let written = Receiver(
                DescriptorStream.write(.just(ByteChunk(bytes)), to: terminal, scheduler: scheduler).asObservable())
            var buffer = [UInt8](repeating: 0, count: 4_096)
            var count = 0
            while count < bytes.count { count += max(0, read(otherSide, &buffer, buffer.count)) }
            precondition(written.wait() && written.isCompleted, "\(String(describing: written.error))")
        }
    }
}

/// Starts a loop, and takes all further threads from this process.
private func loopWithoutThreads() -> IOUringScheduler {
    let scheduler = IOUringScheduler()
    let ready = OneShot()
    scheduler.run { ready.fire() }
    precondition(ready.wait(seconds: 10))
    // The superuser has no limit.
    precondition(setuid(65_534) == 0)
    var none = rlimit(rlim_cur: 1, rlim_max: 1)
    setrlimit(__rlimit_resource_t(__RLIMIT_NPROC.rawValue), &none)
    return scheduler
}

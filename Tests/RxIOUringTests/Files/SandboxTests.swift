// SPDX-License-Identifier: Apache-2.0

import CTestSupport
import Glibc
import RxIOUring
import RxSwift
import TestSupport
import Testing

/// Files in sandboxes that do not know all system calls.
@Suite struct SandboxTests {
    /// The fault: every file failed with an error of `open`, which had not failed.
    @Test("Files are read, written and followed where `statx` is forbidden") func statx() async {
        await #expect(processExitsWith: .success) { await SandboxTests.useFiles(rx_test_forbid_statx(ENOSYS)) }
        await #expect(processExitsWith: .success) { await SandboxTests.useFiles(rx_test_forbid_statx(EPERM)) }
    }

    /// The fault: a file that exists was not replaced.
    @Test("Files are replaced where `faccessat2` is forbidden") func faccessat2() async {
        await #expect(processExitsWith: .success) { await SandboxTests.useFiles(rx_test_forbid_faccessat2(EPERM)) }
    }

    private static func useFiles(_ status: CInt) async {
        precondition(status == 0, "no filter: errno \(status)")
        let folder = TemporaryFolder()
        let path = folder.put([1, 2, 3], into: "a")
        let scheduler = IOUringScheduler()
        let read = File.read(path, scheduler: scheduler).received()
        precondition(read.wait() && read.bytes == [1, 2, 3], "\(String(describing: read.error))")
        let followed = File.follow(path, from: .beginning, scheduler: scheduler).received()
        precondition(soon { followed.bytes == [1, 2, 3] }, "\(String(describing: followed.error))")
        for mode in [File.WriteMode.replace, .append, .replaceAtomically] {
            let bytes = Observable.just(ByteChunk([4, 5]))
            let written = Receiver(File.write(bytes, to: path, mode: mode, scheduler: scheduler).asObservable())
            precondition(written.wait() && written.elements == [2], "\(mode): \(String(describing: written.error))")
        }
        followed.dispose()
        scheduler.shutdown()
    }
}

// SPDX-License-Identifier: Apache-2.0

// Says which backend event loops have here, for tests that need a process in a certain condition.

import CTestSupport
import Glibc
import RxIOUring
import RxSwift

setvbuf(stdout, nil, _IOLBF, 0)
nonisolated(unsafe) var hasFailed = false

IOHooks.noticeHandler = { print("notice \($0)") }

/// Reads what it writes, by a loop.
func roundTrip(_ scheduler: IOUringScheduler) throws {
    let (readEnd, writeEnd) = try DescriptorStream.makePipe()
    let written = DescriptorStream.write(
        .just(ByteChunk("hello")), to: writeEnd, closesWhenDone: true, scheduler: scheduler)
    let done = Done()
    _ = written.subscribe()
    _ = DescriptorStream.read(readEnd, closesWhenDone: true, scheduler: scheduler).subscribe(
        onNext: { print("read \(String($0))") }, onError: { print("error \($0)") }, onDisposed: done.signal)
    done.wait()
}

final class Done: @unchecked Sendable {
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
    init() { sem_init(semaphore, 0, 0) }
    deinit { semaphore.deallocate() }
    @Sendable func signal() { sem_post(semaphore) }
    func wait() { while sem_wait(semaphore) != 0 {} }
}

switch CommandLine.arguments.dropFirst().first {
case "backend":
    if let error = CommandLine.arguments.dropFirst(2).first.flatMap({ CInt($0) }) {
        print("forbidden \(rx_test_forbid_uring(error))")
    }
    for _ in 0..<2 {
        let scheduler = IOUringScheduler()
        print("backend \(scheduler.backend)")
        try roundTrip(scheduler)
        scheduler.shutdown()
    }
case "signals":
    // Before there is any other thread: all of them block everything.
    rx_test_block_all_signals()
    let scheduler = IOUringScheduler()
    let done = Done()
    let subscription = Signals.observe(SIGTERM, scheduler: scheduler).subscribe(
        onNext: {
            print("signal \($0)")
            done.signal()
        }, onError: { print("error \($0)") })
    kill(getpid(), SIGTERM)
    done.wait()
    subscription.dispose()
    scheduler.shutdown()
    // Blocked again, or this is the end.
    kill(getpid(), SIGTERM)
    print("alive")
case "spawn":
    // Whether a program that is run finds anything but its standard descriptors.
    print(try entries("/proc/self/fd").joined(separator: " "))
case "failure":
    probeFailure(CommandLine.arguments.dropFirst(2).first ?? "")
default:
    print("usage: BackendProbe backend [errno] | signals | spawn | failure FAULT")
    exit(2)
}

func entries(_ path: String) throws -> [String] {
    var names: [String] = []
    guard let directory = opendir(path) else { return [] }
    let own = "\(dirfd(directory))"
    while let entry = readdir(directory) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
            $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if !name.hasPrefix("."), name != own { names.append(name) }
    }
    closedir(directory)
    return names.sorted()
}

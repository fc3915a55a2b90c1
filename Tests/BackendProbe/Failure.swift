// SPDX-License-Identifier: Apache-2.0

import Glibc
import RxIOUring
import RxSwift

/// Takes something away that a loop needs, and prints what becomes of one; then restores it.
func probeFailure(_ fault: String) {
    let rejected = Counter()
    Hooks.workRejectedHandler = { _, count in rejected.value += count }
    let restore: () -> Void
    switch fault {
    case "descriptors": restore = exhaustDescriptors(except: 0)
    case "one descriptor": restore = exhaustDescriptors(except: 1)
    case "two descriptors": restore = exhaustDescriptors(except: 2)
    case "stacks": restore = limitAddressSpace()
    default: return print("unknown fault \(fault)")
    }
    probeLoop(rejected)
    // The thread of that loop may be about to close its descriptors.
    usleep(200_000)
    do {
        let made = try IOUringScheduler.make()
        print(runsWork(made) ? "made works" : "made does nothing")
        made.shutdown()
    } catch let error as IOError {
        print("made \(error.operation) \(error.code)")
    } catch {
        print("made \(error)")
    }
    restore()
    let later = IOUringScheduler()
    print(later.failure == nil && runsWork(later) ? "later works" : "later does nothing")
    later.shutdown()
}

private func probeLoop(_ rejected: Counter) {
    let scheduler = IOUringScheduler()
    if let failure = scheduler.failure {
        print("failure \(failure.operation) \(failure.code)")
        _ = scheduler.schedule(()) { Disposables.create() }
        print("rejected \(rejected.value)")
        let done = Done()
        _ = File.read("/etc/passwd", scheduler: scheduler).subscribe(
            onError: { if let error = $0 as? IOError { print("read \(error.operation) \(error.code)") } },
            onDisposed: done.signal)
        done.wait()
    } else {
        print(runsWork(scheduler) ? "works" : "does nothing")
    }
    scheduler.shutdown()
}

private final class Counter {
    var value = 0
}

private func runsWork(_ scheduler: IOUringScheduler) -> Bool {
    let done = Done()
    _ = scheduler.schedule(()) {
        done.signal()
        return Disposables.create()
    }
    done.wait()
    return true
}

/// Opens descriptors until only so many are left. Returns what closes them again.
private func exhaustDescriptors(except left: Int) -> () -> Void {
    var limit = rlimit(rlim_cur: 64, rlim_max: 64)
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    var taken: [CInt] = []
    while case let copy = dup(0), copy >= 0 { taken.append(copy) }
    for _ in 0..<left { close(taken.removeLast()) }
    return { for descriptor in taken { close(descriptor) } }
}

/// Leaves no room for the stack of a thread, but some for anything smaller. Returns what lifts the limit.
private func limitAddressSpace() -> () -> Void {
    var pages = 0
    if let file = fopen("/proc/self/statm", "r") {
        var line = [CChar](repeating: 0, count: 64)
        fgets(&line, 64, file)
        fclose(file)
        pages = strtol(line, nil, 10)
    }
    var before = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &before)
    var limit = rlimit(rlim_cur: rlim_t(pages * sysconf(CInt(_SC_PAGESIZE)) + 4 << 20), rlim_max: before.rlim_max)
    setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
    return {
        var before = before
        setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &before)
    }
}

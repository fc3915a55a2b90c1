// SPDX-License-Identifier: Apache-2.0

import Glibc
import RxPrimitives
import RxSwift

/// The number of this process's threads of that name.
package func threadCount(named name: String = "rx.io") -> Int {
    entries("/proc/self/task").filter { firstLine("/proc/self/task/\($0)/comm") == name }.count
}

/// The number of this process's threads whose names begin with a prefix; `iou-wrk` for the kernel's threads of io_uring.
package func threadCount(hasPrefix prefix: String) -> Int {
    entries("/proc/self/task").filter { firstLine("/proc/self/task/\($0)/comm")?.hasPrefix(prefix) == true }.count
}

/// The number of file descriptors that are open in this process.
package func descriptorCount() -> Int { entries("/proc/self/fd").count }

/// The number of system calls like `write` that this process has made.
package func writeCallCount() -> Int {
    let line = lines("/proc/self/io").first { $0.hasPrefix("syscw: ") }
    return line.flatMap { Int($0.dropFirst(7)) } ?? 0
}

/// The bytes of memory of this process that are resident.
package func residentBytes() -> Int {
    let words = firstLine("/proc/self/statm")?.split(separator: " ") ?? []
    return words.count > 1 ? (Int(words[1]) ?? 0) * sysconf(Int32(_SC_PAGESIZE)) : 0
}

/// True if this test runs under ThreadSanitizer.
package let hasThreadSanitizer = dlsym(nil, "__tsan_init") != nil

/// True if this test runs under AddressSanitizer, which retains freed memory.
package let hasAddressSanitizer = dlsym(nil, "__asan_init") != nil

/// True if a sanitizer takes memory of its own, so that a test has no bound for it.
package let hasSanitizer = hasThreadSanitizer || hasAddressSanitizer

/// The processors that the calling thread may run on, as the system writes them.
package func allowedProcessors() -> String {
    let prefix = "Cpus_allowed_list:\t"
    let line = lines("/proc/thread-self/status").first { $0.hasPrefix(prefix) }
    return line.map { String($0.dropFirst(prefix.count)) } ?? ""
}

private func entries(_ path: String) -> [String] {
    guard let directory = opendir(path) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
            $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if name != ".", name != ".." { names.append(name) }
    }
    return names
}

private func firstLine(_ path: String) -> String? { lines(path).first }

private func lines(_ path: String) -> [String] {
    guard let file = fopen(path, "r") else { return [] }
    defer { fclose(file) }
    var found: [String] = []
    var line = [CChar](repeating: 0, count: 512)
    while fgets(&line, 512, file) != nil {
        found.append(String(cString: line).trimmingSuffix("\n"))
    }
    return found
}

extension String {
    fileprivate func trimmingSuffix(_ suffix: String) -> String {
        hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
    }
}

/// Counts the work that schedulers reject, until `stop()`.
package final class RejectionCounter: @unchecked Sendable {
    private let counter = AtomicCounter(0)
    private let before = Hooks.workRejectedHandler

    package init() {
        Hooks.workRejectedHandler = { [counter] _, count in for _ in 0..<count { counter.increment() } }
    }

    package var value: Int { counter.value }

    package func stop() { Hooks.workRejectedHandler = before }
}

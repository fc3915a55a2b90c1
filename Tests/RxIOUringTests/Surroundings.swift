// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxIOUring
import RxSwift
import TestSupport
import Testing

/// Waits on the calling thread until a condition holds.
func soon(seconds: Double = 20, _ condition: () -> Bool) -> Bool {
    let end = Date().addingTimeInterval(seconds)
    while Date() < end {
        if condition() { return true }
        usleep(1_000)
    }
    return condition()
}

/// Runs a test on a loop of its own, and expects that it leaves no descriptor and no object.
func onLoop(
    _ configuration: IOUringScheduler.Configuration, location: SourceLocation = #_sourceLocation,
    _ body: (IOUringScheduler) throws -> Void
) rethrows {
    let descriptors = descriptorCount()
    #if TRACE_RESOURCES
        let resources = Resources.total
        let census = Dictionary(uniqueKeysWithValues: Resources.census().map { ($0.type, $0.count) })
    #endif
    do {
        let scheduler = IOUringScheduler(configuration)
        defer { scheduler.shutdown() }
        try body(scheduler)
    }
    #expect(soon { descriptorCount() <= descriptors }, "descriptors are left", sourceLocation: location)
    #if TRACE_RESOURCES
        if !soon({ Resources.total <= resources }) {
            let left = Resources.census().filter { $0.count > census[$0.type, default: 0] }
            Issue.record("left are \(left)", sourceLocation: location)
        }
    #endif
}

func onLoop(
    _ backend: Backend, location: SourceLocation = #_sourceLocation,
    _ body: (IOUringScheduler) throws -> Void
) rethrows {
    try onLoop(IOUringScheduler.Configuration(backend: backend), location: location, body)
}

extension IOUringScheduler {
    /// Runs a body on the loop, and waits for it.
    func performAndWait<Result>(_ body: @escaping @Sendable () -> Result) -> Result {
        let done = DispatchSemaphore(value: 0)
        nonisolated(unsafe) var result: Result?
        _ = schedule(()) {
            result = body()
            done.signal()
            return Disposables.create()
        }
        done.wait()
        return result!
    }
}

extension IOUringScheduler {
    /// Runs `first` on the calling thread while an action occupies the loop, and then `second` in that action. Waits for both.
    func run(after first: () -> Void, _ second: @escaping @Sendable () -> Void) {
        let (isBusy, isHandedOver) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let isDone = DispatchSemaphore(value: 0)
        _ = schedule(()) { _ in
            isBusy.signal()
            isHandedOver.wait()
            second()
            isDone.signal()
            return Disposables.create()
        }
        isBusy.wait()
        first()
        isHandedOver.signal()
        isDone.wait()
    }
}

/// A program that the package has built for its tests, in the folder of the running test.
func builtProgram(_ name: String) -> String {
    let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    return ((own ?? CommandLine.arguments[0]) as NSString).deletingLastPathComponent + "/" + name
}

/// The process identifiers of this process's children that have ended and were not reaped.
func zombies() -> [String] {
    let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return processes.filter { pid in
        guard Int(pid) != nil, let line = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8) else {
            return false
        }
        let fields = line[(line.lastIndex(of: ")") ?? line.startIndex)...].split(separator: " ")
        return fields.count > 2 && fields[1] == "Z" && fields[2] == "\(getpid())"
    }
}

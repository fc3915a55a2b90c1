// SPDX-License-Identifier: Apache-2.0

import Dispatch
import RxPrimitives
import RxSwift

/// One check of a host's loop: what it waits for, and what it has found.
///
/// All calls of the loop are made on threads of the check's own, so that a loop that blocks its callers does not block the check.
package final class ConformanceCheck {
    /// What a check is about.
    package enum Subject: CaseIterable, Sendable {
        case oneThread, threadsThatTakeTurns, bodiesFromInside, busyLoop, concurrentThreads, delays, releases, end
    }

    let loop: any HostEventLoop
    let limits: ConformanceLimits
    let log: BodyLog
    /// Ends the loop; nil if the program cannot.
    let end: (@Sendable () -> Void)?

    private(set) var violations: [String] = []
    private var hasEnded = false

    init<Loop: HostEventLoop>(of loop: Loop, _ limits: ConformanceLimits, end: (@Sendable () -> Void)?) {
        self.loop = loop
        self.limits = limits
        self.end = end
        log = BodyLog(loop)
    }

    func run(_ subject: Subject) {
        switch subject {
        case .oneThread: checkBodiesOfOneThread()
        case .threadsThatTakeTurns: checkThreadsThatTakeTurns()
        case .bodiesFromInside: checkBodiesFromInside()
        case .busyLoop: checkBusyLoop()
        case .concurrentThreads: checkConcurrentThreads()
        case .delays: checkDelays()
        case .releases: checkReleases()
        case .end: checkEnd()
        }
        reportNoticed()
    }

    func report(_ violation: String) { violations.append(violation) }

    /// Reports what the bodies have noticed.
    private func reportNoticed() {
        violations += log.noticed
        let threads = log.threadCount
        if limits.usesOneThread, threads > 1 {
            report("one thread: all bodies of a loop must run on one thread; they ran on \(threads)")
        }
    }

    // MARK: Waiting

    /// Runs bodies on a thread each, and waits for all. Reports and returns false if that takes longer than the limit.
    @discardableResult
    func onThreads(_ what: String, _ bodies: [@Sendable () -> Void]) -> Bool {
        let group = DispatchGroup()
        for body in bodies {
            // A queue of its own has a thread of its own, also while others block theirs.
            DispatchQueue(label: "rx.conformance").async(group: group, execute: DispatchWorkItem(block: body))
        }
        if group.wait(timeout: .now() + .nanoseconds(Int(limits.waiting))) == .success { return true }
        report("\(what): must return; it did not within \(limits.waitingText)")
        return false
    }

    @discardableResult
    func onThread(_ what: String, _ body: @escaping @Sendable () -> Void) -> Bool { onThreads(what, [body]) }

    /// Waits until a condition holds. Returns false if it does not within the limit.
    func waits(until condition: () -> Bool) -> Bool {
        let deadline = MonotonicClock.deadline(after: limits.waiting, from: MonotonicClock.now())
        let never = DispatchSemaphore(value: 0)
        while !condition() {
            if MonotonicClock.now() >= deadline { return condition() }
            _ = never.wait(timeout: .now() + .milliseconds(1))
        }
        return true
    }

    /// Waits until all enqueued bodies have run. Reports and returns false if they do not.
    @discardableResult
    func allRun(_ what: String) -> Bool {
        let isDone = waits { log.ranCount >= log.made }
        if !isDone {
            let lost = log.dropped > 0 ? ", and \(log.dropped) were released without running" : ""
            report("\(what): \(log.made) bodies must run within \(limits.waitingText); \(log.ranCount) did\(lost)")
        }
        return isDone
    }

    /// Reports if the numbers below `count` have not run in their order.
    func expectOrder(_ what: String, of count: Int) {
        let ran = log.ran.filter { $0 < count }
        if let (later, earlier) = zip(ran, ran.dropFirst()).first(where: { $0 > $1 }) {
            report("\(what): bodies must run in the order in which they were enqueued; \(earlier) ran behind \(later)")
        }
    }

    // MARK: The end

    /// Ends the loop, if that was not done and the program can.
    func endLoop() {
        guard let end, !hasEnded else { return }
        hasEnded = true
        onThread("end", end)
    }

    /// Begins to end the loop on a thread of its own. Returns a group that waits for it.
    func beginEnd() -> DispatchGroup {
        hasEnded = true
        let group = DispatchGroup()
        if let end {
            DispatchQueue(label: "rx.conformance.end").async(group: group, execute: DispatchWorkItem(block: end))
        }
        return group
    }
}

// SPDX-License-Identifier: Apache-2.0

import Dispatch
import RxPrimitives
import RxSwift

extension ConformanceCheck {
    /// Thousands of bodies with delays of 0 to 100 milliseconds come in time.
    func checkDelays() {
        let times = DelayTimes()
        let limit = limits.waiting
        let (hasBegun, isEnqueued) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        onThread("enqueue") { [log, loop] in
            // The scheduler calls this on the loop alone.
            loop.enqueue {
                hasBegun.signal()
                for number in 0..<ConformanceCheck.delayCount {
                    let delay = Int64(number * 7_919 % 101) * 1_000_000
                    let enqueued = MonotonicClock.now()
                    log.enqueue(after: delay, number) {
                        times.note(delay: delay, passed: Int64(MonotonicClock.now() - enqueued))
                    }
                }
                isEnqueued.signal()
            }
        }
        if hasBegun.wait(timeout: .now() + .nanoseconds(Int(limit))) == .timedOut {
            report("delays: the body that is to enqueue others must run within \(limits.waitingText)")
        } else if isEnqueued.wait(timeout: .now() + .nanoseconds(Int(limit))) == .timedOut {
            report(
                "enqueue(afterNanoseconds:): must return when a body calls it; it did not, \(ConformanceCheck.delayCount) times within \(limits.waitingText)"
            )
        } else {
            allRun("delays")
        }
        if let early = times.earliest {
            report(
                "delays: a body must not run before its delay has passed; one with \(ConformanceLimits.text(early.delay)) ran after \(ConformanceLimits.text(early.passed))"
            )
        }
        if let late = times.latest, late.passed - late.delay > limits.lateness {
            report(
                "delays: a body must run no more than \(ConformanceLimits.text(limits.lateness)) late; one with \(ConformanceLimits.text(late.delay)) ran after \(ConformanceLimits.text(late.passed))"
            )
        }
    }

    /// The loop does not keep bodies that have run.
    func checkReleases() {
        let count = 100
        let isEnqueued = onThread("enqueue") { [log, loop] in
            for number in 0..<count { log.enqueue(number) }
            loop.enqueue {
                for number in 0..<count { log.enqueue(after: 1_000_000, count + number) }
                // Behind this, a loop that releases bodies in bulk has had an occasion.
                loop.enqueue(afterNanoseconds: 5_000_000) {}
            }
        }
        guard isEnqueued, waits(until: { log.ranCount >= 2 * count }) else {
            report("release: \(2 * count) bodies must run; \(log.ranCount) did within \(limits.waitingText)")
            return
        }
        if !waits(until: { log.released >= 2 * count }) {
            report(
                "release: bodies must be released after they ran; the loop still holds \(2 * count - log.released) of \(2 * count) after \(limits.waitingText)"
            )
        }
    }

    private static let delayCount = 10_000
}

/// The delays that were most wrong.
private final class DelayTimes: @unchecked Sendable {
    private let lock = Mutex()
    /// The one that came too early by the most, and the one that came latest. Under the lock.
    private var early: (delay: Int64, passed: Int64)?
    private var late: (delay: Int64, passed: Int64)?

    var earliest: (delay: Int64, passed: Int64)? { lock.withLock { early } }
    var latest: (delay: Int64, passed: Int64)? { lock.withLock { late } }

    func note(delay: Int64, passed: Int64) {
        lock.withLock {
            let lateness = passed - delay
            if lateness < 0, lateness < early.map({ $0.passed - $0.delay }) ?? 0 { early = (delay, passed) }
            if lateness > late.map({ $0.passed - $0.delay }) ?? 0 { late = (delay, passed) }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Dispatch
import RxPrimitives
import RxSwift

extension ConformanceCheck {
    /// At its end, a loop runs or releases what waits, and releases what comes later.
    func checkEnd() {
        let count = 100
        let (hasBegun, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let limit = limits.waiting
        let isEnqueued = onThread("enqueue") { [log] in
            log.enqueue(
                0,
                then: {
                    // Delays of an hour, of which none can pass.
                    for number in 0..<count { log.enqueue(after: 3_600_000_000_000, 10_000 + number) }
                    hasBegun.signal()
                    _ = mayEnd.wait(timeout: .now() + .nanoseconds(Int(limit)))
                })
            // These wait in the loop, and are in no batch that it has begun.
            if hasBegun.wait(timeout: .now() + .nanoseconds(Int(limit))) == .timedOut { return }
            hasBegun.signal()
            // The release of a body may run code that enqueues.
            for number in 1...count { log.enqueue(number, dropped: { log.enqueue(20_000 + number) }, then: {}) }
        }
        guard isEnqueued, hasBegun.wait(timeout: .now() + .nanoseconds(Int(limit))) == .success else {
            report("end: a body must run before the end; it did not within \(limits.waitingText)")
            return
        }
        let ending = beginEnd()
        // Most loops end while the body runs; others wait for it.
        _ = ending.wait(timeout: .now() + .milliseconds(50))
        mayEnd.signal()
        if ending.wait(timeout: .now() + .nanoseconds(Int(limit))) == .timedOut {
            report("end: must return; it did not within \(limits.waitingText)")
        }
        expectNoneIsKept("end: bodies that wait must be run or released")
        if log.ran.contains(where: { (10_000..<20_000).contains($0) }) {
            report("end: a body whose delay has not passed must be released; it ran")
        }
        checkAfterEnd()
    }

    /// A loop that has ended releases bodies at once, or soon, from any thread.
    private func checkAfterEnd() {
        let isReturned = onThreads(
            "enqueue after the end",
            (0..<4).map { thread -> @Sendable () -> Void in
                { [log] in
                    for number in 0..<100 { log.enqueue(30_000 + 100 * thread + number) }
                }
            })
        if isReturned { expectNoneIsKept("after the end: bodies must be released") }
        if log.ran.contains(where: { $0 >= 30_000 }) {
            report("after the end: bodies must be released; one ran")
        }
    }

    private func expectNoneIsKept(_ what: String) {
        if !waits(until: { log.released >= log.made }) {
            report(
                "\(what); the loop still holds \(log.made - log.released) of \(log.made) after \(limits.waitingText)")
        }
    }
}

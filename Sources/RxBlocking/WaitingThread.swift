// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import RxPrimitives
import RxSwift

/// A thread that waits, and meanwhile runs the work that no other thread could run.
///
/// That is its trampoline's jobs, the jobs that wait behind work that it runs inline on the main queue, and its run loop, which on
/// the main thread runs the main queue.
///
/// Only that thread creates and uses this object, but for `wake`.
final class WaitingThread: @unchecked Sendable {
    /// The end of the wait, as a time of `MonotonicClock`.
    private let deadline: UInt64
    private let isMainThread = Thread.isMainThread
    private let parker = Parker()

    /// 1 while the thread is in its run loop until it is woken.
    private let isInRunLoop = AtomicWord(0)

    /// 1 when the run loop has run the main queue. It does not where it is run from inside an item of that queue.
    private let mainQueueRuns = AtomicWord(0)

    /// The number of times that the run loop came back without having run the main queue.
    private var vainRuns = 0

    /// The number of times that the run loop may attend to other things before the main queue, which it looks at first of all.
    private static let runLoopAttempts = 20

    /// The time, in nanoseconds, that the thread rests where no wake-up would tell it about new work.
    private static let glance: UInt64 = 10_000_000

    /// A serial queue, which has a thread also while waiting threads occupy all those of the global queues.
    private static let alarms = DispatchQueue(label: "rx.blocking.alarms")

    /// - Parameter timeout: the limit in seconds; nil means no limit.
    init(timeout: Double?) {
        deadline = timeout.map { Self.deadline(after: $0) } ?? .max
    }

    /// Calls `onAlarm` on another thread if the wait is not over long after its timeout: then a source keeps this thread.
    ///
    /// Not at the timeout, as a finite source that is merely slow gives its answer in RxSwift.
    /// - Returns: the alarm, to be cancelled; nil if there is no timeout.
    func setAlarm(_ onAlarm: @escaping @Sendable () -> Void) -> (any DispatchSourceTimer)? {
        if deadline == .max { return nil }
        let now = MonotonicClock.now()
        let timeout = deadline > now ? deadline - now : 0
        let alarm = DispatchSource.makeTimerSource(queue: Self.alarms)
        alarm.setEventHandler(handler: onAlarm)
        alarm.schedule(
            deadline: .now() + Double(timeout + max(timeout, 1_000_000_000)) / 1e9, leeway: .milliseconds(10))
        alarm.resume()
        return alarm
    }

    private static func deadline(after seconds: Double) -> UInt64 {
        let nanoseconds = seconds * 1_000_000_000
        // There is no limit either if it is not a number.
        guard nanoseconds < 9e18 else { return .max }
        return MonotonicClock.deadline(after: Int64(max(0, nanoseconds)), from: MonotonicClock.now())
    }

    /// Tells the thread that the wait is over. Any thread may call it.
    func wake() {
        parker.unpark()
        // Paired with the exchange in `runRunLoop`: either this sees the thread in its run loop, or it sees that the wait is over.
        if isInRunLoop.exchange(0) != 0 { DispatchQueue.main.async {} }
    }

    /// Waits, and runs work of this thread meanwhile, until the wait is over.
    ///
    /// - Parameters:
    ///   - source: the sequence that the thread waits for.
    ///   - isOver: returns true if the wait is over; when it becomes true, `wake` is called.
    /// - Throws: `RxError.timeout`, and `BlockingError` when the wait would never be over.
    func wait<Element>(for source: Observable<Element>, until isOver: () -> Bool) throws {
        var hasRested = false
        while !isOver() {
            let now = MonotonicClock.now()
            if now >= deadline { throw RxError.timeout }
            if Trampoline.current.runNext() || MainScheduler.runNextBehindInline() { continue }
            if isMainThread, !hasRested {
                DispatchQueue.main.async { self.mainQueueRuns.storeRelaxed(1) }
            }
            hasRested = true
            try rest(source, now: now, isOver)
        }
    }

    /// Waits a while, when the thread has run all the work there was.
    private func rest<Element>(_ source: Observable<Element>, now: UInt64, _ isOver: () -> Bool) throws {
        // Relaxed: no thread but this one could run the main queue.
        let mainQueueRuns = isMainThread && mainQueueRuns.loadRelaxed() != 0
        // Work submitted behind inline work wakes no thread.
        let isWoken = !MainScheduler.isRunningInline
        let soon = min(deadline, now + Self.glance)
        // True if the main queue may still turn out to run.
        let isUndecided = isMainThread && !mainQueueRuns && vainRuns < Self.runLoopAttempts
        if !isUndecided { try reject(source, mainQueueRuns) }
        if runRunLoop(for: (mainQueueRuns && isWoken ? deadline : soon) - now, isWoken: mainQueueRuns, isOver) {
            if isUndecided { vainRuns += 1 }
        } else {
            if isUndecided { try reject(source, mainQueueRuns) }
            parker.park(until: isWoken ? deadline : soon)
        }
    }

    /// Throws if no event can come while this thread waits.
    private func reject<Element>(_ source: Observable<Element>, _ mainQueueRuns: Bool) throws {
        if let label = source.queueHeldByCaller(mainQueueRuns: mainQueueRuns) {
            throw BlockingError.deliversOnQueueOfCaller(label: label)
        }
    }

    /// Runs the run loop once. Returns false, at once, if there is nothing for it to run.
    private func runRunLoop(for nanoseconds: UInt64, isWoken: Bool, _ isOver: () -> Bool) -> Bool {
        if isWoken { _ = isInRunLoop.exchange(1) }
        defer { if isWoken { _ = isInRunLoop.exchange(0) } }
        if isWoken && isOver() { return true }
        return RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: Double(nanoseconds) / 1e9))
    }
}

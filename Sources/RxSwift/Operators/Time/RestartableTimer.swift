// SPDX-License-Identifier: Apache-2.0

import Dispatch
import RxPrimitives

/// The target that a timer wakes.
protocol RestartableTimerTarget: AnyObject {
    /// Handles the wake-up at the deadline.
    ///
    /// - Parameter generation: the one that the timer was set with. A timer that was set anew meanwhile may still pass the old one.
    func tick(_ generation: Int)

    /// Notes that the wake-up will not come, since the scheduler has ended. Called before the end has returned, or inside `set`, on any thread;
    /// `timerWasLost` follows.
    func noteLoss()

    /// Handles that the wake-up will not come. See `JobScheduler.tellOfLoss`.
    func timerWasLost(_ error: any Swift.Error)
}

extension RestartableTimerTarget {
    func noteLoss() {}
}

/// The timer of one stage. It may be set again and again; only the last setting counts.
///
/// One thread at a time calls `set`, with deadlines that never come before earlier ones; any thread may call `stop`.
/// The timer and its target retain each other until `stop`.
class RestartableTimer: SchedulerJob {
    final let scheduler: any TimedJobScheduler
    fileprivate final let lock = Mutex()
    /// The target, set once, before the timer is set. From then on under the lock.
    private final var target: (any RestartableTimerTarget)?

    fileprivate init(scheduler: any TimedJobScheduler) {
        self.scheduler = scheduler
        super.init()
    }

    /// Makes a timer on a user's scheduler.
    static func on(_ scheduler: any SchedulerType) -> RestartableTimer {
        let jobs = timedJobScheduler(for: scheduler)
        return jobs.isVirtual ? ExactTimer(scheduler: jobs) : SleepingTimer(scheduler: jobs)
    }

    /// Sets the target to wake, before the timer is set.
    final func setTarget(_ target: any RestartableTimerTarget) { self.target = target }

    /// Wakes the target when `delay` has passed, unless the timer is set again before.
    func set(after delay: RxTimeInterval, generation: Int) { abstractMethod() }

    /// Sets the timer from within a tick. A tick that is due already runs as a timer's tick does, not after the work submitted meanwhile.
    func setAgain(after nanoseconds: Int64) { set(after: .nanoseconds(Int(nanoseconds)), generation: 0) }

    /// Wakes the target once more, after `delay`, on a thread of the scheduler, for a setting whose time has come, unless the timer
    /// was set anew. Only the thread that may call `set` calls this.
    func wakeAgain(_ generation: Int, after delay: RxTimeInterval) { abstractMethod() }

    /// Stops the time of the current setting until `resume`. A setting made meanwhile begins with that call.
    ///
    /// A tick that has begun already still comes. On a scheduler of the program's own the whole delay of the setting begins anew.
    func suspend() { abstractMethod() }

    /// Continues the time of the setting. From any thread; does nothing if the timer is not suspended.
    func resume() { abstractMethod() }

    /// Cancels the timer for good. The target is woken no more, unless it is just being woken.
    func stop() { abstractMethod() }

    override final func cancel() { stop() }

    /// The target. The caller holds the lock.
    fileprivate final var currentTarget: (any RestartableTimerTarget)? { target }

    fileprivate final func releaseTarget() {
        var old: (any RestartableTimerTarget)?
        lock.withLock { swap(&old, &target) }
    }
}

/// A timer on a scheduler of this library: one job, which sleeps on when it wakes and finds that the deadline has moved.
///
/// An operator that sets it anew with each event thus pays a reading of the clock, and the timer wakes once per interval.
private final class SleepingTimer: RestartableTimer {
    // The fields below are protected by the lock.
    private var deadline: Int64 = 0
    private var generation = 0
    /// True while the scheduler has the job, or will have it soon.
    private var isWaiting = false
    private var isSuspended = false
    /// While the timer is suspended: the nanoseconds that are left of the setting, if it has not expired.
    private var timeLeft: Int64?

    override func set(after delay: RxTimeInterval, generation: Int) {
        if mustWait(delay.nanosecondsClamped, generation) { wait(delay) }
    }

    override func setAgain(after nanoseconds: Int64) {
        if mustWait(nanoseconds, 0) { waitAgain(nanoseconds) }
    }

    /// Makes a new setting, and returns true if the caller has to submit the job.
    @inline(__always)
    private func mustWait(_ nanoseconds: Int64, _ generation: Int) -> Bool {
        let deadline = scheduler.now.addingClamped(nanoseconds)
        lock.lock()
        self.deadline = deadline
        self.generation = generation
        if isSuspended { timeLeft = nanoseconds }
        let waits = isSuspended || isWaiting || isCancelled
        if !waits { isWaiting = true }
        lock.unlock()
        return !waits
    }

    override func wakeAgain(_ generation: Int, after delay: RxTimeInterval) {
        lock.lock()
        if isSuspended, timeLeft == nil, generation == self.generation {
            timeLeft = 0
            return lock.unlock()
        }
        if isWaiting || generation != self.generation || isCancelled { return lock.unlock() }
        isWaiting = true
        lock.unlock()
        wait(delay)
    }

    override func suspend() {
        let now = scheduler.now
        lock.lock()
        if !isSuspended {
            isSuspended = true
            timeLeft = isWaiting ? max(0, deadline.subtractingClamped(now)) : nil
        }
        lock.unlock()
    }

    override func resume() {
        let now = scheduler.now
        lock.lock()
        guard isSuspended else { return lock.unlock() }
        isSuspended = false
        guard let left = timeLeft.take() else { return lock.unlock() }
        deadline = now.addingClamped(left)
        if isWaiting || isCancelled { return lock.unlock() }
        isWaiting = true
        lock.unlock()
        wait(.nanoseconds(Int(left)))
    }

    private func wait(_ delay: RxTimeInterval) {
        scheduler.submit(self, after: delay)
        // `stop` may have come too early to find the job.
        if isCancelled { scheduler.unschedule(self) }
    }

    private func waitAgain(_ nanoseconds: Int64) {
        scheduler.submitAgain(self, after: nanoseconds)
        if isCancelled { scheduler.unschedule(self) }
    }

    override func run(_ budget: inout Int) -> Bool {
        if isCancelled { return true }
        let now = scheduler.now
        lock.lock()
        if isSuspended {
            isWaiting = false
            lock.unlock()
            return true
        }
        let rest = deadline.subtractingClamped(now)
        if rest > 0 {
            lock.unlock()
            waitAgain(rest)
            return true
        }
        isWaiting = false
        let target = currentTarget
        let generation = self.generation
        lock.unlock()
        target?.tick(generation)
        return true
    }

    override func wasRejected() -> Bool {
        if !isCancelled, let target = lock.withLock({ currentTarget }) {
            target.noteLoss()
            scheduler.tellOfLoss(target.timerWasLost)
        }
        return super.wasRejected()
    }

    override func stop() {
        guard takeUpstream() != nil else { return }
        if lock.withLock({ isWaiting }) { scheduler.unschedule(self) }
        releaseTarget()
    }
}

/// A timer of virtual time, or on a scheduler of the program's own: an action for each setting, unscheduled when the next setting comes, as the scheduler can see them.
private final class ExactTimer: RestartableTimer {
    /// The last setting, under the lock.
    private var setting: Setting?
    // Under the lock, too.
    private var isSuspended = false
    /// The setting that begins when the timer is not suspended any more.
    private var postponed: (delay: RxTimeInterval, generation: Int)?

    override func set(after delay: RxTimeInterval, generation: Int) {
        let isPostponed = lock.withLock {
            if isSuspended { postponed = (delay, generation) }
            return isSuspended
        }
        if isPostponed { return }
        let new = Setting(owner: self, generation: generation, delay: delay)
        replaceSetting(by: new)?.takeBack()
        if isCancelled { return replaceSetting(by: nil)?.takeBack() ?? () }
        scheduler.submit(new, after: delay)
        // `stop` may have come too early to find the action.
        if isCancelled { new.takeBack() }
    }

    override func wakeAgain(_ generation: Int, after delay: RxTimeInterval) {
        let again = Setting(owner: self, generation: generation, delay: delay)
        let isSetAnew = lock.withLock {
            if setting != nil || postponed != nil { return true }
            if isSuspended {
                postponed = (delay, generation)
                return true
            }
            setting = again
            return false
        }
        if isSetAnew { return }
        if isCancelled { return replaceSetting(by: nil)?.takeBack() ?? () }
        scheduler.submit(again, after: delay)
        if isCancelled { again.takeBack() }
    }

    override func suspend() {
        var old: Setting?
        lock.withLock {
            if isSuspended { return }
            isSuspended = true
            swap(&old, &setting)
            postponed = old.map { ($0.delay, $0.generation) }
        }
        old?.takeBack()
    }

    override func resume() {
        let next = lock.withLock {
            isSuspended = false
            return postponed.take()
        }
        if let next { set(after: next.delay, generation: next.generation) }
    }

    override func stop() {
        guard takeUpstream() != nil else { return }
        replaceSetting(by: nil)?.takeBack()
        releaseTarget()
    }

    private func replaceSetting(by new: Setting?) -> Setting? {
        var setting = new
        lock.withLock { swap(&setting, &self.setting) }
        return setting
    }

    /// Returns the target to wake for a setting, or nil if that is not the last one.
    private func take(_ due: Setting) -> (any RestartableTimerTarget)? {
        lock.withLock {
            guard setting === due else { return nil }
            // This is not the last reference: the caller has one.
            setting = nil
            return currentTarget
        }
    }

    private final class Setting: SchedulerJob {
        private let owner: ExactTimer
        fileprivate let generation: Int
        fileprivate let delay: RxTimeInterval

        init(owner: ExactTimer, generation: Int, delay: RxTimeInterval) {
            self.owner = owner
            self.generation = generation
            self.delay = delay
            super.init()
        }

        override func run(_ budget: inout Int) -> Bool {
            owner.take(self)?.tick(generation)
            return true
        }

        func takeBack() {
            _ = takeUpstream()
            owner.scheduler.unschedule(self)
        }
    }
}

import Dispatch
import RxPrimitives

/// The target that a timer wakes.
protocol RestartableTimerTarget: AnyObject {
    /// Handles the wake-up at the deadline.
    ///
    /// - Parameter generation: the one that the timer was set with. A timer that was set anew meanwhile may still pass the old one.
    func tick(_ generation: Int)
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
        return jobs is CustomTimedSchedulerAdapter ? ExactTimer(scheduler: jobs) : SleepingTimer(scheduler: jobs)
    }

    /// Sets the target to wake, before the timer is set.
    final func setTarget(_ target: any RestartableTimerTarget) { self.target = target }

    /// Wakes the target when `delay` has passed, unless the timer is set again before.
    func set(after delay: RxTimeInterval, generation: Int) { abstractMethod() }

    /// Wakes the target once more, after `delay`, on a thread of the scheduler, for a setting whose time has come, unless the timer
    /// was set anew. Only the thread that may call `set` calls this.
    func wakeAgain(_ generation: Int, after delay: RxTimeInterval) { abstractMethod() }

    /// Cancels the timer for good. The target is woken no more, unless it is just being woken.
    func stop() { abstractMethod() }

    override final func cancel() { stop() }

    /// The target. The caller holds the lock.
    fileprivate final var currentTarget: (any RestartableTimerTarget)? { target }

    fileprivate final func letTargetGo() {
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

    override func set(after delay: RxTimeInterval, generation: Int) {
        let deadline = scheduler.now.addingClamped(delay.nanosecondsClamped)
        lock.lock()
        self.deadline = deadline
        self.generation = generation
        if isWaiting || isCancelled { return lock.unlock() }
        isWaiting = true
        lock.unlock()
        wait(delay)
    }

    override func wakeAgain(_ generation: Int, after delay: RxTimeInterval) {
        lock.lock()
        if isWaiting || generation != self.generation || isCancelled { return lock.unlock() }
        isWaiting = true
        lock.unlock()
        wait(delay)
    }

    private func wait(_ delay: RxTimeInterval) {
        scheduler.submit(self, after: delay)
        // `stop` may have come too early to find the job.
        if isCancelled { scheduler.unschedule(self) }
    }

    override func run(_ budget: inout Int) -> Bool {
        if isCancelled { return true }
        let now = scheduler.now
        lock.lock()
        let rest = deadline - now
        if rest > 0 {
            lock.unlock()
            wait(.nanoseconds(Int(rest)))
            return true
        }
        isWaiting = false
        let target = currentTarget
        let generation = self.generation
        lock.unlock()
        target?.tick(generation)
        return true
    }

    override func stop() {
        guard takeUpstream() != nil else { return }
        if lock.withLock({ isWaiting }) { scheduler.unschedule(self) }
        letTargetGo()
    }
}

/// A timer on any other scheduler: an action for each setting, unscheduled when the next setting comes, as the scheduler can see them.
private final class ExactTimer: RestartableTimer {
    /// The last setting, under the lock.
    private var setting: Setting?

    override func set(after delay: RxTimeInterval, generation: Int) {
        let new = Setting(owner: self, generation: generation)
        replaceSetting(by: new)?.takeBack()
        if isCancelled { return replaceSetting(by: nil)?.takeBack() ?? () }
        scheduler.submit(new, after: delay)
        // `stop` may have come too early to find the action.
        if isCancelled { new.takeBack() }
    }

    override func wakeAgain(_ generation: Int, after delay: RxTimeInterval) {
        let again = Setting(owner: self, generation: generation)
        let isSetAnew = lock.withLock {
            if setting != nil { return true }
            setting = again
            return false
        }
        if isSetAnew { return }
        if isCancelled { return replaceSetting(by: nil)?.takeBack() ?? () }
        scheduler.submit(again, after: delay)
        if isCancelled { again.takeBack() }
    }

    override func stop() {
        guard takeUpstream() != nil else { return }
        replaceSetting(by: nil)?.takeBack()
        letTargetGo()
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
        private let generation: Int

        init(owner: ExactTimer, generation: Int) {
            self.owner = owner
            self.generation = generation
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

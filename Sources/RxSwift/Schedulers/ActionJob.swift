// SPDX-License-Identifier: Apache-2.0

package import Dispatch
import RxPrimitives

/// A scheduled action that its scheduler releases as soon as it is disposed of.
@usableFromInline
final class ActionJob: ScheduledAction {
    private let scheduler: any JobScheduler
    // The storage is the same as in `SchedulerJob`.
    @exclusivity(unchecked) private var ownTicket: AnyObject?
    @exclusivity(unchecked) private var ownTimer: Unmanaged<TimerEntry>?

    @usableFromInline
    init(_ action: consuming UserAction, scheduler: any JobScheduler) {
        self.scheduler = scheduler
        let claim = HeldAction.claim(of: action)
        super.init(HeldAction(action), claim: claim)
    }

    package override var ticket: AnyObject? {
        get { ownTicket }
        set { ownTicket = newValue }
    }

    package override var timer: Unmanaged<TimerEntry>? {
        get { ownTimer }
        set { ownTimer = newValue }
    }

    package override func cancel() {
        if isCancelled { return }
        super.cancel()
        scheduler.unschedule(self)
    }
}

/// An action that is run again and again.
///
/// Releases the action and its state when disposed of, as soon as no run is under way.
package final class PeriodicJob<State>: SchedulerJob, Cancelable {
    /// The loop that each run enters and `cancel` closes.
    private let loop = DrainLoop()

    /// The action and the state of its next run. Accessed only inside the loop; nil once it was cleaned up.
    private var work: (action: (State) -> State, state: State)?
    /// The times of the runs, accessed only inside the loop.
    private var schedule: FixedRateSchedule
    private let scheduler: any TimedJobScheduler

    package init(
        state: State, startAfter: DispatchTimeInterval, period: DispatchTimeInterval,
        action: @escaping (State) -> State,
        scheduler: any TimedJobScheduler
    ) {
        work = (action, state)
        self.scheduler = scheduler
        schedule = FixedRateSchedule(period: period, startAfter: startAfter, now: scheduler.now)
        super.init()
        scheduler.submit(self, after: startAfter)
    }

    package var isDisposed: Bool { isCancelled }

    package override func run(_ budget: inout Int) -> Bool {
        guard loop.tryEnter() else { return true }
        if let work {
            let state = work.action(work.state)
            self.work = (work.action, state)
        }
        let delay = schedule.next(at: scheduler.now)
        guard loop.tryLeave() else {
            release()
            return true
        }
        scheduler.submitAgain(self, after: delay)
        // `cancel` may have come too early to find the job.
        if isCancelled { scheduler.unschedule(self) }
        return true
    }

    package func dispose() { cancel() }

    package override func cancel() {
        guard takeUpstream() != nil else { return }
        if loop.close() { release() }
        scheduler.unschedule(self)
    }

    /// Releases the work. Only the thread that has the duty to clean up calls it.
    private func release() {
        // The work is released when this returns: a user's deinit may call back into this job.
        let released = work
        work = nil
        withExtendedLifetime(released) {}
    }
}

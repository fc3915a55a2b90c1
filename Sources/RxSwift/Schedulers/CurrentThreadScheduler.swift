// SPDX-License-Identifier: Apache-2.0

/// Runs actions on the calling thread, one after another.
///
/// An action scheduled from inside another waits until that has returned, instead of nesting.
///
/// The outermost `schedule` runs its action at once, and then the actions scheduled meanwhile, before it returns. This is also called
/// a trampoline; the synchronous sources (`of`, `range`...) take turns on the same one. Recursion needs no stack.
/// - SeeAlso: [Scheduler](https://reactivex.io/documentation/scheduler.html)
public class CurrentThreadScheduler: ImmediateSchedulerType, @unchecked Sendable {
    /// The one instance. An action that it schedules stays on the thread that calls it.
    public static let instance = CurrentThreadScheduler()

    init() {}

    /// True if no call further up this thread's stack would run queued actions, so that work has to go through `schedule`.
    ///
    /// `schedule` sets it to false while it runs; setting it back runs the actions queued meanwhile.
    public private(set) static var isScheduleRequired: Bool {
        get { !Trampoline.current.isOpen }
        set { if newValue { Trampoline.current.close() } else { Trampoline.current.open() } }
    }

    /// Runs an action now, or after those which this thread is running and has queued.
    ///
    /// - Parameters:
    ///   - state: passed to the action.
    ///   - action: the work; the disposable that it returns is disposed of together with the scheduled action.
    /// - Returns: a disposable that keeps a queued action from running; afterwards it disposes of the one that the action returned.
    @preconcurrency
    public func schedule<StateType>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        guard CurrentThreadScheduler.isScheduleRequired else {
            let queued = ScheduledAction(UserAction(state, action))
            Trampoline.current.submit(queued)
            return queued
        }
        CurrentThreadScheduler.isScheduleRequired = false
        defer { CurrentThreadScheduler.isScheduleRequired = true }
        return action(state)
    }
}

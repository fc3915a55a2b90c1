/// Runs actions on the calling thread, one after another: an action scheduled from inside another waits until that has
/// returned, instead of nesting.
///
/// The outermost `schedule` runs its action at once, and then what was scheduled meanwhile, before it returns. Also called
/// a trampoline; the synchronous sources (`of`, `range`...) take turns on the same one. Recursion needs no stack.
/// - SeeAlso: [Scheduler](https://reactivex.io/documentation/scheduler.html)
public class CurrentThreadScheduler: ImmediateSchedulerType, @unchecked Sendable {
    /// The one instance. What it schedules stays on the thread that calls it.
    public static let instance = CurrentThreadScheduler()

    init() {}

    /// Whether nothing further up this thread's stack would run what is queued, so that work has to go through `schedule`.
    ///
    /// Set by `schedule` while it runs; setting it back runs what was queued meanwhile.
    public private(set) static var isScheduleRequired: Bool {
        get { !Trampoline.current.isOpen }
        set { if newValue { Trampoline.current.close() } else { Trampoline.current.open() } }
    }

    /// Runs an action now, or after those which this thread is running and has queued.
    ///
    /// - Parameters:
    ///   - state: passed to the action.
    ///   - action: the work; what it returns is disposed of together with the scheduled action.
    /// - Returns: keeps a queued action from running; afterwards it disposes of what the action returned.
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

public import Dispatch
public import FoundationEssentials
import RxPrimitives

/// Runs actions on the main queue: right away when already on it, however much is enqueued there; else queued.
///
/// Meant for `subscribe(on:)`; for `observe(on:)` use `MainScheduler`, which keeps the order of events.
public final class ConcurrentMainScheduler: SchedulerType, @unchecked Sendable {
    public typealias TimeInterval = Double
    public typealias Time = Date

    /// The scheduler of the main queue.
    public static let instance = ConcurrentMainScheduler()

    let mainJobs = MainScheduler.asyncInstance.dispatchJobs

    private init() {}

    /// The wall clock, which delays do not follow.
    public var now: Date { Date() }

    /// Runs an action now when on the main queue, else soon.
    @preconcurrency
    public func schedule<StateType>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        if MainQueue.isCurrent { return action(state) }
        let job = ActionJob(UserAction(state, action), scheduler: mainJobs)
        mainJobs.submit(job)
        return job
    }

    /// Schedules an action to be run on the main queue when `dueTime` has passed.
    @preconcurrency
    public final func scheduleRelative<StateType>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        MainScheduler.asyncInstance.scheduleRelative(state, dueTime: dueTime, action: action)
    }

    /// Schedules an action to be run on the main queue again and again.
    @preconcurrency
    public func schedulePeriodic<StateType>(
        _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> StateType
    ) -> any Disposable {
        MainScheduler.asyncInstance.schedulePeriodic(state, startAfter: startAfter, period: period, action: action)
    }
}

// SPDX-License-Identifier: Apache-2.0

public import Dispatch
public import FoundationEssentials
import RxPrimitives

/// Runs actions on the main queue: right away when already on it, however much is enqueued there; else queued.
///
/// Meant for `subscribe(on:)`; for `observe(on:)` use `MainScheduler`, which keeps the order of events.
public final class ConcurrentMainScheduler: SchedulerType, @unchecked Sendable {
    /// The type of delays.
    public typealias TimeInterval = Double
    /// The type of times.
    public typealias Time = Date

    /// The scheduler of the main queue. In tests that replace it, the scheduler of the test.
    public static var instance: ConcurrentMainScheduler {
        MainReplacement.current.map { ConcurrentMainScheduler($0.instance) } ?? shared
    }

    private static let shared = ConcurrentMainScheduler(MainScheduler.asyncShared)

    /// The scheduler that does what is not done at once.
    let main: SerialDispatchQueueScheduler

    private init(_ main: SerialDispatchQueueScheduler) { self.main = main }

    /// The wall clock, which delays do not follow.
    public var now: Date { main.now }

    /// Runs an action now when on the main queue, else soon.
    @preconcurrency
    public func schedule<StateType>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        if main.replacement == nil, MainQueue.isCurrent { return action(state) }
        return main.schedule(state, action: action)
    }

    /// Schedules an action to be run on the main queue when `dueTime` has passed.
    @preconcurrency
    public final func scheduleRelative<StateType>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        main.scheduleRelative(state, dueTime: dueTime, action: action)
    }

    /// Schedules an action to be run on the main queue again and again.
    @preconcurrency
    public func schedulePeriodic<StateType>(
        _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> StateType
    ) -> any Disposable {
        main.schedulePeriodic(state, startAfter: startAfter, period: period, action: action)
    }
}

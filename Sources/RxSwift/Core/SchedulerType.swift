// SPDX-License-Identifier: Apache-2.0

public import Dispatch
public import FoundationEssentials

/// A point of a scheduler's clock.
public typealias RxTime = Date

/// A span of time with its unit, or `never`.
public typealias RxTimeInterval = DispatchTimeInterval

/// Schedules actions, also later and periodically.
public protocol SchedulerType: ImmediateSchedulerType {
    /// The scheduler's notion of the current time.
    var now: RxTime { get }

    /// Schedules an action to be run when `dueTime` has passed.
    ///
    /// - Parameters:
    ///   - state: passed to the action.
    ///   - dueTime: how long to wait.
    ///   - action: the work; the disposable it returns is disposed of together with the scheduled action.
    /// - Returns: cancels the action, as far as it has not run.
    @preconcurrency
    func scheduleRelative<StateType>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable

    /// Schedules an action to be run again and again.
    ///
    /// - Parameters:
    ///   - state: passed to the first run; each further run gets the result of the one before.
    ///   - startAfter: how long to wait before the first run.
    ///   - period: the time between two runs.
    ///   - action: the work, which returns the state for the next run.
    /// - Returns: a disposable that ends the repetition.
    @preconcurrency
    func schedulePeriodic<StateType>(
        _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> StateType
    ) -> any Disposable
}

/// The integers that `range`, `interval` and `timer` count in. RxSwift's older name for `FixedWidthInteger`.
public typealias RxAbstractInteger = FixedWidthInteger

// SPDX-License-Identifier: Apache-2.0

/// Schedules actions to be run soon.
@preconcurrency public protocol ImmediateSchedulerType: Sendable {
    /// Schedules an action to be run soon.
    ///
    /// - Parameters:
    ///   - state: passed to the action.
    ///   - action: the work; the disposable it returns is disposed of together with the scheduled action.
    /// - Returns: cancels the action, as far as it has not run.
    @preconcurrency
    func schedule<StateType>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable
}

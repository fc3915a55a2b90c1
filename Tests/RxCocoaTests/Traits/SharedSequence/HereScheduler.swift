// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxSwift

/// Runs each action inside `schedule`, and never runs a delayed action.
final class HereScheduler: SchedulerType {
    var now: Date { Date() }

    func schedule<StateType>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        action(state)
    }

    func scheduleRelative<StateType>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        Disposables.create()
    }
}

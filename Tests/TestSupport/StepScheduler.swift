// SPDX-License-Identifier: Apache-2.0

import RxSwift

/// Runs one action at each call of `step()`.
package final class StepScheduler: ImmediateSchedulerType {
    package init() {}

    package private(set) var actions: [() -> Void] = []

    package func schedule<StateType>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        let disposable = SingleAssignmentDisposable()
        actions.append { if !disposable.isDisposed { disposable.setDisposable(action(state)) } }
        return disposable
    }

    package func step() {
        if !actions.isEmpty { actions.removeFirst()() }
    }
}

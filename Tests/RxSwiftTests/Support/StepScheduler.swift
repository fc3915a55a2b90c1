import RxSwift

/// Runs one action at a time, when told to.
final class StepScheduler: ImmediateSchedulerType {
    private(set) var actions: [() -> Void] = []

    func schedule<StateType>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        let disposable = SingleAssignmentDisposable()
        actions.append { if !disposable.isDisposed { disposable.setDisposable(action(state)) } }
        return disposable
    }

    func step() {
        if !actions.isEmpty { actions.removeFirst()() }
    }
}

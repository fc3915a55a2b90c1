public class CurrentThreadScheduler: ImmediateSchedulerType {
    public static let instance = CurrentThreadScheduler()
    public func schedule<StateType>(_ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable) -> any Disposable { let job = ActionJob(state: state, action: action, scheduler: Trampoline.current); Trampoline.current.post(job); return job }
}

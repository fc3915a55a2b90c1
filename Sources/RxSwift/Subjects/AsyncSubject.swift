/// Passes the last element it received to its subscribers, once it completes; if it ends with an error, just that.
///
/// Events may come from any thread and from inside a callback. Who subscribes after completion gets the last element and
/// the completion inside `subscribe`.
/// - SeeAlso: [Subject](https://reactivex.io/documentation/subject.html)
public final class AsyncSubject<Element>: Observable<Element>, SubjectType, ObserverType {
    public typealias SubjectObserverType = AsyncSubject<Element>

    @usableFromInline let core: ReplayRing<Element>

    /// A subject without subscribers.
    public override init() {
        core = ReplayRing(name: "AsyncSubject", bound: 1, policy: .afterCompletion)
        super.init()
    }

    deinit {
        // A subscription that is not disposed of holds the core, and shall not hold what it remembers.
        core.forget()
    }

    /// Whether somebody is subscribed. If so, what is sent from then on reaches the subscription, also one of another thread.
    public var hasObservers: Bool { core.hasObservers }

    /// Remembers an element, or passes the end on, after the last element if it is completion.
    ///
    /// Delivers on this thread, unless another thread (or a callback further up) is delivering: then that one does.
    @inlinable
    public func on(_ event: Event<Element>) {
        switch event {
        case .next(let element): core.keep(element)
        case .error(let error): core.end(.error(error))
        case .completed: core.end(.completed)
        }
    }

    /// The subject as an observer.
    public func asObserver() -> AsyncSubject<Element> { self }

    package override var startsOnTrampoline: Bool { false }

    package override func subscribeCore(_ downstream: Sink<Element>) {
        core.admit(SubjectSubscription(core: core, downstream: downstream), downstream, subject: self)
    }
}

/// Passes each event it receives to all current subscribers, and tells each newcomer the value it has.
///
/// The value is that of the last element accepted, also while its delivery waits for another. A newcomer gets it inside
/// `subscribe`, and after that what comes later; after the terminal event it gets just that.
/// Events may come from any thread and from inside a callback: each subscriber gets them one at a time, in order of
/// acceptance, the subscribers of one event in order of subscription.
/// - SeeAlso: [Subject](https://reactivex.io/documentation/subject.html)
public final class BehaviorSubject<Element>: Observable<Element>, SubjectType, Cancelable, ObserverType {
    public typealias SubjectObserverType = BehaviorSubject<Element>

    @usableFromInline let core: ReplayRing<Element>
    private let disposal = Disposal()

    /// A subject without subscribers.
    ///
    /// - Parameter value: what it has until the first element comes.
    public init(value: Element) {
        core = ReplayRing(name: "BehaviorSubject", bound: 1, policy: .beforeEnd)
        super.init()
        core.keep(value)
    }

    deinit {
        // A subscription that is not disposed of holds the core, and shall not hold what it remembers.
        core.forget()
    }

    /// Whether somebody is subscribed. If so, what is sent from then on reaches the subscription, also one of another thread.
    public var hasObservers: Bool { core.hasObservers }

    /// Whether `dispose()` was called.
    public var isDisposed: Bool { disposal.isDisposed }

    /// The value of the last element accepted, also after completion.
    ///
    /// - Throws: the error that ended the subject; `RxError.disposed` after `dispose()`.
    public func value() throws -> Element {
        core.lock.lock()
        defer { core.lock.unlock() }
        if core.isForgotten { throw RxError.disposed(object: self) }
        if case .error(let error) = core.stop { throw error }
        return core.newest
    }

    /// Passes one event to all subscribers.
    ///
    /// Delivers on this thread, unless another thread (or a callback further up) is delivering: then that one does.
    @inlinable
    public func on(_ event: Event<Element>) {
        switch event {
        case .next(let element): core.accept(element)
        case .error(let error): core.end(.error(error))
        case .completed: core.end(.completed)
        }
    }

    /// The subject as an observer.
    public func asObserver() -> BehaviorSubject<Element> { self }

    /// Drops all subscribers without an event, and the value. Later subscribers get the error `RxError.disposed`.
    public func dispose() {
        if disposal.dispose() { core.forget() }
    }

    package override var startsOnTrampoline: Bool { false }

    package override func subscribeCore(_ downstream: Sink<Element>) {
        core.admit(SubjectSubscription(core: core, downstream: downstream), downstream, subject: self)
    }
}

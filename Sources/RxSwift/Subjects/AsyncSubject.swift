// SPDX-License-Identifier: Apache-2.0

/// Sends the last element it received to its subscribers once it completes; if it ends with an error, only the error.
///
/// Events may come from any thread and from inside a callback. A subscriber that comes after completion gets the last element and
/// the completion inside `subscribe`.
/// - SeeAlso: [Subject](https://reactivex.io/documentation/subject.html)
public final class AsyncSubject<Element>: Observable<Element>, SubjectType, ObserverType, @unchecked Sendable {
    /// The type of the subject as an observer.
    public typealias SubjectObserverType = AsyncSubject<Element>

    @usableFromInline let core: ReplayRing<Element>

    /// Creates a subject that has no subscribers.
    public override init() {
        core = ReplayRing(name: "AsyncSubject", bound: 1, policy: .afterCompletion)
        super.init()
    }

    deinit {
        // A subscription that is not disposed of holds the core, and must not hold the remembered element.
        core.forget()
    }

    /// True if there is a subscription. If so, every event sent from then on reaches it, also a subscription of another thread.
    public var hasObservers: Bool { core.hasObservers }

    /// Remembers an element, or forwards the terminal event, a completion after the last element.
    ///
    /// Delivers on the calling thread. If another thread (or a callback further up) is delivering, that drainer delivers instead.
    @inlinable
    public func on(_ event: Event<Element>) {
        switch event {
        case .next(let element): core.keep(element)
        case .error(let error): core.end(.error(error))
        case .completed: core.end(.completed)
        }
    }

    /// Returns the subject as an observer.
    public func asObserver() -> AsyncSubject<Element> { self }

    package override var startsOnTrampoline: Bool { false }

    package override func subscribeCore(_ downstream: Sink<Element>) {
        core.admit(SubjectSubscription(core: core, downstream: downstream), downstream, subject: self)
    }
}

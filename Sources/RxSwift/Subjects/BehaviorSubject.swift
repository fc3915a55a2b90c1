// SPDX-License-Identifier: Apache-2.0

/// Passes each event it receives to all current subscribers, and its value to each new subscriber.
///
/// The value is the last element accepted, also while its delivery waits for another delivery. A new subscriber gets it inside
/// `subscribe`, and the later events after that; a subscriber that comes after the terminal event gets only that event.
/// Events may come from any thread and from inside a callback: each subscriber gets them one at a time, in order of
/// acceptance, the subscribers of one event in order of subscription.
/// - SeeAlso: [Subject](https://reactivex.io/documentation/subject.html)
public final class BehaviorSubject<Element>: Observable<Element>, SubjectType, Cancelable, ObserverType,
    @unchecked Sendable
{
    /// The type of the subject as an observer.
    public typealias SubjectObserverType = BehaviorSubject<Element>

    @usableFromInline let core: ReplayRing<Element>
    private let disposal = DisposalFlag()

    /// Creates a subject that has no subscribers.
    ///
    /// - Parameter value: the subject's value until the first element comes.
    public init(value: Element) {
        core = ReplayRing(name: "BehaviorSubject", bound: 1, policy: .beforeEnd)
        super.init()
        core.keep(value)
    }

    deinit {
        // A subscription that is not disposed of holds the core, and must not hold the remembered element.
        core.forget()
    }

    /// True if there is a subscription. If so, every event sent from then on reaches it, also a subscription of another thread.
    public var hasObservers: Bool { core.hasObservers }

    /// True once `dispose()` has been called.
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
    /// Delivers on the calling thread. If another thread (or a callback further up) is delivering, that drainer delivers instead.
    @inlinable
    public func on(_ event: Event<Element>) {
        switch event {
        case .next(let element): core.accept(element)
        case .error(let error): core.end(.error(error))
        case .completed: core.end(.completed)
        }
    }

    /// Returns the subject as an observer.
    public func asObserver() -> BehaviorSubject<Element> { self }

    /// Drops all subscribers without an event, and the value.
    ///
    /// Later subscribers get the error `RxError.disposed`. Events that were accepted before are still delivered: inside a callback of this
    /// subject, those that the callback has sent.
    public func dispose() {
        if disposal.dispose() { core.forget() }
    }

    package override var startsOnTrampoline: Bool { false }

    package override func subscribeCore(_ downstream: Sink<Element>) {
        core.admit(SubjectSubscription(core: core, downstream: downstream), downstream, subject: self)
    }
}

extension BehaviorSubject: PausingObserver {
    @usableFromInline
    package func pauses(_ source: any PausableSource) -> Bool { core.pauses(source) }
}

public import RxSwift

/// Passes each element it accepts to all current subscribers, and tells each newcomer the value it has. Never fails and never
/// completes.
///
/// The value is that of the last element accepted, also while its delivery waits for another. A newcomer gets it inside
/// `subscribe`, and after that what comes later.
/// Elements may come from any thread and from inside a callback: each subscriber gets them one at a time, in order of
/// acceptance, the subscribers of one element in order of subscription.
/// - SeeAlso: [Subject](https://reactivex.io/documentation/subject.html)
public final class BehaviorRelay<Element>: ObservableType {
    @usableFromInline let subject: BehaviorSubject<Element>

    /// A relay without subscribers.
    ///
    /// - Parameter value: what it has until the first element comes.
    @inlinable
    public init(value: Element) {
        subject = BehaviorSubject(value: value)
    }

    /// The value of the last element accepted.
    public var value: Element {
        // A relay hands its subject's terminal events to nobody, so there is always a value.
        try! subject.value()
    }

    /// Makes an element the value, and passes it to all subscribers.
    ///
    /// Delivers on this thread, unless another thread (or a callback further up) is delivering: then that one does.
    @inlinable
    public func accept(_ event: Element) {
        subject.onNext(event)
    }

    /// Subscribes an observer, which gets the value at once and then every element that comes later.
    ///
    /// - Returns: ends the subscription when disposed of.
    @inlinable
    public func subscribe<Observer: ObserverType>(
        _ observer: Observer
    ) -> any Disposable where Observer.Element == Element {
        subject.subscribe(observer)
    }

    /// The relay as an observable, which can't be written to.
    @inlinable
    public func asObservable() -> Observable<Element> { subject }

    /// The relay as a sequence that does not fail, which can't be written to.
    @inlinable
    public func asInfallible() -> Infallible<Element> { Infallible(raw: subject) }
}

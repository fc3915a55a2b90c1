// SPDX-License-Identifier: Apache-2.0

public import RxSwift

/// Passes each element it accepts to all current subscribers, and its value to each new subscriber.
///
/// A relay never fails and never completes. The value is the last element accepted, also while its delivery waits for another
/// delivery. A new subscriber gets it inside `subscribe`, and the later elements after that.
/// Elements may come from any thread and from inside a callback: each subscriber gets them one at a time, in order of
/// acceptance, the subscribers of one element in order of subscription.
/// - SeeAlso: [Subject](https://reactivex.io/documentation/subject.html)
public final class BehaviorRelay<Element>: ObservableType, @unchecked Sendable {
    @usableFromInline let subject: BehaviorSubject<Element>

    /// Creates a relay that has no subscribers.
    ///
    /// - Parameter value: the relay's value until the first element comes.
    @inlinable
    public init(value: Element) {
        subject = BehaviorSubject(value: value)
    }

    /// The value of the last element accepted.
    public var value: Element {
        // A relay sends no terminal events to its subject, so there is always a value.
        try! subject.value()
    }

    /// Makes an element the value, and passes it to all subscribers.
    ///
    /// Delivers on the calling thread. If another thread (or a callback further up) is delivering, that drainer delivers instead.
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

extension BehaviorRelay: PausingObserver {
    @usableFromInline
    package func pauses(_ source: any PausableSource) -> Bool { subject.pauses(source) }
}

// SPDX-License-Identifier: Apache-2.0

public import RxSwift

/// Passes each element it accepts to all current subscribers, and never fails or completes.
///
/// Elements may come from any thread and from inside a callback: each subscriber gets them one at a time, in order of
/// acceptance, the subscribers of one element in order of subscription. Accepting takes no lock and allocates nothing while
/// no other thread is delivering.
/// - SeeAlso: [Subject](https://reactivex.io/documentation/subject.html)
public final class PublishRelay<Element>: ObservableType, @unchecked Sendable {
    @usableFromInline let subject: PublishSubject<Element>

    /// Creates a relay that has no subscribers.
    @inlinable
    public init() {
        subject = PublishSubject()
    }

    /// Passes an element to all subscribers.
    ///
    /// Delivers on the calling thread. If another thread (or a callback further up) is delivering, that drainer delivers instead.
    @inlinable
    public func accept(_ event: Element) {
        subject.onNext(event)
    }

    /// Subscribes an observer, which gets every element whose delivery starts from now on.
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

extension PublishRelay: PausingObserver {
    @usableFromInline
    package func pauses(_ source: any PausableSource) -> Bool { subject.pauses(source) }
}

// SPDX-License-Identifier: Apache-2.0

public import RxSwift

/// Passes each element it accepts to all current subscribers, and replays to each new subscriber the elements it accepted before.
///
/// A relay never fails and never completes. A new subscriber gets the remembered elements inside `subscribe`, and the later elements
/// after that.
/// Elements may come from any thread and from inside a callback: each subscriber gets them one at a time, in order of
/// acceptance, the subscribers of one element in order of subscription.
/// - SeeAlso: [Subject](https://reactivex.io/documentation/subject.html)
public final class ReplayRelay<Element>: ObservableType, @unchecked Sendable {
    @usableFromInline let subject: ReplaySubject<Element>

    @usableFromInline
    init(subject: ReplaySubject<Element>) {
        self.subject = subject
    }

    /// A relay that repeats its last elements.
    ///
    /// - Parameter bufferSize: how many elements to remember, at most; not negative. A new subscriber costs O(bufferSize).
    public static func create(bufferSize: Int) -> ReplayRelay<Element> {
        ReplayRelay(subject: .create(bufferSize: bufferSize))
    }

    /// A relay that repeats all its elements, and so holds them as long as it lives.
    public static func createUnbound() -> ReplayRelay<Element> {
        ReplayRelay(subject: .createUnbounded())
    }

    /// Passes an element to all subscribers, and remembers it.
    ///
    /// Delivers on the calling thread. If another thread (or a callback further up) is delivering, that drainer delivers instead.
    @inlinable
    public func accept(_ event: Element) {
        subject.onNext(event)
    }

    /// Subscribes an observer, which gets the remembered elements at once and then every element that comes later.
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

extension ReplayRelay: PausingObserver {
    @usableFromInline
    package func pauses(_ source: any PausableSource) -> Bool { subject.pauses(source) }
}

public import RxSwift

/// Passes each element it accepts to all current subscribers, and repeats to each newcomer what it accepted before. Never fails
/// and never completes.
///
/// A newcomer gets the remembered elements inside `subscribe`, and after that what comes later.
/// Elements may come from any thread and from inside a callback: each subscriber gets them one at a time, in order of
/// acceptance, the subscribers of one element in order of subscription.
/// - SeeAlso: [Subject](https://reactivex.io/documentation/subject.html)
public final class ReplayRelay<Element>: ObservableType {
    @usableFromInline let subject: ReplaySubject<Element>

    @usableFromInline
    init(subject: ReplaySubject<Element>) {
        self.subject = subject
    }

    /// A relay that repeats its last elements.
    ///
    /// - Parameter bufferSize: how many elements to remember, at most. Not negative. A newcomer costs O(bufferSize).
    public static func create(bufferSize: Int) -> ReplayRelay<Element> {
        ReplayRelay(subject: .create(bufferSize: bufferSize))
    }

    /// A relay that repeats all its elements, and so holds them as long as it lives.
    public static func createUnbound() -> ReplayRelay<Element> {
        ReplayRelay(subject: .createUnbounded())
    }

    /// Passes an element to all subscribers, and remembers it.
    ///
    /// Delivers on this thread, unless another thread (or a callback further up) is delivering: then that one does.
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

// SPDX-License-Identifier: Apache-2.0

/// A type that can be turned into an observable sequence.
public protocol ObservableConvertibleType<Element> {
    /// The type of the sequence's elements.
    associatedtype Element

    /// Returns the sequence as an `Observable`.
    func asObservable() -> Observable<Element>
}

/// A sequence of events that observers subscribe to.
public protocol ObservableType<Element>: ObservableConvertibleType {
    /// Subscribes an observer to the sequence's events.
    ///
    /// - Parameter observer: receives the events `next* (error | completed)?`, one after another.
    /// - Returns: ends the subscription when disposed of. Without it, everything is released at the terminal event.
    func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable where Observer.Element == Element
}

// SPDX-License-Identifier: Apache-2.0

/// The elements of a sequence that share a key, as sent by `groupBy`.
///
/// Subscribers get the elements that come after they subscribed.
public struct GroupedObservable<Key, Element>: ObservableType, @unchecked Sendable {
    /// The key that the elements of this group share.
    public let key: Key

    private let source: Observable<Element>

    /// Makes a group from its key and its elements.
    ///
    /// - Parameters:
    ///   - key: the key that the elements share.
    ///   - source: the elements.
    public init(key: Key, source: Observable<Element>) {
        self.key = key
        self.source = source
    }

    /// Subscribes an observer to the elements of this group.
    ///
    /// - Parameter observer: receives the events `next* (error | completed)?`, one after another.
    /// - Returns: a disposable that ends the subscription. Without it, everything is released at the terminal event.
    public func subscribe<Observer: ObserverType>(
        _ observer: Observer
    ) -> any Disposable where Observer.Element == Element {
        source.subscribe(observer)
    }

    /// The elements without the key.
    public func asObservable() -> Observable<Element> { source }
}

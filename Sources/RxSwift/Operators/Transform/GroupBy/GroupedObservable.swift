/// The elements of a sequence that share a key. Made by `groupBy`.
///
/// Subscribers see the elements that come after they subscribed.
public struct GroupedObservable<Key, Element>: ObservableType, @unchecked Sendable {
    /// What the elements of this group have in common.
    public let key: Key

    private let source: Observable<Element>

    /// A group.
    ///
    /// - Parameters:
    ///   - key: what the elements have in common.
    ///   - source: the elements.
    public init(key: Key, source: Observable<Element>) {
        self.key = key
        self.source = source
    }

    /// Subscribes an observer to the elements of this group.
    ///
    /// - Parameter observer: receives the events `next* (error | completed)?`, one after another.
    /// - Returns: ends the subscription when disposed of. Without it, everything is released at the terminal event.
    public func subscribe<Observer: ObserverType>(
        _ observer: Observer
    ) -> any Disposable where Observer.Element == Element {
        source.subscribe(observer)
    }

    /// The elements without the key.
    public func asObservable() -> Observable<Element> { source }
}

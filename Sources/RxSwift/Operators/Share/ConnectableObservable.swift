/// A sequence that runs only while it is connected, whoever is subscribed.
public protocol ConnectableObservableType: ObservableType {
    /// Subscribes to the source, unless that is done; from then on subscribers get its events.
    ///
    /// - Returns: disconnects from the source when disposed of.
    func connect() -> any Disposable
}

/// A sequence that runs only while it is connected, whoever is subscribed. Made by `publish`, `replay` and `multicast`.
/// - SeeAlso: [Connect](https://reactivex.io/documentation/operators/connect.html)
public class ConnectableObservable<Element>: Observable<Element>, ConnectableObservableType {
    /// Subscribes to the source, unless that is done; from then on subscribers get its events.
    ///
    /// From any thread. Connecting again after the source has ended, or after disconnecting, subscribes to the source anew.
    /// - Returns: disconnects from the source when disposed of.
    public func connect() -> any Disposable { abstractMethod() }
}

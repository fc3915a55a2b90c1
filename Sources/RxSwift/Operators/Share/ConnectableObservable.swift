// SPDX-License-Identifier: Apache-2.0

/// A sequence that runs only while it is connected, with or without subscribers.
public protocol ConnectableObservableType: ObservableType {
    /// Subscribes to the source, unless it is connected already; from then on subscribers get its events.
    ///
    /// - Returns: a disposable that disconnects from the source.
    func connect() -> any Disposable
}

/// A sequence that runs only while it is connected, with or without subscribers. `publish`, `replay` and `multicast` make one.
/// - SeeAlso: [Connect](https://reactivex.io/documentation/operators/connect.html)
public class ConnectableObservable<Element>: Observable<Element>, ConnectableObservableType, @unchecked Sendable {
    /// Subscribes to the source, unless it is connected already; from then on subscribers get its events.
    ///
    /// May be called from any thread. Connecting again after the source has ended, or after disconnecting, subscribes to the source anew.
    /// - Returns: a disposable that disconnects from the source.
    public func connect() -> any Disposable { abstractMethod() }
}

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

    // For `refCount`, which has to know what a subscriber waits for.

    /// Subscribes to the subject in use. Returns its number: each connection has a subject of its own, with a greater number.
    func subscribeToSubject(_ downstream: Sink<Element>) -> Int { abstractMethod() }

    /// True if the subject in use has ended, so that its subscribers get no more than it remembers.
    var hasSubjectEnded: Bool { abstractMethod() }

    /// Returns the existing connection of this subject, or a new one, which the caller has to `start`; nil if the subject is out of use, because its
    /// connection has ended.
    func prepareConnection(ofSubject number: Int) -> (connection: any DemandingConnection, isNew: Bool)? {
        abstractMethod()
    }

    /// Subscribes a new connection to the source.
    func start(_ connection: any DemandingConnection) { abstractMethod() }
}

// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
    /// Subscribes a closure to all events.
    ///
    /// - Parameter on: receives the events one at a time, on the threads that emit.
    /// - Returns: a disposable that ends the subscription.
    @preconcurrency @inlinable
    public func subscribe(_ on: @escaping @Sendable (Event<Element>) -> Void) -> any Disposable {
        let subscription = SubscriptionDisposable()
        asObservable().start(
            EventSink(
                onNext: { on(.next($0)) },
                onRequest: { request in
                    if case .stop(let error) = request { on(Event(stop: error)) }
                    return false
                },
                subscription: subscription))
        subscription.wasHandedOut()
        return subscription
    }

    /// Subscribes a closure for each kind of event.
    ///
    /// - Parameters:
    ///   - onNext: receives the elements, one at a time, on the threads that emit.
    ///   - onError: receives the error that ends the sequence. Without it, an error goes to `Hooks.defaultErrorHandler`.
    ///   - onCompleted: runs at the end of the sequence.
    ///   - onDisposed: runs once, after the terminal event or when the subscription is disposed of.
    /// - Returns: a disposable that ends the subscription.
    @preconcurrency @inlinable
    public func subscribe(
        onNext: (@Sendable (Element) -> Void)? = nil,
        onError: (@Sendable (any Swift.Error) -> Void)? = nil,
        onCompleted: (@Sendable () -> Void)? = nil,
        onDisposed: (@Sendable () -> Void)? = nil
    ) -> any Disposable {
        let subscription = SubscriptionDisposable(onDisposed: onDisposed)
        asObservable().start(
            ClosureSink(onNext: onNext, onError: onError, onCompleted: onCompleted, subscription: subscription))
        subscription.wasHandedOut()
        return subscription
    }

    /// Subscribes a closure for each kind of event, each of which receives an object that is held weakly.
    ///
    /// - Parameters:
    ///   - object: passed to the closures as long as it lives; without it they are not called.
    ///   - onNext: receives the elements, one at a time, on the threads that emit.
    ///   - onError: receives the error that ends the sequence.
    ///   - onCompleted: runs at the end of the sequence.
    ///   - onDisposed: runs once, after the terminal event or when the subscription is disposed of.
    /// - Returns: a disposable that ends the subscription.
    @preconcurrency
    public func subscribe<Object: AnyObject>(
        with object: Object,
        onNext: (@Sendable (Object, Element) -> Void)? = nil,
        onError: (@Sendable (Object, any Swift.Error) -> Void)? = nil,
        onCompleted: (@Sendable (Object) -> Void)? = nil,
        onDisposed: (@Sendable (Object) -> Void)? = nil
    ) -> any Disposable {
        nonisolated(unsafe) weak let object = object
        return subscribe(
            onNext: { element in if let object { onNext?(object, element) } },
            // Without a closure the error is not swallowed here, but goes where unhandled errors go.
            onError: onError.map { onError in { @Sendable error in if let object { onError(object, error) } } },
            onCompleted: { if let object { onCompleted?(object) } },
            onDisposed: { if let object { onDisposed?(object) } }
        )
    }
}

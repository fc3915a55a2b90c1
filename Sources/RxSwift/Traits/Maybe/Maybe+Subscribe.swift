// SPDX-License-Identifier: Apache-2.0

extension PrimitiveSequenceType where Trait == MaybeTrait {
    /// Receives the one event of a maybe.
    public typealias MaybeObserver = (MaybeEvent<Element>) -> Void

    /// Subscribes a closure to the one event.
    ///
    /// - Parameter observer: receives the one event of the maybe, on the thread that emits it.
    /// - Returns: ends the subscription when disposed of.
    @preconcurrency @inlinable
    public func subscribe(_ observer: @escaping @Sendable (MaybeEvent<Element>) -> Void) -> any Disposable {
        subscribe(
            onSuccess: { observer(.success($0)) }, onError: { observer(.error($0)) },
            onCompleted: { observer(.completed) })
    }

    /// Subscribes a closure for the element, one for the error, and one for the lack of both.
    ///
    /// One of the first three runs, once.
    /// - Parameters:
    ///   - onSuccess: receives the element, on the thread that emits it.
    ///   - onError: receives the error. Without it, an error goes to `Hooks.defaultErrorHandler`.
    ///   - onCompleted: runs when the maybe completes without an element.
    ///   - onDisposed: runs once, after one of those or when the subscription is disposed of.
    /// - Returns: ends the subscription when disposed of.
    @preconcurrency @inlinable
    public func subscribe(
        onSuccess: (@Sendable (Element) -> Void)? = nil,
        onError: (@Sendable (any Swift.Error) -> Void)? = nil,
        onCompleted: (@Sendable () -> Void)? = nil,
        onDisposed: (@Sendable () -> Void)? = nil
    ) -> any Disposable {
        let sink = OutcomeSink(
            onSuccess: onSuccess, onError: onError, onCompleted: onCompleted, onDisposed: onDisposed,
            requiresElement: false)
        primitiveSequence.source.start(sink)
        sink.subscription.wasHandedOut()
        return sink.subscription
    }

    /// Subscribes closures which receive an object that is held weakly.
    ///
    /// - Parameters:
    ///   - object: passed to the closures as long as it lives; without it they are not called.
    ///   - onSuccess: receives the element, on the thread that emits it.
    ///   - onError: receives the error.
    ///   - onCompleted: runs when the maybe completes without an element.
    ///   - onDisposed: runs once, after one of those or when the subscription is disposed of.
    /// - Returns: ends the subscription when disposed of.
    @preconcurrency
    public func subscribe<Object: AnyObject>(
        with object: Object,
        onSuccess: (@Sendable (Object, Element) -> Void)? = nil,
        onError: (@Sendable (Object, any Swift.Error) -> Void)? = nil,
        onCompleted: (@Sendable (Object) -> Void)? = nil,
        onDisposed: (@Sendable (Object) -> Void)? = nil
    ) -> any Disposable {
        nonisolated(unsafe) weak let object = object
        return subscribe(
            onSuccess: { element in if let object { onSuccess?(object, element) } },
            // Without a closure the error is not swallowed here, but goes to the handler of unhandled errors.
            onError: onError.map { onError in { @Sendable error in if let object { onError(object, error) } } },
            onCompleted: { if let object { onCompleted?(object) } },
            onDisposed: { if let object { onDisposed?(object) } })
    }
}

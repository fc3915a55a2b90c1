// SPDX-License-Identifier: Apache-2.0

extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Never {
    /// Receives the one event of a completable.
    public typealias CompletableObserver = (CompletableEvent) -> Void

    /// Subscribes a closure to the one event.
    ///
    /// - Parameter observer: receives the end or the error, on the thread that emits it.
    /// - Returns: ends the subscription when disposed of.
    @preconcurrency @inlinable
    public func subscribe(_ observer: @escaping @Sendable (CompletableEvent) -> Void) -> any Disposable {
        subscribe(onCompleted: { observer(.completed) }, onError: { observer(.error($0)) })
    }

    /// Subscribes a closure for the end and one for the error.
    ///
    /// - Parameters:
    ///   - onCompleted: runs at the end, on the thread that emits it.
    ///   - onError: receives the error. Without it, an error goes to `Hooks.defaultErrorHandler`.
    ///   - onDisposed: runs once, after the terminal event or when the subscription is disposed of.
    /// - Returns: ends the subscription when disposed of.
    @preconcurrency @inlinable
    public func subscribe(
        onCompleted: (@Sendable () -> Void)? = nil,
        onError: (@Sendable (any Swift.Error) -> Void)? = nil,
        onDisposed: (@Sendable () -> Void)? = nil
    ) -> any Disposable {
        primitiveSequence.source.subscribe(onError: onError, onCompleted: onCompleted, onDisposed: onDisposed)
    }

    /// Subscribes closures which receive an object that is held weakly.
    ///
    /// - Parameters:
    ///   - object: passed to the closures as long as it lives; without it they are not called.
    ///   - onCompleted: runs at the end, on the thread that emits it.
    ///   - onError: receives the error.
    ///   - onDisposed: runs once, after the terminal event or when the subscription is disposed of.
    /// - Returns: ends the subscription when disposed of.
    @preconcurrency
    public func subscribe<Object: AnyObject>(
        with object: Object,
        onCompleted: (@Sendable (Object) -> Void)? = nil,
        onError: (@Sendable (Object, any Swift.Error) -> Void)? = nil,
        onDisposed: (@Sendable (Object) -> Void)? = nil
    ) -> any Disposable {
        nonisolated(unsafe) weak let object = object
        return subscribe(
            onCompleted: { if let object { onCompleted?(object) } },
            // Without a closure the error is not swallowed here, but goes to the handler of unhandled errors.
            onError: onError.map { onError in { @Sendable error in if let object { onError(object, error) } } },
            onDisposed: { if let object { onDisposed?(object) } })
    }
}

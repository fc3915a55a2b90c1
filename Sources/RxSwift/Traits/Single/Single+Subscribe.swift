// SPDX-License-Identifier: Apache-2.0

extension PrimitiveSequenceType where Trait == SingleTrait {
    /// Receives the one event of a single.
    public typealias SingleObserver = (SingleEvent<Element>) -> Void

    /// Subscribes a closure to the one event.
    ///
    /// - Parameter observer: receives the element or the error, on the thread that emits it.
    /// - Returns: ends the subscription when disposed of.
    @preconcurrency @inlinable
    public func subscribe(_ observer: @escaping @Sendable (SingleEvent<Element>) -> Void) -> any Disposable {
        subscribe(onSuccess: { observer(.success($0)) }, onFailure: { observer(.failure($0)) })
    }

    /// Subscribes a closure for the element and one for the error.
    ///
    /// One of the first two runs, once. A single that turns out to have no element, as `retry(0)` makes one, fails with
    /// `RxError.noElements`.
    /// - Parameters:
    ///   - onSuccess: receives the element, on the thread that emits it.
    ///   - onFailure: receives the error. Without it, an error goes to `Hooks.defaultErrorHandler`.
    ///   - onDisposed: runs once, after one of those or when the subscription is disposed of.
    /// - Returns: ends the subscription when disposed of.
    @preconcurrency @inlinable
    public func subscribe(
        onSuccess: (@Sendable (Element) -> Void)? = nil,
        onFailure: (@Sendable (any Swift.Error) -> Void)? = nil,
        onDisposed: (@Sendable () -> Void)? = nil
    ) -> any Disposable {
        let sink = OutcomeSink(
            onSuccess: onSuccess, onError: onFailure, onCompleted: nil, onDisposed: onDisposed, requiresElement: true)
        primitiveSequence.source.start(sink)
        sink.subscription.wasHandedOut()
        return sink.subscription
    }

    /// Subscribes closures which receive an object that is held weakly.
    ///
    /// - Parameters:
    ///   - object: passed to the closures as long as it lives; without it they are not called.
    ///   - onSuccess: receives the element, on the thread that emits it.
    ///   - onFailure: receives the error.
    ///   - onDisposed: runs once, after the terminal event or when the subscription is disposed of.
    /// - Returns: ends the subscription when disposed of.
    @preconcurrency
    public func subscribe<Object: AnyObject>(
        with object: Object,
        onSuccess: (@Sendable (Object, Element) -> Void)? = nil,
        onFailure: (@Sendable (Object, any Swift.Error) -> Void)? = nil,
        onDisposed: (@Sendable (Object) -> Void)? = nil
    ) -> any Disposable {
        nonisolated(unsafe) weak let object = object
        return subscribe(
            onSuccess: { element in if let object { onSuccess?(object, element) } },
            // Without a closure the error is not swallowed here, but goes to the handler of unhandled errors.
            onFailure: onFailure.map { onFailure in { @Sendable error in if let object { onFailure(object, error) } } },
            onDisposed: { if let object { onDisposed?(object) } })
    }

    /// The form of `subscribe` with the former name of `onFailure`.
    ///
    /// - Parameters:
    ///   - onSuccess: receives the element.
    ///   - onError: receives the error.
    ///   - onDisposed: runs once, when the subscription has ended.
    /// - Returns: ends the subscription when disposed of.
    @preconcurrency
    @available(*, deprecated, renamed: "subscribe(onSuccess:onFailure:onDisposed:)")
    public func subscribe(
        onSuccess: (@Sendable (Element) -> Void)? = nil,
        onError: @escaping @Sendable (any Swift.Error) -> Void,
        onDisposed: (@Sendable () -> Void)? = nil
    ) -> any Disposable {
        subscribe(onSuccess: onSuccess, onFailure: onError, onDisposed: onDisposed)
    }
}

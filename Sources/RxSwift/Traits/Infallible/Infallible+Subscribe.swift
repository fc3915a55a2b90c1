// SPDX-License-Identifier: Apache-2.0

extension InfallibleType {
    /// Subscribes a closure to all events.
    ///
    /// - Parameter on: receives the events one at a time, on the threads that emit. An error, which should not be, goes to
    ///   `Hooks.defaultErrorHandler` and ends the subscription.
    /// - Returns: ends the subscription when disposed of.
    @preconcurrency @inlinable
    public func subscribe(_ on: @escaping @Sendable (InfallibleEvent<Element>) -> Void) -> any Disposable {
        asObservable().subscribe(onNext: { on(.next($0)) }, onCompleted: { on(.completed) })
    }

    /// Subscribes a closure for each kind of event.
    ///
    /// - Parameters:
    ///   - onNext: receives the elements, one at a time, on the threads that emit.
    ///   - onCompleted: runs at the end of the sequence. An error, which should not be, goes to `Hooks.defaultErrorHandler`.
    ///   - onDisposed: runs once, after the terminal event or when the subscription is disposed of.
    /// - Returns: ends the subscription when disposed of.
    @preconcurrency @inlinable
    public func subscribe(
        onNext: (@Sendable (Element) -> Void)? = nil,
        onCompleted: (@Sendable () -> Void)? = nil,
        onDisposed: (@Sendable () -> Void)? = nil
    ) -> any Disposable {
        asObservable().subscribe(onNext: onNext, onCompleted: onCompleted, onDisposed: onDisposed)
    }

    /// Subscribes a closure for each kind of event, each of which receives an object that is held weakly.
    ///
    /// - Parameters:
    ///   - object: passed to the closures as long as it lives; without it they are not called.
    ///   - onNext: receives the elements, one at a time, on the threads that emit.
    ///   - onCompleted: runs at the end of the sequence.
    ///   - onDisposed: runs once, after the terminal event or when the subscription is disposed of.
    /// - Returns: ends the subscription when disposed of.
    @preconcurrency
    public func subscribe<Object: AnyObject>(
        with object: Object,
        onNext: (@Sendable (Object, Element) -> Void)? = nil,
        onCompleted: (@Sendable (Object) -> Void)? = nil,
        onDisposed: (@Sendable (Object) -> Void)? = nil
    ) -> any Disposable {
        asObservable().subscribe(with: object, onNext: onNext, onCompleted: onCompleted, onDisposed: onDisposed)
    }
}

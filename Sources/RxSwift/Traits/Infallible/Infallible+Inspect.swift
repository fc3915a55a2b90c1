// SPDX-License-Identifier: Apache-2.0

extension Infallible {
    /// Runs closures at the events of the sequence, which pass unchanged.
    ///
    /// The closures run on the thread of the event. An error that a closure for an event throws takes the place of that event,
    /// see `Infallible`; thrown by `afterCompleted`, it comes too late and is dropped.
    /// - Parameters:
    ///   - onNext: runs before an element is passed on.
    ///   - afterNext: runs after an element was passed on, also when that has ended the subscription.
    ///   - onCompleted: runs before `completed` is passed on.
    ///   - afterCompleted: runs after `completed` was passed on.
    ///   - onSubscribe: runs before the source is subscribed to.
    ///   - onSubscribed: runs after the source was subscribed to. A synchronous source may have sent everything by then.
    ///   - onDispose: runs once when the subscription has ended, by a terminal event or by `dispose()`: after the source was disposed
    ///     of, after `onSubscribed`, and after the closures of the terminal event.
    /// - SeeAlso: [Do](https://reactivex.io/documentation/operators/do.html)
    @preconcurrency @inlinable
    public func `do`(
        onNext: (@Sendable (Element) throws -> Void)? = nil,
        afterNext: (@Sendable (Element) throws -> Void)? = nil,
        onCompleted: (@Sendable () throws -> Void)? = nil,
        afterCompleted: (@Sendable () throws -> Void)? = nil,
        onSubscribe: (@Sendable () -> Void)? = nil,
        onSubscribed: (@Sendable () -> Void)? = nil,
        onDispose: (@Sendable () -> Void)? = nil
    ) -> Infallible<Element> {
        Infallible(
            raw: source.do(
                onNext: onNext, afterNext: afterNext, onCompleted: onCompleted, afterCompleted: afterCompleted,
                onSubscribe: onSubscribe, onSubscribed: onSubscribed, onDispose: onDispose))
    }
}

extension InfallibleType {
    /// Prints what happens to each subscription: `subscribed`, each event, `isDisposed`.
    ///
    /// A line reads `2024-01-31 12:00:00.000: identifier -> Event next(1)`, in local time, on standard output.
    /// - Parameters:
    ///   - identifier: stands in each line; by default file, line and function of the call.
    ///   - trimOutput: whether descriptions of events longer than 40 characters are shortened to the first and last 20.
    ///   - file: the file of the call.
    ///   - line: the line of the call.
    ///   - function: the function of the call.
    /// - SeeAlso: [Do](https://reactivex.io/documentation/operators/do.html)
    public func debug(
        _ identifier: String? = nil, trimOutput: Bool = false, file: String = #file, line: UInt = #line,
        function: String = #function
    ) -> Infallible<Element> {
        Infallible(
            raw: asObservable().debug(
                identifier, trimOutput: trimOutput, file: file, line: line, function: function))
    }

    /// Combines each element with an object that is held weakly.
    ///
    /// Completes at the first element that comes when the object is gone.
    /// - Parameters:
    ///   - obj: the object. The sequence does not keep it alive.
    ///   - resultSelector: makes the result from the object and an element, on the thread that emits it.
    @preconcurrency @inlinable
    public func withUnretained<Object: AnyObject, Out>(
        _ obj: Object, resultSelector: @escaping @Sendable (Object, Element) -> Out
    ) -> Infallible<Out> {
        Infallible(raw: asObservable().withUnretained(obj, resultSelector: resultSelector))
    }

    /// Pairs each element with an object that is held weakly.
    ///
    /// Completes at the first element that comes when the object is gone.
    /// - Parameter obj: the object. The sequence does not keep it alive.
    @inlinable
    public func withUnretained<Object: AnyObject>(_ obj: Object) -> Infallible<(Object, Element)> {
        Infallible(raw: asObservable().withUnretained(obj))
    }
}

// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
    /// Runs closures at the events of the sequence, which pass unchanged.
    ///
    /// The closures run on the thread of the event. An error that a closure for an event throws replaces that event; an error from
    /// an `after...` closure of a terminal event comes too late and is dropped.
    /// - Parameters:
    ///   - onNext: runs before an element is passed on.
    ///   - afterNext: runs after an element was passed on, also when that has ended the subscription.
    ///   - onError: runs before an error of the source is passed on.
    ///   - afterError: runs after an error was passed on.
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
        onError: (@Sendable (any Swift.Error) throws -> Void)? = nil,
        afterError: (@Sendable (any Swift.Error) throws -> Void)? = nil,
        onCompleted: (@Sendable () throws -> Void)? = nil,
        afterCompleted: (@Sendable () throws -> Void)? = nil,
        onSubscribe: (@Sendable () -> Void)? = nil,
        onSubscribed: (@Sendable () -> Void)? = nil,
        onDispose: (@Sendable () -> Void)? = nil
    ) -> Observable<Element> {
        var result = asObservable()
        let watchesSubscription = onSubscribe != nil || onSubscribed != nil || onDispose != nil
        let watchesEnd = onError != nil || afterError != nil || onCompleted != nil || afterCompleted != nil
        if watchesSubscription {
            result = DoOnLifecycle(
                source: result, onSubscribe: onSubscribe, onSubscribed: onSubscribed, onDispose: onDispose)
        }
        if watchesEnd {
            result = DoOnTermination(
                source: result,
                actions: TerminationActions(
                    onError: onError, afterError: afterError, onCompleted: onCompleted, afterCompleted: afterCompleted))
        }
        // This is the lowest part, because an error that these closures throw is not for `onError`. Without any closure, `do` is still an operator.
        if onNext != nil || afterNext != nil || !watchesSubscription && !watchesEnd {
            result = DoOnNext(source: result, onNext: onNext, afterNext: afterNext, isAlone: !watchesEnd)
        }
        return result
    }
}

// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
    /// Subscribes closures of the main actor, and delivers to them on the main queue.
    ///
    /// The operator delivers as `observe(on: MainScheduler.instance).subscribe(...)` does. Its closures may use what belongs to the main actor,
    /// while the compiler cannot know on which thread `subscribe` calls its own. On the main queue elements that come at once arrive inside
    /// this call.
    /// - Parameters:
    ///   - onMainNext: receives the elements, one at a time.
    ///   - onError: receives the error that ends the sequence. Without it, an error goes to `Hooks.defaultErrorHandler`.
    ///   - onCompleted: runs at the end of the sequence.
    ///   - onDisposed: runs once, after the terminal event or when the subscription is disposed of; later on the main queue if that is
    ///     elsewhere.
    /// - Returns: ends the subscription when disposed of, on any thread. On another thread than the main one, an element that is being
    ///   delivered at that moment may still come.
    public func subscribe(
        onMainNext: @escaping @MainActor (Element) -> Void,
        onError: (@MainActor (any Swift.Error) -> Void)? = nil,
        onCompleted: (@MainActor () -> Void)? = nil,
        onDisposed: (@MainActor () -> Void)? = nil
    ) -> any Disposable {
        asObservable().observe(on: MainScheduler.instance).subscribe(
            onNext: withoutIsolation(onMainNext), onError: onError.map { withoutIsolation($0) },
            onCompleted: onCompleted.map { withoutIsolation($0) },
            onDisposed: onDisposed.map { onMainQueue(withoutIsolation($0)) })
    }
}

// SPDX-License-Identifier: Apache-2.0

extension Disposable {
    /// Disposes of this disposable when a task has returned or thrown.
    ///
    /// Costs a task that waits for the other one, and holds the disposable until then. To end a subscription as soon as a task is
    /// cancelled, use `withSubscription(_:operation:)` inside the task.
    /// - Parameter task: the task. If it has ended already, the disposable is disposed of soon, on another thread.
    public func disposed<Success, Failure>(by task: Task<Success, Failure>) {
        Task.detached {
            _ = await task.result
            self.dispose()
        }
    }
}

/// Runs asynchronous code while a subscription is open, and then disposes of the subscription.
///
///     let total = try await withSubscription(prices.subscribe(onNext: { show($0) })) {
///         try await order()
///     }
///
/// When the task is cancelled the subscription is disposed of at once, on the thread that cancels; the code runs on until it notices.
/// - Parameters:
///   - subscription: made before `operation` begins; also if the task is cancelled already, and then disposed of before that.
///   - operation: the code, in the isolation of the caller.
/// - Returns: what `operation` returns; an error that it throws is passed on, when the subscription has been disposed of.
public nonisolated(nonsending) func withSubscription<Result>(
    _ subscription: any Disposable, operation: nonisolated(nonsending) () async throws -> Result
) async rethrows -> Result {
    // Disposes once, also of a disposable that does not expect more than one call.
    let ending = Disposables.create { subscription.dispose() }
    defer { ending.dispose() }
    return try await withTaskCancellationHandler(operation: operation, onCancel: { ending.dispose() })
}

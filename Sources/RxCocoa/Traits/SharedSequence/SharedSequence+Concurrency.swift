import RxSwift

extension SharedSequence {
    /// The elements as an asynchronous sequence, for the main actor.
    ///
    /// Subscribes when this property is read. Elements wait in order, as many as there are, until they are asked for. The subscription
    /// ends with the stream: when the task that iterates is cancelled, or when the last copy of the stream is gone.
    /// The iteration ends at the end of the sequence and when its task is cancelled.
    @MainActor public var values: AsyncStream<Element> {
        AsyncStream { continuation in
            // It may be disposed of from any thread.
            nonisolated(unsafe) let subscription = asObservable().subscribe(
                onNext: { continuation.yield($0) },
                onDisposed: { continuation.finish() })
            continuation.onTermination = { _ in subscription.dispose() }
        }
    }
}

extension ObservableConvertibleType {
    /// The elements as an asynchronous sequence.
    ///
    /// Subscribes when this property is read, on the thread that reads it. Elements wait in order, as many as there are, until they
    /// are asked for: a stream that throws does not tell when an element is taken, so its source is never paused. The subscription ends with the stream: when the task that iterates is cancelled, or when the last copy of the
    /// stream is gone. The iteration ends at the terminal event, and throws the error of the sequence; when its task is
    /// cancelled it throws `CancellationError`.
    public var values: AsyncThrowingStream<Element, any Swift.Error> {
        AsyncThrowingStream { continuation in
            // It may be disposed of from any thread.
            nonisolated(unsafe) let subscription = asObservable().subscribe(
                onNext: { continuation.yield($0) },
                onError: { continuation.finish(throwing: $0) },
                onCompleted: { continuation.finish() },
                // Without effect after a terminal event: a stream keeps its first end.
                onDisposed: { continuation.finish(throwing: CancellationError()) })
            continuation.onTermination = { _ in subscription.dispose() }
        }
    }
}

extension InfallibleType {
    /// The elements as an asynchronous sequence that does not throw.
    ///
    /// Subscribes when this property is read, on the thread that reads it. Elements wait in order until they are asked for: a source
    /// that can pause does so while 8,192 elements wait, or 1 MiB of `Weighted` ones, until half of that is left; of other sources there wait
    /// as many as come. The subscription ends with the stream: when the task that iterates is cancelled, or when the last copy of the
    /// stream is gone. The iteration ends at the end of the sequence and when its task is cancelled; then elements that wait are dropped.
    public var values: AsyncStream<Element> {
        let subscription = ValuesSubscription(to: asObservable())
        return AsyncStream(unfolding: { await subscription.take() }, onCancel: subscription.disposal)
    }
}

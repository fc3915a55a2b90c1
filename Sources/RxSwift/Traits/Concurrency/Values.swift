// SPDX-License-Identifier: Apache-2.0

extension ObservableConvertibleType {
    /// The elements as an asynchronous sequence.
    ///
    /// Subscribes when this property is read, on the thread that reads it: a source that repeats for ever within its subscription, as `retry()` of one
    /// that fails at once, needs `subscribe(on:)`. Elements wait in order until they are asked for: a source
    /// that can pause does so while about 8,700 elements wait, or 16 and 1 MiB of `Weighted` ones; of other sources there wait as many as come.
    /// Behind 512 elements that wait, or 16 `Weighted` ones, the others follow by a timer: every 100 microseconds or, after a time in which
    /// no task has asked, within about that time, a second at most.
    ///
    /// The subscription ends with the stream: when the task that iterates is cancelled, or when the last copy of the stream is gone. The
    /// iteration ends at the terminal event, and throws the error of the sequence. When its task is cancelled it throws
    /// `CancellationError` after the first 512 elements that wait, or the first 16.
    public var values: AsyncThrowingStream<Element, any Swift.Error> {
        ThrowingValuesSink.stream(of: asObservable())
    }
}

extension InfallibleType {
    /// The elements as an asynchronous sequence that does not throw.
    ///
    /// Subscribes when this property is read, on the thread that reads it, as the property of an observable does. Elements wait in order until they are asked for: a source
    /// that can pause does so while 8,192 elements wait, or 1 MiB of `Weighted` ones, until half of that is left; of other sources there wait
    /// as many as come. The subscription ends with the stream: when the task that iterates is cancelled, or when the last copy of the
    /// stream is gone. The iteration ends at the end of the sequence and when its task is cancelled; then elements that wait are dropped.
    public var values: AsyncStream<Element> {
        let subscription = ValuesSubscription(to: asObservable())
        return AsyncStream(unfolding: { await subscription.take() }, onCancel: subscription.disposal)
    }
}

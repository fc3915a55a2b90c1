// SPDX-License-Identifier: Apache-2.0

import RxSwift

extension SharedSequence {
    /// The elements as an asynchronous sequence, for the main actor.
    ///
    /// Subscribes when this property is read. Elements wait in order until they are asked for: a source that can pause does so while 8,192
    /// elements wait, or 1 MiB of `Weighted` ones, until half of that is left; of other sources there wait as many as come. The
    /// subscription ends with the stream: when the task that iterates is cancelled, or when the last copy of the stream is gone.
    /// The iteration ends at the end of the sequence and when its task is cancelled; then elements that wait are dropped.
    @MainActor public var values: AsyncStream<Element> {
        let subscription = ValuesSubscription(to: asObservable())
        return AsyncStream(unfolding: { await subscription.take() }, onCancel: subscription.disposal)
    }

    /// The elements as an asynchronous sequence for the main actor, with a policy for those that come while the task is busy.
    ///
    /// As `values(buffering:onDropped:)` of an infallible: subscribes when it is called; the subscription ends with the sequence, its iterators and the
    /// task that iterates.
    @preconcurrency
    @MainActor public func values(
        buffering: ValuesBuffering, onDropped: (@Sendable (Element) -> Void)? = nil
    ) -> ObservableValues<Element, Never> {
        ObservableValues(ValuesSubscription(to: asObservable(), buffering, onDropped: onDropped))
    }
}

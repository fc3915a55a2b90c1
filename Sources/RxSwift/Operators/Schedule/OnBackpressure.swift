// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
    /// Keeps elements while the stages below pause this one, up to a bound.
    ///
    /// `observe(on:)`, `zip`, `merge(maxConcurrent:)` and others pause their sources while their own queues are full. A source that cannot
    /// pause (a subject, a timer, a user's `create`) sends on, and their queues grow. This operator stands between: it asks before it passes
    /// elements on, and keeps them while the answer is that it has to pause. Without a stage below that pauses, it passes every element on.
    ///
    /// It asks before the first element, after elements 2, 4 and 8, then after each 16th: so up to 15 elements are passed on after a stage
    /// below has come to its bound. Events keep their order and come one at a time: on the thread that emits them, or, if they were kept,
    /// on that thread or one of the runtime's. The thread that resumes the operator never delivers. A terminal event comes after the
    /// elements that are kept.
    ///
    /// Costs O(1) per element: two atomic read-modify-writes, and no allocation while none is kept.
    /// - Parameters:
    ///   - buffer: the number of elements that may be kept, exactly; with `.suspend` besides those that a source emits between two
    ///     questions: a synchronous one asks after every 16th. Must be positive, which is checked when the operator is applied; not used
    ///     by `.latest`.
    ///   - overflow: what happens to elements that come while so many are kept. `.suspend` keeps all elements of a source that cannot
    ///     pause. With the other policies the operator never pauses its source.
    ///   - onDropped: receives each element that is dropped, also the one for which `.error` ends the sequence: on the thread that emits,
    ///     one at a time, with no lock held. Not called for the elements that a disposal releases.
    /// - Returns: with `.error`, fails with a `BackpressureOverflowError`, after the elements that are kept; the source is cancelled at once.
    /// - SeeAlso: [Backpressure](https://reactivex.io/documentation/operators/backpressure.html)
    @preconcurrency
    public func onBackpressure(
        buffer: Int = 8_192, overflow: BackpressureOverflow, onDropped: (@Sendable (Element) -> Void)? = nil
    ) -> Observable<Element> {
        OnBackpressure(
            source: asObservable(),
            policy: OverflowPolicy(overflow, buffer: buffer, operatorName: "onBackpressure(buffer:overflow:)"),
            onDropped: onDropped)
    }
}

private final class OnBackpressure<Element>: Observable<Element>, @unchecked Sendable {
    private let source: Observable<Element>
    private let policy: OverflowPolicy
    private let onDropped: ((Element) -> Void)?

    init(source: Observable<Element>, policy: OverflowPolicy, onDropped: ((Element) -> Void)?) {
        self.source = source
        self.policy = policy
        self.onDropped = onDropped
        super.init()
    }

    override func subscribeCore(_ downstream: Sink<Element>) {
        let sink = OnBackpressureSink(downstream: downstream, policy: policy, onDropped: onDropped)
        downstream.link(sink)
        source.subscribeCore(sink)
    }
}

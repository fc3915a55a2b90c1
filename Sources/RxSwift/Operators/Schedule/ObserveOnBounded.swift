// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
    /// Delivers the events on a scheduler, with a bound on the elements that wait for it.
    ///
    /// Events keep their order and come one at a time, on any scheduler, as with `observe(on:)`; the elements that are delivered keep
    /// their places among the other work of a serial scheduler object. A terminal event comes after the elements that wait. In a
    /// fan-out, a slow subscriber that drops elements slows down neither the source nor the other subscribers:
    /// `shared.observe(on: slow, buffer: 100, overflow: .dropOldest)`.
    ///
    /// Costs O(1) per element. An element that is dropped after other work was submitted to the scheduler leaves its place there, some
    /// 100 bytes, until the scheduler comes to it. While 256 such places wait, an element takes the place of the one that it drops, before work that
    /// was submitted in between: so a sender that is faster than the scheduler costs no more memory, and what is newest is delivered.
    /// - Parameters:
    ///   - scheduler: delivers the events. On `MainScheduler` they are delivered at once when the caller is already there and no element
    ///     waits.
    ///   - buffer: the number of elements that may wait, exactly, besides the one that is being delivered; with `.suspend` besides those
    ///     that a source emits between two questions, too: a synchronous one asks after every 16th. Must be positive, which is checked
    ///     when the operator is applied; not used by `.latest`.
    ///   - overflow: what happens to elements that come while so many wait. `.suspend` keeps all elements of a source that cannot pause.
    ///     With the other policies the operator never pauses its source.
    ///   - onDropped: receives each element that is dropped, also the one for which `.error` ends the sequence: on the thread that emits,
    ///     one at a time, with no lock held. Not called for the elements that a disposal releases.
    /// - Returns: with `.error`, fails with a `BackpressureOverflowError`, after the elements that wait; the source is cancelled at once.
    /// - SeeAlso: [Backpressure](https://reactivex.io/documentation/operators/backpressure.html)
    @preconcurrency
    public func observe(
        on scheduler: any ImmediateSchedulerType, buffer: Int = 8_192, overflow: BackpressureOverflow,
        onDropped: (@Sendable (Element) -> Void)? = nil
    ) -> Observable<Element> {
        ObserveOnBounded(
            source: asObservable(), scheduler: scheduler,
            policy: OverflowPolicy(overflow, buffer: buffer, operatorName: "observe(on:buffer:overflow:)"),
            onDropped: onDropped)
    }
}

private final class ObserveOnBounded<Element>: Observable<Element>, @unchecked Sendable {
    private let source: Observable<Element>
    private let scheduler: any ImmediateSchedulerType
    private let policy: OverflowPolicy
    private let onDropped: ((Element) -> Void)?

    init(
        source: Observable<Element>, scheduler: any ImmediateSchedulerType, policy: OverflowPolicy,
        onDropped: ((Element) -> Void)?
    ) {
        self.source = source
        self.scheduler = scheduler
        self.policy = policy
        self.onDropped = onDropped
        super.init()
    }

    override func queueHeldByCaller(mainQueueRuns: Bool) -> String? {
        jobScheduler(for: scheduler).runQueue?.nameIfHeldByCaller(mainQueueRuns: mainQueueRuns)
    }

    override func subscribeCore(_ downstream: Sink<Element>) {
        source.subscribeCore(
            BoundedObserveOnSink(
                downstream: downstream, policy: policy, onDropped: onDropped, scheduler: jobScheduler(for: scheduler)))
    }
}

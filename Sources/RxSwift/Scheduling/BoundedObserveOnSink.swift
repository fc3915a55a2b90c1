import RxPrimitives

/// The stage of `observe(on:buffer:overflow:)`. Cost per event: two entries of a lock, a read-modify-write, and no allocation in steady state.
package final class BoundedObserveOnSink<Element>: EventBatchingSink<Element> {
    private let core: BoundedObserveOnQueue<Element>
    private let onDropped: ((Element) -> Void)?

    /// True once the source has ended, or the buffer has overflowed. Only the upstream accesses it.
    @exclusivity(unchecked) private var hasEnded = false

    package init(
        downstream: Sink<Element>, policy: OverflowPolicy, onDropped: ((Element) -> Void)?,
        scheduler: any JobScheduler
    ) {
        let queue = scheduler.runQueue ?? PrivateRunQueue(scheduler: scheduler)
        core = BoundedObserveOnQueue(downstream: downstream, policy: policy, queue: queue, of: scheduler)
        self.onDropped = onDropped
        super.init(core: core, queue: queue, of: scheduler)
    }

    package override func link(_ stage: Stage) {
        core.downstream.link(self)
        super.link(stage)
    }

    package override func next(_ element: Element) {
        if hasEnded { return }
        if queue.tryEnterInline() {
            // Elements that wait come first, also while the downstream pauses them.
            let isFirst = !core.isPaused && core.hasNoElements
            if isFirst { _ = core.send(element) }
            queue.leaveInline()
            if isFirst { return }
        }
        switch core.offer(element) {
        case .kept: submitBatch()
        case .droppedOldest(let oldest):
            submitBatch()
            drop(oldest)
        case .droppedNewest(let newest): drop(newest)
        case .overflowed(let newest):
            let error = BackpressureOverflowError(operatorName: core.operatorName, bound: core.bound)
            end(with: error, then: {})
            drop(newest)
        }
    }

    private func drop(_ element: Element) {
        if let onDropped, core.isCancelled.loadRelaxed() == 0 { onDropped(element) }
    }

    package override func pauses(_ source: any PausableSource) -> Bool {
        guard core.pauses(source) else { return false }
        // As in `ObserveOnSink`: either this finds the cancellation, or the cancellation finds that a source waits.
        return upstream.fetchAdd(0) != Stage.cancelled
    }

    package override func error(_ error: any Swift.Error) { end(with: error, then: {}) }

    package override func completed() { end(with: nil, then: {}) }

    package override func error(_ error: any Swift.Error, then after: () -> Void) { end(with: error, then: after) }

    package override func completed(then after: () -> Void) { end(with: nil, then: after) }

    package override func cancel() {
        core.isCancelled.storeRelaxed(1)
        (queue as? PrivateRunQueue)?.unschedule()
        cancelUpstream()
        core.releaseElements()
    }

    private func cancelUpstream() {
        super.cancel()
        core.didCancel()
    }

    package override func quiesce() -> UInt {
        core.isCancelled.storeRelaxed(1)
        return super.quiesce()
    }

    package override func quiesceBoundary() -> UInt { quiesce() }

    private func end(with error: (any Swift.Error)?, then after: () -> Void) {
        if hasEnded { return after() }
        hasEnded = true
        core.error = error
        var isDelivered = false
        if queue.tryEnterInline() {
            isDelivered = core.hasNoElements
            if isDelivered { core.finish() }
            queue.leaveInline()
        }
        if !isDelivered { submitBatch() }
        after()
        // The event may have to wait for the scheduler. The source has ended all the same.
        cancelUpstream()
    }
}

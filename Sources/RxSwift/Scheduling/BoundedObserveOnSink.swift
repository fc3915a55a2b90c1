// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// The stage of `observe(on:buffer:overflow:)`. Cost per event: two entries of a lock, a read-modify-write, and no allocation in steady state.
package final class BoundedObserveOnSink<Element>: EventBatchingSink<Element> {
    private let core: BoundedObserveOnQueue<Element>
    private let onDropped: ((Element) -> Void)?

    package init(
        downstream: Sink<Element>, policy: OverflowPolicy, onDropped: ((Element) -> Void)?,
        scheduler: any JobScheduler
    ) {
        let queue: RunQueue
        if let shared = scheduler.runQueue {
            queue = shared
            core = BoundedObserveOnQueue(downstream: downstream, policy: policy, sharedBy: scheduler)
        } else {
            let own = PrivateRunQueue(scheduler: scheduler)
            queue = own
            core = BoundedObserveOnQueue(downstream: downstream, policy: policy, in: own)
        }
        self.onDropped = onDropped
        super.init(core: core, queue: queue, of: scheduler)
    }

    package override func next(_ element: Element) {
        if hasEnded { return }
        if allowsInline, queue.tryEnterInline() {
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
}

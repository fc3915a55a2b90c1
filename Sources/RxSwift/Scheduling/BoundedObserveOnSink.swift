// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// The stage of `observe(on:buffer:overflow:)`. Cost per event: two entries of a lock, a read-modify-write, and no allocation in steady state.
package final class BoundedObserveOnSink<Element>: EventBatchingSink<Element> {
    private let events: BoundedObserveOnQueue<Element>
    private let onDropped: ((Element) -> Void)?
    private let privateQueue: PrivateRunQueue?

    package init(
        downstream: Sink<Element>, policy: OverflowPolicy, onDropped: ((Element) -> Void)?,
        scheduler: any JobScheduler
    ) {
        let runQueue: RunQueue
        if let shared = scheduler.runQueue {
            runQueue = shared
            privateQueue = nil
            events = BoundedObserveOnQueue(downstream: downstream, policy: policy, sharedBy: scheduler)
        } else {
            let own = scheduler.makePrivateQueue()
            runQueue = own
            privateQueue = own
            events = BoundedObserveOnQueue(downstream: downstream, policy: policy, in: own)
        }
        self.onDropped = onDropped
        super.init(events: events, runQueue: runQueue, of: scheduler)
    }

    package override func next(_ element: Element) {
        if hasEnded { return }
        if tryEnterInline() {
            // Elements that wait come first, also while the downstream pauses them.
            let isFirst = !events.isPaused && events.hasNoElements
            if isFirst { _ = events.send(element) }
            leaveInline()
            if isFirst { return }
        }
        privateQueue?.noteProducer()
        let (outcome, needsEvent) = events.offer(element)
        if needsEvent { submitBatch() }
        switch outcome {
        case .kept: break
        case .droppedOldest(let oldest): drop(oldest)
        case .droppedNewest(let newest): drop(newest)
        case .overflowed(let newest):
            let error = BackpressureOverflowError(operatorName: events.operatorName, bound: events.bound)
            end(with: error, then: {})
            drop(newest)
        }
    }

    private func drop(_ element: Element) {
        if let onDropped, events.isCancelled.loadRelaxed() == 0 { onDropped(element) }
    }
}

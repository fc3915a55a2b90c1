// SPDX-License-Identifier: Apache-2.0

import Dispatch
import RxPrimitives

/// Passes events that come on the main queue on at once. Others hop there, and so do events that come on the main queue while some hop.
///
/// A driver's events come on the main queue, except while another thread drives or disposes of the driver: its closures belong to the main actor
/// all the same.
package final class MainQueueDelivery<Element>: Observable<Element>, @unchecked Sendable {
    private let source: Observable<Element>

    package init(source: Observable<Element>) {
        self.source = source
        super.init()
    }

    package override func subscribeCore(_ downstream: Sink<Element>) {
        source.subscribeCore(MainQueueDeliverySink(downstream: downstream))
    }

    package override var startsOnTrampoline: Bool { source.startsOnTrampoline }

    package override func queueHeldByCaller(mainQueueRuns: Bool) -> String? {
        source.queueHeldByCaller(mainQueueRuns: mainQueueRuns)
    }
}

private final class MainQueueDeliverySink<Element>: LinearSink<Element, Element>, @unchecked Sendable {
    /// The number of events that hop. Grows where events come, one at a time; shrinks on the main queue.
    private let hopping = AtomicWord(0)
    private let backlogPlace = Backlog.Place()

    private var deliversHere: Bool { hopping.loadRelaxed() == 0 && MainQueue.isCurrent }

    override func next(_ element: Element) {
        if deliversHere { return downstream.next(element) }
        hop { $0.downstream.next(element) }
    }

    override func error(_ error: any Swift.Error) {
        if deliversHere { return super.error(error) }
        hop { $0.downstream.error(error) }
    }

    override func completed() {
        if deliversHere { return super.completed() }
        hop { $0.downstream.completed() }
    }

    // The events that hop come first. Without any the main queue is not waited for: it may never run.
    override func upstreamReleased() {
        if hopping.loadRelaxed() == 0 { return super.upstreamReleased() }
        hop { $0.downstream.upstreamReleased() }
    }

    @inline(never)
    private func hop(_ deliver: @escaping (MainQueueDeliverySink) -> Void) {
        if isCancelled { return }
        let count = Int(hopping.fetchAdd(1)) + 1
        if Backlog.isNotable(count) { Backlog.noticed(count, at: "drive", backlogPlace) }
        nonisolated(unsafe) let deliver = deliver
        DispatchQueue.main.async { [self] in
            if !isCancelled { deliver(self) }
            _ = hopping.fetchAdd(0 &- 1)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// Carries events from one thread to a scheduler: the stage behind `observe(on:)`.
///
/// Events are queued in chunks. A batch in the scheduler's queue covers as many of them as follow each other without other work
/// submitted in between. So a burst costs one job, and all work of a serial scheduler keeps its order of submission. Cost per event:
/// a push, a read-modify-write, and no allocation in steady state.
@usableFromInline
package final class ObserveOnSink<Element>: EventBatchingSink<Element> {
    private let core: ObserveOnQueue<Element>
    /// The core's downstream, to be called without counting a reference.
    private let downstream: Unmanaged<Sink<Element>>

    /// Weighs an element; nil if elements count only by their number.
    private let weigh: ((Element) -> Int)?
    /// The bytes that the elements in the open chunk of the queue hold. Only the upstream accesses it.
    @exclusivity(unchecked) private var openWeight = 0

    /// - Parameters:
    ///   - queueType: the type of the core, known where the type of the elements is: see `LinearOperator`.
    ///   - weigh: weighs an element; nil if elements count only by their number.
    required init(
        _ queueType: ObserveOnQueue<Element>.Type, downstream: Sink<Element>, scheduler: any JobScheduler,
        weigh: ((Element) -> Int)?
    ) {
        let queue: RunQueue
        if let shared = scheduler.runQueue {
            queue = shared
            core = queueType.init(downstream: downstream, sharedBy: scheduler)
        } else {
            let own = PrivateRunQueue(scheduler: scheduler)
            queue = own
            core = queueType.init(downstream: downstream, in: own)
        }
        self.weigh = weigh
        self.downstream = .passUnretained(downstream)
        super.init(core: core, queue: queue, of: scheduler)
    }

    package convenience init(downstream: Sink<Element>, scheduler: any JobScheduler, weigh: ((Element) -> Int)? = nil) {
        self.init(ObserveOnQueue<Element>.self, downstream: downstream, scheduler: scheduler, weigh: weigh)
    }

    package override func next(_ element: Element) {
        if !tryDeliverInline(element) {
            core.elements.push(element)
            if let weigh { add(weigh(element)) }
            submitBatch()
        }
    }

    /// Delivers an element at once if the queue allows that, and no event waits that the downstream has paused.
    @inline(__always)
    private func tryDeliverInline(_ element: Element) -> Bool {
        guard queue.tryEnterInline() else { return false }
        let isNext = !core.isPaused
        if isNext, core.isCancelled.loadRelaxed() == 0 { downstream._withUnsafeGuaranteedRef { $0.next(element) } }
        queue.leaveInline()
        return isNext
    }

    /// Ends a chunk of the queue early when the elements in it hold a unit of memory.
    private func add(_ weight: Int) {
        openWeight += weight
        if openWeight < ObserveOnSink.unitWeight { return }
        core.elements.closeChunk(units: UInt(openWeight / ObserveOnSink.unitWeight))
        openWeight = 0
    }

    /// The bytes that count as a unit of the queue, as 512 elements do: 16 units are 1 MiB, or 8,192 elements.
    private static var unitWeight: Int { 1 << 16 }

    override func pausesInline(_ source: any PausableSource) -> Bool {
        guard queue.tryEnterInline() else { return false }
        defer { queue.leaveInline() }
        return !core.isPaused && downstream._withUnsafeGuaranteedRef { $0.pauses(source) }
    }
}

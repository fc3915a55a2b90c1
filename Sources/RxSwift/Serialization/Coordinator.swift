// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

// The structure of an operator with several sources:
//
//   source 1 ─> SourceSink ─┐                        each SourceSink holds its SourceSlot and the Coordinator; the Coordinator holds
//   source 2 ─> SourceSink ─┼─> Coordinator ─> sink   the SourceSlots, never the SourceSinks: cancelling a SourceSlot cuts the only circle
//   source 3 ─> SourceSink ─┘                        a source is part of.
//
// A slot keeps what the operator remembers of one source. The coordinator's serializer brings the events of all sources into one
// order: if it is idle, an event is handled at once, without a queue or an allocation; if it is busy (another thread, or a user's
// closure further up this thread's stack), the event is enqueued. So all state in slots and coordinators belongs to the drainer, and
// user code runs on the drainer, but never inside a mutating method of a stored struct.

/// The stage where the events of several sources come together and are turned into those of one downstream.
///
/// It knows nothing of the elements; subclasses do.
@usableFromInline
class Coordinator: Stage, SerializerTarget {
    final let serializer = Serializer()

    /// The places of the sources, in order of subscription.
    @usableFromInline final let slots: [SourceSlot]

    private final let downstream: AnySink

    private final let subscribePhase = SubscribePhase(begun: true)

    /// True if a source is cancelled before its terminal event is handled, as in RxSwift's `zip` and `combineLatest`.
    fileprivate final let endsSourcesFirst: Bool

    /// The name of the operator, for diagnostics.
    package var operatorName: StaticString { abstractMethod() }

    package final var elementsWeigh: Bool { slots.contains { $0.elementsWeigh } }

    init(slots: [SourceSlot], endsSourcesFirst: Bool = false, downstream: AnySink) {
        self.endsSourcesFirst = endsSourcesFirst
        self.slots = slots
        self.downstream = downstream
        super.init()
    }

    deinit {
        if serializer.hasPending { serializer.discardPending(AnySerializerTarget(self)) }
    }

    /// Handles the completion of a source; the drainer calls this once per slot.
    func completed(_ slot: SourceSlot) { abstractMethod() }

    /// Ends the subscribe phase: all sources have been subscribed to, in the order of their slots.
    final func didSubscribe() {
        if subscribePhase.end() { cancelSlots() }
    }

    @usableFromInline
    override final func cancel() {
        guard takeUpstream() != nil else { return }
        serializer.close(AnySerializerTarget(self))
        guard subscribePhase.postpones() else { return cancelSlots() }
        // The source that is being subscribed to ends now, because it may be in a loop; later sources end as soon as they are linked.
        let subscribing = slots.lastIndex { !$0.isUnlinked } ?? 0
        // Closures of the postponed sources must not run meanwhile (law L1).
        for slot in slots[..<subscribing] { slot.abandonUpstream() }
        for slot in slots[subscribing...] { slot.cancel() }
    }

    private final func cancelSlots() {
        for slot in slots { slot.cancel() }
    }

    package final override func quiesce() -> UInt {
        // Closed: this stage has ended by itself, or was closed here before.
        if serializer.isClosed { return 0 }
        serializer.close(AnySerializerTarget(self))
        for slot in slots { slot.quiesceUpstream() }
        return 0
    }

    package final override func quiesceBoundary() -> UInt { quiesce() }

    package final override func abandonSubscription() -> UInt {
        for slot in slots { slot.abandonUpstream() }
        return 0
    }

    // MARK: By the drainer

    /// Ends the sequence, and then the remaining sources.
    final func complete() {
        if isCancelled || serializer.isClosed { return }
        serializer.closeFromInside()
        quiesceOtherSources()
        downstream.completed()
        cancel()
    }

    /// Ends the sequence with an error, which a source sent or a user's closure threw, and then the remaining sources.
    final func fail(_ error: any Swift.Error) {
        if isCancelled || serializer.isClosed { return }
        serializer.closeFromInside()
        quiesceOtherSources()
        downstream.error(error)
        cancel()
    }

    /// Quiesces the sources that have not sent a terminal event.
    private final func quiesceOtherSources() {
        for slot in slots where !slot.isDone { slot.quiesceUpstream() }
    }

    /// Ends the work of the drainer.
    @inline(__always)
    final func leave() {
        if !serializer.tryLeave() { finishLeaving() }
    }

    @inline(never)
    private final func finishLeaving() { serializer.finishLeaving(AnySerializerTarget(self)) }

    package final func run(_ node: UnsafeMutablePointer<DrainNode>) {
        let (slot, event) = SourceNode.read(node)
        switch event {
        case .element:
            slot.accept(node, for: self)
        case .error(let error):
            SourceNode.free(node)
            slot.isDone = true
            fail(error)
        case .completed:
            SourceNode.free(node)
            accept(completionOf: slot)
        }
    }

    /// Accepts the completion of a source that is not done yet; only the drainer calls this.
    final func accept(completionOf slot: SourceSlot) {
        if slot.isDone { return }
        slot.isDone = true
        completed(slot)
    }

    /// Tells whether a source has to pause.
    func pauses(_ source: any PausableSource, at slot: SourceSlot) -> Bool {
        if slot.isTrigger { return false }
        return serializer.pauses(source, for: AnySerializerTarget(self))
    }

    package func downstreamPauses(_ source: any PausableSource) -> Bool { downstream.pauses(source) }

    final func upstreamGoesOn() {
        // Does nothing while another thread delivers: the source will tell once more.
        if !serializer.tryEnter() { return }
        downstream.upstreamGoesOn()
        leave()
    }

    package final func discard(_ node: UnsafeMutablePointer<DrainNode>) {
        let (slot, event) = SourceNode.read(node)
        if case .element = event { slot.drop(node) } else { SourceNode.free(node) }
    }

    package final func drainAsDeputy() { serializer.drainAsDeputy(AnySerializerTarget(self)) }
}

/// The state that a coordinator keeps per source: the link to it and, in subclasses, what it remembers of the source's elements.
@usableFromInline
class SourceSlot: Stage {
    /// True if the source has ended; only the coordinator's drainer uses it and `count`.
    final var isDone = false

    /// The number of elements the slot keeps.
    @exclusivity(unchecked) @usableFromInline final var count = 0

    final var isEmpty: Bool { count == 0 }

    /// The sources that wait until this slot has fewer elements; nil if there are none. Only the coordinator's drainer uses it.
    @exclusivity(unchecked) final var paused: SlotSources?

    /// Handles the element a node carries, and frees the node; only the coordinator's drainer calls this.
    func accept(_ node: UnsafeMutablePointer<DrainNode>, for coordinator: Coordinator) { abstractMethod() }

    /// Makes a node wait for the drainer, unless it can run at once; the source's thread calls this.
    func submit(_ node: UnsafeMutablePointer<DrainNode>, to coordinator: Coordinator) {
        coordinator.serializer.submit(node, to: AnySerializerTarget(coordinator))
    }

    /// Frees a node and the element it carries.
    func drop(_ node: UnsafeMutablePointer<DrainNode>) { abstractMethod() }

    /// True if a source that completes is cancelled only after the closures of `do` have run, because in RxSwift it ends by itself (law L11).
    var endsBehindClosures: Bool { false }

    /// True if the slot keeps at least `count` elements, or elements of the corresponding share of the greatest weight.
    ///
    /// Only the coordinator's drainer calls this.
    func isFull(at count: Int) -> Bool { self.count >= count }

    /// True if the source's elements are `Weighted`.
    var elementsWeigh: Bool { false }

    /// True if the source is a trigger, which is never paused (law L13).
    var isTrigger: Bool { false }

    /// Releases the elements the slot keeps; only the coordinator's drainer calls this.
    func removeAll() {}
}

/// The sources of one slot that wait.
final class SlotSources {
    @exclusivity(unchecked) var sources = WaitingSources()
}

/// A slot for a source of a known type.
@usableFromInline
class ElementSlot<Element>: SourceSlot {
    override final var elementsWeigh: Bool { isWeighted(Element.self) }

    /// Handles an element; only the coordinator's drainer calls this.
    func accept(_ element: Element, for coordinator: Coordinator) { abstractMethod() }

    /// Makes an element wait for the drainer; the source's thread calls this.
    func enqueue(_ element: Element, at coordinator: Coordinator) {
        submit(SourceNode.make(element, of: self), to: coordinator)
    }

    override func accept(_ node: UnsafeMutablePointer<DrainNode>, for coordinator: Coordinator) {
        accept(SourceNode.takeElement(node, Element.self), for: coordinator)
    }

    override final func drop(_ node: UnsafeMutablePointer<DrainNode>) {
        _ = SourceNode.takeElement(node, Element.self)
    }
}

/// Receives the events of one of a coordinator's sources.
final class SourceSink<Element>: Sink<Element> {
    private let slot: ElementSlot<Element>
    private let coordinator: Coordinator

    init(slot: ElementSlot<Element>, coordinator: Coordinator) {
        self.slot = slot
        self.coordinator = coordinator
        super.init()
    }

    override func link(_ stage: Stage) { slot.link(stage) }

    override func cancel() { slot.cancel() }

    override func next(_ element: Element) {
        if coordinator.serializer.tryEnter() {
            slot.accept(element, for: coordinator)
            coordinator.leave()
        } else {
            enqueue(element)
        }
    }

    override func upstreamGoesOn() { coordinator.upstreamGoesOn() }

    override func pauses(_ source: any PausableSource) -> Bool { coordinator.pauses(source, at: slot) }

    @inline(never)
    private func enqueue(_ element: Element) { slot.enqueue(element, at: coordinator) }

    // The terminal event may have to wait for the drainer. The source has ended all the same.

    override func error(_ error: any Swift.Error) {
        if coordinator.endsSourcesFirst { slot.cancel() }
        if coordinator.serializer.tryEnter() {
            slot.isDone = true
            coordinator.fail(error)
            coordinator.leave()
        } else {
            submit(.error(error))
        }
        slot.cancel()
    }

    override func completed() {
        tellCompleted()
        slot.cancel()
    }

    override func completed(then after: () -> Void) {
        tellCompleted()
        if !slot.endsBehindClosures { slot.cancel() }
        after()
        if slot.endsBehindClosures { slot.cancel() }
    }

    @inline(__always)
    private func tellCompleted() {
        if coordinator.endsSourcesFirst { slot.cancel() }
        if coordinator.serializer.tryEnter() {
            coordinator.accept(completionOf: slot)
            coordinator.leave()
        } else {
            submit(.completed)
        }
    }

    @inline(never)
    private func submit(_ stop: PendingEvent) { slot.submit(SourceNode.make(stop: stop, of: slot), to: coordinator) }
}

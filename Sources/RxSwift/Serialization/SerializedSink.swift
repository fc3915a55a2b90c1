// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// Makes one serial sequence of events that come from several threads, or from inside a callback.
///
/// Takes events from any thread and passes them to its downstream one at a time, in order of acceptance (laws L2 and L3).
/// If no other thread is emitting, the caller delivers directly. Otherwise the event is enqueued and the drainer delivers it.
/// Nothing passes after a terminal event or after `cancel()`.
/// Cost of an uncontended event: two atomic read-modify-writes, no allocation.
@usableFromInline
package class SerializedSink<Element>: Sink<Element>, SerializerTarget {
    package final let serializer: Serializer

    /// The downstream, retained. Only the drainer uses it; the thread that cleans up, or the end of this sink, releases it.
    package final let downstream: Unmanaged<Sink<Element>>

    /// True if `downstream` was released. Written once, by the thread that cleans up.
    @exclusivity(unchecked) private final var isReleased = false

    /// The operator this sink belongs to, for diagnostics.
    package var operatorName: StaticString { "serialized" }

    package final var elementsWeigh: Bool { isWeighted(Element.self) }

    /// True if an error of one source may end this sink while other sources continue.
    package var hasSources: Bool { false }

    /// - Parameter entered: whether the creating thread is the drainer from the start, so that events wait until it leaves.
    @usableFromInline
    package init(downstream: Sink<Element>, entered: Bool = false) {
        self.downstream = .passRetained(downstream)
        self.serializer = Serializer(entered: entered)
        super.init()
    }

    deinit {
        if serializer.hasPending { serializer.discardPending(AnySerializerTarget(self)) }
        if !isReleased { downstream.release() }
    }

    package override func next(_ element: Element) {
        if serializer.tryEnter() {
            downstream._withUnsafeGuaranteedRef { $0.next(element) }
            leave()
        } else {
            enqueue(element)
        }
    }

    // Enqueueing has methods of its own, because their frames are large: in a long chain each stage ends inside the one before (law L8).

    package override func error(_ error: any Swift.Error) {
        if serializer.tryEnter() {
            fail(error)
            leave()
        } else {
            enqueue(stop: .error(error))
        }
    }

    package override func completed() {
        if serializer.tryEnter() {
            finish()
            leave()
        } else {
            enqueue(stop: .completed)
        }
    }

    package override func cancel() {
        // Marked as cancelled first, so that a producer that finds the serializer closed sees the reason.
        let upstream = takeUpstream()
        close()
        upstream?.take()?.cancel()
    }

    /// Not inlined, so that `cancel`, which stays on the stack while the source is cancelled, is small (law L8).
    @inline(never)
    private final func close() { serializer.close(AnySerializerTarget(self)) }

    package final override func quiesce() -> UInt {
        // Closed: this sink has ended by itself, or was closed here before.
        if serializer.isClosed { return 0 }
        quiesceSources()
        close()
        return 0
    }

    package final override func quiesceBoundary() -> UInt { quiesce() }

    /// Quiesces the stages above. Marks this stage, also before it is linked: a producer that finds the serializer closed sees the reason.
    package func quiesceSources() { quiesceUpstream() }

    /// Links the downstream to this stage, before the first event.
    package final func linkDownstream() {
        downstream._withUnsafeGuaranteedRef { $0.link(self) }
    }

    /// Ends the work of the drainer.
    @inline(__always)
    package final func leave() {
        if !serializer.tryLeave() { finishLeaving() }
    }

    @inline(never)
    private final func finishLeaving() { serializer.finishLeaving(AnySerializerTarget(self)) }

    /// Forwards `completed` as the last event; only the drainer calls this.
    private final func finish() {
        serializer.closeFromInside()
        downstream._withUnsafeGuaranteedRef { $0.completed() }
    }

    /// Forwards an error as the last event; only the drainer calls this.
    private final func fail(_ error: any Swift.Error) {
        serializer.closeFromInside()
        if hasSources { quiesceSources() }
        downstream._withUnsafeGuaranteedRef { $0.error(error) }
    }

    @inline(never)
    private final func enqueue(_ element: Element) {
        submit(EventNode.make(element), isTerminal: false)
    }

    @inline(never)
    private final func enqueue(stop: PendingEvent) {
        submit(EventNode.make(stop: stop), isTerminal: true)
    }

    private final func submit(_ node: UnsafeMutablePointer<DrainNode>, isTerminal: Bool) {
        if !serializer.submit(node, to: AnySerializerTarget(self)) {
            Contract.eventDropped(isTerminal, at: operatorName, cancelled: isCancelled)
            eventDropped(isTerminal: isTerminal)
        }
    }

    /// Reacts to an event that came after the end of this stage, or after it was quiesced. From any thread.
    package func eventDropped(isTerminal: Bool) {}

    package override func upstreamGoesOn() {
        // Does nothing while another thread delivers: the source will tell once more.
        if !serializer.tryEnter() { return }
        downstream._withUnsafeGuaranteedRef { $0.upstreamGoesOn() }
        leave()
    }

    package override func pauses(_ source: any PausableSource) -> Bool {
        serializer.pauses(source, for: AnySerializerTarget(self))
    }

    // MARK: SerializerTarget

    package final func downstreamPauses(_ source: any PausableSource) -> Bool {
        downstream._withUnsafeGuaranteedRef { $0.pauses(source) }
    }

    package final func run(_ node: UnsafeMutablePointer<DrainNode>) {
        switch EventNode.takeStop(node) {
        case .element:
            let element = EventNode.takeElement(node, Element.self)
            downstream._withUnsafeGuaranteedRef { $0.next(element) }
        case .error(let error):
            fail(error)
        case .completed:
            finish()
        }
    }

    package final func discard(_ node: UnsafeMutablePointer<DrainNode>) { EventNode.free(node, Element.self) }

    package final func serializerDidClose() {
        isReleased = true
        downstream.release()
    }

    package final func drainAsDeputy() { serializer.drainAsDeputy(AnySerializerTarget(self)) }
}

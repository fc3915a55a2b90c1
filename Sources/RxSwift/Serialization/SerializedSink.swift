import RxPrimitives

/// The place where events of several threads, or from inside a callback, become one serial sequence.
///
/// Takes events from any thread and passes them to its downstream one at a time, in order of acceptance (laws L2 and L3).
/// If no other thread is emitting, the caller delivers directly. Otherwise the event is enqueued and the drainer delivers it.
/// Nothing passes after a terminal event or after `cancel()`.
/// Cost of an uncontended event: two atomic read-modify-writes, no allocation.
@usableFromInline
package class SerializedSink<Element>: Sink<Element>, SerializerTarget {
    package final let serializer: Serializer

    /// Retained. Used only by the drainer; released by the thread that cleans up, or with this sink.
    package final let downstream: Unmanaged<Sink<Element>>

    /// Whether `downstream` was released. Written once, by the thread that cleans up.
    @exclusivity(unchecked) private final var isReleased = false

    /// The operator this sink belongs to, for diagnostics.
    package var operatorName: StaticString { "serialized" }

    /// Whether an error of one source may end it while others go on.
    package var hasSources: Bool { false }

    /// - Parameter entered: whether the creating thread is the drainer from the start, so that events wait until it leaves.
    @usableFromInline
    package init(downstream: Sink<Element>, entered: Bool = false) {
        self.downstream = .passRetained(downstream)
        self.serializer = Serializer(entered: entered)
        super.init()
    }

    deinit {
        if serializer.hasPending { serializer.discardPending(TargetReference(self)) }
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

    // What enqueues is apart, whose frame is large: a long chain ends stage in stage (law L8).

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
        // Marked first: a producer that finds the serializer closed then sees the reason.
        let upstream = takeUpstream()
        serializer.close(TargetReference(self))
        upstream?.take()?.cancel()
    }

    package final override func quiesce() -> UInt {
        // Closed: it has ended by itself, or was here before.
        if serializer.isClosed { return 0 }
        quiesceSources()
        serializer.close(TargetReference(self))
        return 0
    }

    package final override func quiesceBoundary() -> UInt { quiesce() }

    /// Quiesces what is above. Marks this stage, also before it is linked: a producer that finds the serializer closed sees the reason.
    package func quiesceSources() { quiesceUpstream() }

    /// Links the downstream to this stage. Before the first event.
    package final func linkDownstream() {
        downstream._withUnsafeGuaranteedRef { $0.link(self) }
    }

    /// Ends the work of the drainer.
    @inline(__always)
    package final func leave() {
        if !serializer.tryLeave() { finishLeaving() }
    }

    @inline(never)
    private final func finishLeaving() { serializer.finishLeaving(TargetReference(self)) }

    /// Passes `completed` on. Only by the drainer, and the last event that passes.
    private final func finish() {
        serializer.closeFromInside()
        downstream._withUnsafeGuaranteedRef { $0.completed() }
    }

    /// Passes an error on. Only by the drainer, and the last event that passes.
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
        if !serializer.submit(node, to: TargetReference(self)) {
            Contract.eventDropped(isTerminal, at: operatorName, cancelled: isCancelled)
        }
    }

    // MARK: SerializerTarget

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

    package final func drainAsDeputy() { serializer.drainAsDeputy(TargetReference(self)) }
}

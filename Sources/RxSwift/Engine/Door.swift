import RxPrimitives

/// The place where events of several threads, or from inside a callback, become one serial sequence.
///
/// Takes events from any thread and passes them to its downstream one at a time, in order of acceptance (laws L2 and L3).
/// Who finds the door free delivers at once and without a queue; who finds it occupied leaves the event to the thread that
/// is delivering. Nothing passes after a terminal event or after `cancel()`.
/// Cost of an event at a free door: two atomic read-modify-writes, no allocation.
@usableFromInline
package class Door<Element>: Sink<Element> {
    package final let loop: DrainLoop

    /// Retained. Used only by the one inside the loop; released by whoever has the duty to clean up, or with the door.
    package final let downstream: Unmanaged<Sink<Element>>

    /// Whether `downstream` was released. Written once, by the one inside the closed loop.
    @exclusivity(unchecked) private final var isReleased = false

    /// The operator this door belongs to, for diagnostics.
    package var operatorName: StaticString { "door" }

    /// - Parameter occupied: whether the creating thread is inside from the start, so that events wait until it leaves.
    @usableFromInline
    package init(downstream: Sink<Element>, occupied: Bool = false) {
        self.downstream = .passRetained(downstream)
        self.loop = DrainLoop(entered: occupied)
        super.init()
    }

    deinit {
        if loop.hasPending { dropPending() }
        if !isReleased { downstream.release() }
    }

    package override func next(_ element: Element) {
        if loop.tryEnter() {
            downstream._withUnsafeGuaranteedRef { $0.next(element) }
            if !loop.tryLeave() { drain() }
        } else {
            leaveBehind(element)
        }
    }

    package override func error(_ error: any Swift.Error) { offer(.error(error)) }

    package override func completed() {
        if loop.tryEnter() {
            finish()
            drain()
        } else {
            offer(.completed)
        }
    }

    package override func cancel() {
        // Marked first: who finds the loop closed then sees why.
        let upstream = takeUpstream()
        if loop.close() { releaseDownstream() }
        upstream?.take()?.cancel()
    }

    /// Tells the downstream where its events come from. Before the first event.
    package final func linkDownstream() {
        downstream._withUnsafeGuaranteedRef { $0.link(self) }
    }

    /// Ends the work of the one inside.
    package final func leave() {
        if !loop.tryLeave() { drain() }
    }

    /// Passes `completed` on. Only inside the loop, and the last that passes.
    private final func finish() {
        _ = loop.close()
        downstream._withUnsafeGuaranteedRef { $0.completed() }
    }

    /// Apart from `next` because naming `Event` costs a look-up of type metadata, also on the path that does not need it.
    @inline(never)
    private final func leaveBehind(_ element: Element) {
        offer(.next(element))
    }

    @inline(never)
    private final func offer(_ event: Event<Element>) {
        let node = EventNode.make(event)
        switch loop.enterOrPush(node) {
        case .entered:
            EventNode<Element>.free(node)
            deliver(event)
            leave()
        case .pending(let count):
            Backlog.noticed(count, at: operatorName)
        case .closed:
            EventNode<Element>.free(node)
            Contract.eventDropped(event.isStopEvent, at: operatorName, cancelled: isCancelled)
        }
    }

    /// Passes one event on. Only inside the loop.
    private final func deliver(_ event: Event<Element>) {
        switch event {
        case .next(let element):
            downstream._withUnsafeGuaranteedRef { $0.next(element) }
        case .error(let error):
            _ = loop.close()
            downstream._withUnsafeGuaranteedRef { $0.error(error) }
        case .completed:
            finish()
        }
    }

    /// Delivers what was left at the door, until there is nothing more and the door is free. Only inside the loop.
    @inline(never)
    private final func drain() {
        repeat {
            var pending = loop.takePending()
            while let node = pending {
                pending = node.pointee.next
                let event = EventNode<Element>.take(node)
                if !loop.isClosed { deliver(event) }
            }
            if loop.isClosed {
                // What was left between the last look and the closing; nothing comes after it. The door itself may live on.
                dropPending()
                return releaseDownstream()
            }
        } while !loop.tryLeave()
    }

    private final func dropPending() {
        var pending = loop.takePending()
        while let node = pending {
            pending = node.pointee.next
            EventNode<Element>.free(node)
        }
    }

    private final func releaseDownstream() {
        isReleased = true
        downstream.release()
    }
}

/// An event left at a door.
package struct EventNode<Element> {
    /// First, so that a pointer to it is a pointer to the node.
    private var head: DrainNode
    private var event: Event<Element>

    package static func make(_ event: Event<Element>) -> UnsafeMutablePointer<DrainNode> {
        let node = UnsafeMutablePointer<EventNode>.allocate(capacity: 1)
        node.initialize(to: EventNode(head: DrainNode(), event: event))
        return UnsafeMutableRawPointer(node).assumingMemoryBound(to: DrainNode.self)
    }

    package static func take(_ node: UnsafeMutablePointer<DrainNode>) -> Event<Element> {
        let node = UnsafeMutableRawPointer(node).assumingMemoryBound(to: EventNode.self)
        defer { node.deallocate() }
        return node.move().event
    }

    package static func free(_ node: UnsafeMutablePointer<DrainNode>) {
        _ = take(node)
    }
}

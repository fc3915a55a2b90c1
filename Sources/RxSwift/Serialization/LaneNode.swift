import RxPrimitives

/// An event that waits at a coordinator for the drainer.
///
/// Does not hold the lane: the coordinator does, and nobody else reads the node.
struct LaneNode {
    /// First, so that a pointer to it is a pointer to the node.
    private var head = DrainNode()
    private let lane: Unmanaged<Lane>
    private let event: PendingEvent

    @inline(__always)
    private init(_ event: PendingEvent, of lane: Lane) {
        self.lane = .passUnretained(lane)
        self.event = event
    }

    static func make<Element>(_ element: Element, of lane: Lane) -> UnsafeMutablePointer<DrainNode> {
        NodeMemory.make(LaneNode(.element, of: lane), carrying: element)
    }

    /// - Parameter stop: not an element.
    static func make(stop: PendingEvent, of lane: Lane) -> UnsafeMutablePointer<DrainNode> {
        NodeMemory.make(LaneNode(stop, of: lane))
    }

    /// Looks at a node without taking it.
    static func read(_ node: UnsafeMutablePointer<DrainNode>) -> (lane: Lane, event: PendingEvent) {
        let node = NodeMemory.node(node, as: LaneNode.self)
        return (node.pointee.lane.takeUnretainedValue(), node.pointee.event)
    }

    /// Takes the element of a node that carries one, and frees the node.
    static func takeElement<Element>(_ node: UnsafeMutablePointer<DrainNode>, _ type: Element.Type) -> Element {
        NodeMemory.takeElement(of: node, as: LaneNode.self, type)
    }

    /// Frees a node that carries a terminal event.
    static func free(_ node: UnsafeMutablePointer<DrainNode>) { _ = NodeMemory.take(node, as: LaneNode.self) }
}

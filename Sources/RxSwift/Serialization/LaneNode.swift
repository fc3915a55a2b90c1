import RxPrimitives

/// What a node that waits at a coordinator carries.
enum LaneSignal {
    /// An element, which follows the node in memory.
    case element
    case error(any Swift.Error)
    case completed
}

/// An event that waits at a coordinator for the drainer: a terminal event, or the head of a `LaneElementNode`.
///
/// Does not hold the lane: the coordinator does, and nobody else reads the node.
struct LaneNode {
    /// First, so that a pointer to it is a pointer to the node.
    private var head = DrainNode()
    private let lane: Unmanaged<Lane>
    private let signal: LaneSignal

    @inline(__always)
    fileprivate init(_ signal: LaneSignal, of lane: Lane) {
        self.lane = .passUnretained(lane)
        self.signal = signal
    }

    static func make(_ signal: LaneSignal, of lane: Lane) -> UnsafeMutablePointer<DrainNode> {
        let node = UnsafeMutablePointer<LaneNode>.allocate(capacity: 1)
        node.initialize(to: LaneNode(signal, of: lane))
        return UnsafeMutableRawPointer(node).assumingMemoryBound(to: DrainNode.self)
    }

    /// Looks at a node of either kind.
    static func read(_ node: UnsafeMutablePointer<DrainNode>) -> (lane: Lane, signal: LaneSignal) {
        let node = UnsafeMutableRawPointer(node).assumingMemoryBound(to: LaneNode.self)
        return (node.pointee.lane.takeUnretainedValue(), node.pointee.signal)
    }

    /// Frees a node that carries a terminal event.
    static func free(_ node: UnsafeMutablePointer<DrainNode>) {
        let node = UnsafeMutableRawPointer(node).assumingMemoryBound(to: LaneNode.self)
        node.deinitialize(count: 1)
        node.deallocate()
    }
}

/// An element that waits at a coordinator.
struct LaneElementNode<Element> {
    /// First, see `LaneNode`.
    private var head: LaneNode
    private let element: Element

    @inline(__always)
    private init(_ element: Element, of lane: Lane) {
        self.head = LaneNode(.element, of: lane)
        self.element = element
    }

    static func make(_ element: Element, of lane: Lane) -> UnsafeMutablePointer<DrainNode> {
        let node = UnsafeMutablePointer<LaneElementNode>.allocate(capacity: 1)
        node.initialize(to: LaneElementNode(element, of: lane))
        return UnsafeMutableRawPointer(node).assumingMemoryBound(to: DrainNode.self)
    }

    /// Frees the node.
    static func take(_ node: UnsafeMutablePointer<DrainNode>) -> Element {
        let node = UnsafeMutableRawPointer(node).assumingMemoryBound(to: LaneElementNode.self)
        defer { node.deallocate() }
        return node.move().element
    }
}

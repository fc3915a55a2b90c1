import RxPrimitives

/// Work that waits at a subject for its drainer: a command, or (as the head of a `SubjectElementNode`) an element.
struct SubjectNode {
    /// First, so that a pointer to it is a pointer to the node.
    private var head = DrainNode()
    /// Nil: this is the head of a `SubjectElementNode`.
    private var command: SubjectListCore.Command?
    private var subscription: SubjectSubscription?

    /// The head of a node that carries an element.
    static var elementHead: SubjectNode { SubjectNode(command: nil, subscription: nil) }

    @inline(__always)
    private init(command: SubjectListCore.Command?, subscription: SubjectSubscription?) {
        self.command = command
        self.subscription = subscription
    }

    static func make(
        _ command: SubjectListCore.Command, _ subscription: SubjectSubscription?
    ) -> UnsafeMutablePointer<DrainNode> {
        let node = UnsafeMutablePointer<SubjectNode>.allocate(capacity: 1)
        node.initialize(to: SubjectNode(command: command, subscription: subscription))
        return UnsafeMutableRawPointer(node).assumingMemoryBound(to: DrainNode.self)
    }

    /// The command a node carries, and its subscription. Frees the node. Nil, and nothing is freed, if it carries an element.
    static func takeCommand(
        _ node: UnsafeMutablePointer<DrainNode>
    ) -> (command: SubjectListCore.Command, subscription: SubjectSubscription?)? {
        let node = UnsafeMutableRawPointer(node).assumingMemoryBound(to: SubjectNode.self)
        guard let command = node.pointee.command else { return nil }
        defer { node.deallocate() }
        return (command, node.move().subscription)
    }

    /// Looks at a command without taking it. Nil if the node carries an element.
    static func command(
        of node: UnsafeMutablePointer<DrainNode>
    ) -> (command: SubjectListCore.Command, subscription: SubjectSubscription?)? {
        let node = UnsafeMutableRawPointer(node).assumingMemoryBound(to: SubjectNode.self)
        guard let command = node.pointee.command else { return nil }
        return (command, node.pointee.subscription)
    }
}

/// An element that waits at a subject.
struct SubjectElementNode<Element> {
    /// First, see `SubjectNode`.
    private var head = SubjectNode.elementHead
    private var sequence: Int
    private var element: Element

    @inline(__always)
    private init(element: Element, sequence: Int) {
        self.element = element
        self.sequence = sequence
    }

    static func make(_ element: Element, sequence: Int) -> UnsafeMutablePointer<DrainNode> {
        let node = UnsafeMutablePointer<SubjectElementNode>.allocate(capacity: 1)
        node.initialize(to: SubjectElementNode(element: element, sequence: sequence))
        return UnsafeMutableRawPointer(node).assumingMemoryBound(to: DrainNode.self)
    }

    /// Frees the node.
    static func take(_ node: UnsafeMutablePointer<DrainNode>) -> (element: Element, sequence: Int) {
        let node = UnsafeMutableRawPointer(node).assumingMemoryBound(to: SubjectElementNode.self)
        defer { node.deallocate() }
        let content = node.move()
        return (content.element, content.sequence)
    }

    /// Numbers the event. Before the node is enqueued.
    static func number(_ node: UnsafeMutablePointer<DrainNode>, _ sequence: Int) {
        UnsafeMutableRawPointer(node).assumingMemoryBound(to: SubjectElementNode.self).pointee.sequence = sequence
    }

    static func free(_ node: UnsafeMutablePointer<DrainNode>) {
        _ = take(node)
    }
}

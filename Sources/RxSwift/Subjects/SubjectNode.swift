import RxPrimitives

/// Work left at a subject for the one inside its loop: a chore, or (as the head of a `SubjectElementNode`) an element.
struct SubjectNode {
    /// First, so that a pointer to it is a pointer to the node.
    private var head = DrainNode()
    /// Nil: this is the head of a `SubjectElementNode`.
    private var chore: SubjectListCore.Chore?
    private var subscription: SubjectSubscription?

    /// The head of a node that carries an element.
    static var elementHead: SubjectNode { SubjectNode(chore: nil, subscription: nil) }

    private init(chore: SubjectListCore.Chore?, subscription: SubjectSubscription?) {
        self.chore = chore
        self.subscription = subscription
    }

    static func make(
        _ chore: SubjectListCore.Chore, _ subscription: SubjectSubscription?
    ) -> UnsafeMutablePointer<DrainNode> {
        let node = UnsafeMutablePointer<SubjectNode>.allocate(capacity: 1)
        node.initialize(to: SubjectNode(chore: chore, subscription: subscription))
        return UnsafeMutableRawPointer(node).assumingMemoryBound(to: DrainNode.self)
    }

    /// The chore a node carries, and its subscription. Frees the node. Nil, and nothing is freed, if it carries an element.
    static func takeChore(
        _ node: UnsafeMutablePointer<DrainNode>
    ) -> (chore: SubjectListCore.Chore, subscription: SubjectSubscription?)? {
        let node = UnsafeMutableRawPointer(node).assumingMemoryBound(to: SubjectNode.self)
        guard let chore = node.pointee.chore else { return nil }
        defer { node.deallocate() }
        return (chore, node.move().subscription)
    }

    /// Looks at a chore without taking it. Nil if the node carries an element.
    static func chore(
        of node: UnsafeMutablePointer<DrainNode>
    ) -> (chore: SubjectListCore.Chore, subscription: SubjectSubscription?)? {
        let node = UnsafeMutableRawPointer(node).assumingMemoryBound(to: SubjectNode.self)
        guard let chore = node.pointee.chore else { return nil }
        return (chore, node.pointee.subscription)
    }
}

/// An element left at a subject.
struct SubjectElementNode<Element> {
    /// First, see `SubjectNode`.
    private var head = SubjectNode.elementHead
    private var sequence: Int
    private var element: Element

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

    /// Numbers the event. Before the node is offered to a loop.
    static func number(_ node: UnsafeMutablePointer<DrainNode>, _ sequence: Int) {
        UnsafeMutableRawPointer(node).assumingMemoryBound(to: SubjectElementNode.self).pointee.sequence = sequence
    }

    static func free(_ node: UnsafeMutablePointer<DrainNode>) {
        _ = take(node)
    }
}

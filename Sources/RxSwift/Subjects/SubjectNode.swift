// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// Work that waits at a subject for its drainer: a command, or (in a `SubjectElementNode`) an element.
struct SubjectNode {
    /// First, so that a pointer to it is a pointer to the node.
    private var head = DrainNode()
    /// Nil in the head of a `SubjectElementNode`.
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
        NodeMemory.make(SubjectNode(command: command, subscription: subscription))
    }

    /// Takes the command of a node, with its subscription, and frees the node. Returns nil, and frees nothing, if the node carries an element.
    static func takeCommand(
        _ node: UnsafeMutablePointer<DrainNode>
    ) -> (command: SubjectListCore.Command, subscription: SubjectSubscription?)? {
        guard let command = NodeMemory.node(node, as: SubjectNode.self).pointee.command else { return nil }
        return (command, NodeMemory.take(node, as: SubjectNode.self).subscription)
    }

    /// Reads a command without taking it. Returns nil if the node carries none.
    static func command(
        of node: UnsafeMutablePointer<DrainNode>
    ) -> (command: SubjectListCore.Command, subscription: SubjectSubscription?)? {
        if node.pointee.isQuestion { return nil }
        let node = NodeMemory.node(node, as: SubjectNode.self)
        guard let command = node.pointee.command else { return nil }
        return (command, node.pointee.subscription)
    }
}

/// The head of a node that carries an element, which follows it in memory.
struct SubjectElementNode {
    /// First, for the reason given in `SubjectNode`.
    private var head = SubjectNode.elementHead
    private var sequence: Int

    static func make<Element>(_ element: Element, sequence: Int) -> UnsafeMutablePointer<DrainNode> {
        NodeMemory.make(SubjectElementNode(sequence: sequence), carrying: element)
    }

    /// Takes the element and its number, and frees the node.
    static func take<Element>(
        _ node: UnsafeMutablePointer<DrainNode>, _ type: Element.Type
    ) -> (element: Element, sequence: Int) {
        let sequence = NodeMemory.node(node, as: SubjectElementNode.self).pointee.sequence
        return (NodeMemory.takeElement(of: node, as: SubjectElementNode.self, type), sequence)
    }

    /// Numbers the event, before the node is enqueued.
    static func number(_ node: UnsafeMutablePointer<DrainNode>, _ sequence: Int) {
        NodeMemory.node(node, as: SubjectElementNode.self).pointee.sequence = sequence
    }
}

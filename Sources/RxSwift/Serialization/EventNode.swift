// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// The content of a node that waits at a serializer.
enum PendingEvent {
    /// An element, which follows the node in memory.
    case element
    case error(any Swift.Error)
    case completed
}

/// An event of the one source of a serializer, which waits for the drainer.
struct EventNode {
    /// First, so that a pointer to it is a pointer to the node.
    private var head = DrainNode()
    private let event: PendingEvent

    @inline(__always)
    private init(_ event: PendingEvent) { self.event = event }

    static func make<Element>(_ element: Element) -> UnsafeMutablePointer<DrainNode> {
        NodeMemory.make(EventNode(.element), carrying: element)
    }

    /// - Parameter stop: not an element.
    static func make(stop: PendingEvent) -> UnsafeMutablePointer<DrainNode> { NodeMemory.make(EventNode(stop)) }

    /// Reads a node, and frees it unless it carries an element: then the caller calls `takeElement`.
    static func takeStop(_ node: UnsafeMutablePointer<DrainNode>) -> PendingEvent {
        if case .element = NodeMemory.node(node, as: EventNode.self).pointee.event { return .element }
        return NodeMemory.take(node, as: EventNode.self).event
    }

    /// Takes the element of a node that carries one, and frees the node.
    static func takeElement<Element>(_ node: UnsafeMutablePointer<DrainNode>, _ type: Element.Type) -> Element {
        NodeMemory.takeElement(of: node, as: EventNode.self, type)
    }

    /// Frees a node, with the element if it carries one.
    static func free<Element>(_ node: UnsafeMutablePointer<DrainNode>, _ type: Element.Type) {
        if case .element = takeStop(node) { _ = takeElement(node, type) }
    }
}

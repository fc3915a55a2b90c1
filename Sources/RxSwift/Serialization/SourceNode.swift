// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// An event that waits at a coordinator for the drainer.
///
/// It does not hold the slot: the coordinator does, and only the coordinator reads the node.
struct SourceNode {
    /// First, so that a pointer to it is a pointer to the node.
    private var head = DrainNode()
    private let slot: Unmanaged<SourceSlot>
    private let event: PendingEvent

    @inline(__always)
    private init(_ event: PendingEvent, of slot: SourceSlot) {
        self.slot = .passUnretained(slot)
        self.event = event
    }

    static func make<Element>(_ element: Element, of slot: SourceSlot) -> UnsafeMutablePointer<DrainNode> {
        NodeMemory.make(SourceNode(.element, of: slot), carrying: element)
    }

    /// - Parameter stop: not an element.
    static func make(stop: PendingEvent, of slot: SourceSlot) -> UnsafeMutablePointer<DrainNode> {
        NodeMemory.make(SourceNode(stop, of: slot))
    }

    /// Looks at a node without taking it.
    static func read(_ node: UnsafeMutablePointer<DrainNode>) -> (slot: SourceSlot, event: PendingEvent) {
        let node = NodeMemory.node(node, as: SourceNode.self)
        return (node.pointee.slot.takeUnretainedValue(), node.pointee.event)
    }

    /// Takes the element of a node that carries one, and frees the node.
    static func takeElement<Element>(_ node: UnsafeMutablePointer<DrainNode>, _ type: Element.Type) -> Element {
        NodeMemory.takeElement(of: node, as: SourceNode.self, type)
    }

    /// Frees a node that carries a terminal event.
    static func free(_ node: UnsafeMutablePointer<DrainNode>) { _ = NodeMemory.take(node, as: SourceNode.self) }
}

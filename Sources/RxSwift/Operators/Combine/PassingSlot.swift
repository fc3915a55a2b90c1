// SPDX-License-Identifier: Apache-2.0

/// A slot that passes the elements of its source on, while it is open.
final class PassingSlot<Element>: ElementSlot<Element> {
    private let downstream: Sink<Element>

    /// True while elements pass. Only the drainer uses this field.
    var isOpen: Bool

    init(downstream: Sink<Element>, isOpen: Bool = true) {
        self.downstream = downstream
        self.isOpen = isOpen
        super.init()
    }

    override func accept(_ element: Element, for coordinator: Coordinator) {
        if isOpen { downstream.next(element) }
    }
}

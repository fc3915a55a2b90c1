// What stands in the place of ThreadLocal.swift.

/// A pointer for each thread, null at first.
@frozen
@usableFromInline
package struct ThreadSlot {
    private let slot: UInt

    package init(_ purpose: StaticString, destroy: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?) {
        slot = rxModelSlotMake(destroy)
    }

    package var pointer: UnsafeMutableRawPointer? { rxModelSlotGet(slot) }

    package func set(_ pointer: UnsafeMutableRawPointer?) { rxModelSlotSet(slot, pointer) }
}

/// Names threads.
@usableFromInline
package enum CurrentThread {
    @inlinable
    package static var identity: UInt { rxModelThread() }
}

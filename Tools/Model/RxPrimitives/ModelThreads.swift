// SPDX-License-Identifier: Apache-2.0

// What stands in the place of ThreadLocal.swift.

/// A pointer that each thread has for one purpose, null at first.
@frozen
@usableFromInline
package enum ThreadSlot: UInt {
    case trampoline
    case drainSession
    case poolWorker

    package var pointer: UnsafeMutableRawPointer? { rxModelSlotGet(rawValue) }

    package func set(
        _ pointer: UnsafeMutableRawPointer?, destroy: (@convention(c) (UnsafeMutableRawPointer?) -> Void)? = nil
    ) {
        rxModelSlotSet(rawValue, pointer, destroy)
    }
}

/// Names threads.
@usableFromInline
package enum CurrentThread {
    @inlinable
    package static var identity: UInt { rxModelThread() }
}

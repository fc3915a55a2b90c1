// SPDX-License-Identifier: Apache-2.0

/// The schedulers of the main queue whose work is running where it was submitted, each as a bit. Two of more than 64 may share a bit.
///
/// Only the main thread, on the main queue, changes it. Other threads read a value that means nothing to them.
@usableFromInline
package enum InlineWork {
    @usableFromInline static let word = AtomicWord(0)

    @inlinable
    package static var current: UInt {
        @inline(__always) get {
            #if RX_MODEL_CHECK
                // The models have no main queue.
                0
            #else
                word.loadRelaxed()
            #endif
        }
    }

    /// Notes that work begins. Returns false if its bit is set already: by work that is under way below on the stack.
    package static func begin(_ bit: UInt) -> Bool {
        let current = current
        word.storeRelaxed(current | bit)
        return current & bit == 0
    }

    /// Notes that the work which set the bit ends.
    package static func end(_ bit: UInt) { word.storeRelaxed(current & ~bit) }
}

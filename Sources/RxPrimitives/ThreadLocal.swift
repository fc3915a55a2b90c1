// SPDX-License-Identifier: Apache-2.0

import CRxPrimitives

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

// All state that the library keeps per operating system thread goes through this file: the explorer (Tools/explore), whose
// threads are coroutines, has another one in its place.

/// A pointer that each thread has for one purpose, null at first.
///
/// Reading costs one or two instructions on Linux with glibc, and a call elsewhere.
@frozen
@usableFromInline
package enum ThreadSlot: Int {
    case trampoline
    case drainSession
    case poolWorker

    @inlinable @inline(__always)
    package var pointer: UnsafeMutableRawPointer? { rx_thread_slot_load(rawValue) }

    /// - Parameter destroy: called at the end of the thread with the pointer, if that is not null.
    package func set(
        _ pointer: UnsafeMutableRawPointer?, destroy: (@convention(c) (UnsafeMutableRawPointer?) -> Void)? = nil
    ) {
        let status = rx_thread_slot_store(rawValue, pointer, destroy)
        precondition(
            status == 0, "swift-rx: no thread-specific key is left for \(self) (pthread_key_create: \(status))")
    }
}

/// Identifies the calling thread.
@frozen
@usableFromInline
package enum CurrentThread {
    /// A word that no other thread has while the calling one lives; never 0 or `UInt.max`.
    @inlinable @inline(__always)
    package static var identity: UInt {
        #if canImport(Musl)
            UInt(bitPattern: pthread_self())
        #else
            pthread_self()
        #endif
    }
}

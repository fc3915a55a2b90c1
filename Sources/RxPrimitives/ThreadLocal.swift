#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

// All that the library keeps per operating system thread goes through this file: the explorer (Tools/explore), whose threads are coroutines,
// has another one in its place.

/// A pointer for each thread, null at first.
@frozen
@usableFromInline
package struct ThreadSlot {
    @usableFromInline let key: pthread_key_t

    /// - Parameters:
    ///   - purpose: for the message with which the program stops when the system has no key left.
    ///   - destroy: called at the end of a thread with its pointer, if that is not null.
    package init(_ purpose: StaticString, destroy: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?) {
        var key = pthread_key_t()
        let status = pthread_key_create(&key, destroy)
        precondition(
            status == 0, "swift-rx: no thread-specific key is left for \(purpose) (pthread_key_create: \(status))")
        self.key = key
    }

    @inlinable @inline(__always)
    package var pointer: UnsafeMutableRawPointer? { pthread_getspecific(key) }

    package func set(_ pointer: UnsafeMutableRawPointer?) { pthread_setspecific(key, pointer) }
}

/// Names threads.
@frozen
@usableFromInline
package enum CurrentThread {
    /// A word that no other thread has while the calling one lives; never 0.
    @inlinable @inline(__always)
    package static var identity: UInt {
        #if canImport(Musl)
            UInt(bitPattern: pthread_self())
        #else
            pthread_self()
        #endif
    }
}

// SPDX-License-Identifier: Apache-2.0

import CRxPrimitives

#if !RX_MODEL_CHECK
    import Synchronization
#endif

// With RX_MODEL_CHECK `Atomic` is that of Tools/Explorer: a call of a method is a point where the explorer (Tools/explore) switches
// threads, and the orderings that it explores are those that stand here.

/// A machine word that several threads read and write.
///
/// All atomics are here: no other file imports `Synchronization`. Each method names its memory ordering; a caller
/// that asks for more than relaxed says in a comment which operation it is paired with.
@frozen
@usableFromInline
package struct AtomicWord: ~Copyable {
    @usableFromInline let storage: Atomic<UInt>

    @inlinable
    package init(_ value: UInt) { storage = Atomic(value) }

    @inlinable @inline(__always)
    package func loadRelaxed() -> UInt { storage.load(ordering: .relaxed) }

    @inlinable @inline(__always)
    package func loadAcquiring() -> UInt { storage.load(ordering: .acquiring) }

    /// Reads a word that the runtime, not the library, writes atomically.
    @inlinable @inline(__always)
    package static func loadAcquiring(from address: UnsafeRawPointer) -> UInt {
        #if RX_MODEL_CHECK
            address.load(as: UInt.self)
        #else
            address.assumingMemoryBound(to: Atomic<UInt>.self).pointee.load(ordering: .acquiring)
        #endif
    }

    /// The low 32 bits, for calls of the kernel. The owner of the word keeps it at one address.
    @inlinable
    package var futex: UnsafeMutablePointer<UInt32> {
        withUnsafePointer(to: self) { word in
            // An atomic is never moved while it is borrowed: this is the address at which the word is stored.
            let halves = UnsafeMutableRawPointer(mutating: word).assumingMemoryBound(to: UInt32.self)
            #if _endian(big)
                return halves + (MemoryLayout<UInt>.size / MemoryLayout<UInt32>.size - 1)
            #else
                return halves
            #endif
        }
    }

    @inlinable @inline(__always)
    package func storeRelaxed(_ value: UInt) { storage.store(value, ordering: .relaxed) }

    @inlinable @inline(__always)
    package func storeReleasing(_ value: UInt) { storage.store(value, ordering: .releasing) }

    /// Stores, releasing, a value that tells another thread that it now owns references which were written before.
    ///
    /// The optimizer moves a retain past an atomic store, but not past this one: the owner may release the reference at once.
    @inlinable @inline(__always)
    package func storePublishing(_ value: UInt) {
        rx_compiler_barrier()
        storage.store(value, ordering: .releasing)
    }

    /// Replaces the word and returns what it held, acquiring and releasing.
    @inlinable @inline(__always)
    package func exchange(_ value: UInt) -> UInt {
        countReadModifyWrite()
        return storage.exchange(value, ordering: .acquiringAndReleasing)
    }

    /// Replaces `expected` by `desired`, acquiring and releasing; returns whether it did.
    @inlinable @inline(__always)
    package func compareExchange(_ expected: UInt, _ desired: UInt) -> Bool {
        countReadModifyWrite()
        return storage.compareExchange(
            expected: expected, desired: desired, successOrdering: .acquiringAndReleasing, failureOrdering: .relaxed
        ).exchanged
    }

    // Of the operations called sequentially consistent all threads see one order, which agrees with the order in each of them.
    // That is needed where a thread writes one word and then reads another, while a second thread does it the other way round:
    // one of the two has to see what the other one wrote. Acquiring and releasing alone promise no such thing, not even on x86
    // for a store and a load.

    /// Reads, sequentially consistent.
    @inlinable @inline(__always)
    package func loadSequentially() -> UInt { storage.load(ordering: .sequentiallyConsistent) }

    /// Replaces the word and returns what it held, sequentially consistent.
    @inlinable @inline(__always)
    package func exchangeSequentially(_ value: UInt) -> UInt {
        countReadModifyWrite()
        return storage.exchange(value, ordering: .sequentiallyConsistent)
    }

    /// Replaces `expected` by `desired`, sequentially consistent if it does; returns whether it did.
    @inlinable @inline(__always)
    package func compareExchangeSequentially(_ expected: UInt, _ desired: UInt) -> Bool {
        countReadModifyWrite()
        return storage.compareExchange(
            expected: expected, desired: desired, successOrdering: .sequentiallyConsistent, failureOrdering: .relaxed
        ).exchanged
    }

    /// Adds, wrapping, acquiring and releasing; returns the word before.
    @inlinable @inline(__always)
    package func fetchAdd(_ value: UInt) -> UInt {
        countReadModifyWrite()
        return storage.wrappingAdd(value, ordering: .acquiringAndReleasing).oldValue
    }

    /// Adds, wrapping, without ordering anything else; returns the word before. For statistics.
    @inlinable @inline(__always)
    package func fetchAddRelaxed(_ value: UInt) -> UInt {
        countReadModifyWrite()
        return storage.wrappingAdd(value, ordering: .relaxed).oldValue
    }
}

/// Tells the processor that the calling thread spins: `pause` on x86, `isb` on arm64.
///
/// Takes from 10 to 140 cycles, depending on the processor. Every loop that looks at a word until another thread changes it
/// calls it once per look.
@inlinable @inline(__always)
package func spinHint() { rx_spin_hint() }

/// A machine word that one thread at a time reads and writes, in the midst of a `let` that several threads share.
///
/// It orders nothing: code that passes the word to another thread needs an ordering edge of its own (the word of a drain loop, a lock). It
/// exists because a plain `var` in a shared object pays for a dynamic exclusivity check at each access; this compiles to a plain
/// move.
@frozen
@usableFromInline
package struct NonAtomicWord: ~Copyable {
    #if RX_MODEL_CHECK
        @usableFromInline let storage: PlainWord

        @inlinable
        package init(_ value: UInt) { storage = PlainWord(value) }
    #else
        @usableFromInline let storage: Atomic<UInt>

        @inlinable
        package init(_ value: UInt) { storage = Atomic(value) }
    #endif

    @inlinable @inline(__always)
    package func load() -> UInt { storage.load(ordering: .relaxed) }

    @inlinable @inline(__always)
    package func store(_ value: UInt) { storage.store(value, ordering: .relaxed) }
}

// MARK: - Counting

// With RX_COUNT_ATOMICS each read-modify-write also adds to one counter, for Tools/costs, which makes it several times as slow.

#if RX_COUNT_ATOMICS
    @usableFromInline
    enum ReadModifyWrites {
        @usableFromInline static let count = Atomic<UInt>(0)
    }

    /// The number of read-modify-writes that all threads have made, compare-exchanges that failed included.
    ///
    /// A C symbol, because the program that counts does not belong to this package.
    @_cdecl("rx_read_modify_writes")
    public func readModifyWrites() -> UInt { ReadModifyWrites.count.load(ordering: .relaxed) }
#endif

/// Counts a read-modify-write. Without RX_COUNT_ATOMICS it leaves no instruction, in its callers or of its own.
@_alwaysEmitIntoClient @inline(__always)
func countReadModifyWrite() {
    #if RX_COUNT_ATOMICS
        ReadModifyWrites.count.wrappingAdd(1, ordering: .relaxed)
    #endif
}

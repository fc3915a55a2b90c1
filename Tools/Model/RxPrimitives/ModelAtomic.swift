// SPDX-License-Identifier: Apache-2.0

// The storage of `AtomicWord`, `NonAtomicWord`, the locks and `Parker` in a build of Tools/explore: each operation calls the explorer. The
// explorer chooses the thread that goes on and the store that a load sees. The explorer is linked in by name, so that this module
// depends on nothing.

/// Takes the place of `Synchronization.Atomic<UInt>`, with its methods. One word: the address of a cell of the explorer's.
///
/// So the word keeps its identity when it is moved, and the explorer notices uses after the end of its life.
@frozen
@usableFromInline
struct Atomic<Value>: ~Copyable {
    @usableFromInline let cell: UnsafeMutableRawPointer

    @inlinable
    init(_ value: UInt) { cell = rxModelMake(value, 0) }

    @inlinable
    deinit { rxModelFree(cell) }

    @inlinable @inline(__always)
    func load(ordering: ModelOrder) -> UInt { rxModelLoad(cell, ordering.bits) }

    @inlinable @inline(__always)
    func store(_ value: UInt, ordering: ModelOrder) { rxModelStore(cell, value, ordering.bits) }

    @inlinable @inline(__always)
    func exchange(_ value: UInt, ordering: ModelOrder) -> UInt { rxModelExchange(cell, value, ordering.bits) }

    @inlinable @inline(__always)
    func compareExchange(
        expected: UInt, desired: UInt, successOrdering: ModelOrder, failureOrdering: ModelOrder
    ) -> (exchanged: Bool, original: UInt) {
        var original = expected
        let exchanged =
            rxModelCompareExchange(cell, &original, desired, successOrdering.bits, failureOrdering.bits) != 0
        return (exchanged, original)
    }

    @inlinable @inline(__always)
    func wrappingAdd(_ value: UInt, ordering: ModelOrder) -> (oldValue: UInt, newValue: UInt) {
        let old = rxModelFetchAdd(cell, value, ordering.bits)
        return (old, old &+ value)
    }
}

/// The orderings of `Synchronization`, by name.
@frozen
@usableFromInline
struct ModelOrder {
    /// Bit 0: acquiring, bit 1: releasing, bit 2: sequentially consistent.
    @usableFromInline let bits: Int32

    @inlinable @inline(__always)
    init(bits: Int32) { self.bits = bits }

    @inlinable static var relaxed: ModelOrder { ModelOrder(bits: 0) }
    @inlinable static var acquiring: ModelOrder { ModelOrder(bits: 1) }
    @inlinable static var releasing: ModelOrder { ModelOrder(bits: 2) }
    @inlinable static var acquiringAndReleasing: ModelOrder { ModelOrder(bits: 3) }
    @inlinable static var sequentiallyConsistent: ModelOrder { ModelOrder(bits: 7) }
}

/// What is behind `NonAtomicWord`: not a point where threads are switched; two accesses that nothing orders are a failure.
@frozen
@usableFromInline
struct PlainWord: ~Copyable {
    @usableFromInline let cell: UnsafeMutableRawPointer

    @inlinable
    init(_ value: UInt) { cell = rxModelMake(value, 1) }

    @inlinable
    deinit { rxModelFree(cell) }

    @inlinable @inline(__always)
    func load(ordering: ModelOrder) -> UInt { rxModelPlainLoad(cell) }

    @inlinable @inline(__always)
    func store(_ value: UInt, ordering: ModelOrder) { rxModelPlainStore(cell, value) }
}

// The functions of the explorer (Tools/Explorer/Sources/CExplorer). Swift's calling convention is C's for words.

@_silgen_name("rx_model_make") @usableFromInline
func rxModelMake(_ value: UInt, _ kind: Int32) -> UnsafeMutableRawPointer

@_silgen_name("rx_model_free") @usableFromInline
func rxModelFree(_ cell: UnsafeMutableRawPointer)

@_silgen_name("rx_model_load") @usableFromInline
func rxModelLoad(_ cell: UnsafeMutableRawPointer, _ order: Int32) -> UInt

@_silgen_name("rx_model_store") @usableFromInline
func rxModelStore(_ cell: UnsafeMutableRawPointer, _ value: UInt, _ order: Int32)

@_silgen_name("rx_model_exchange") @usableFromInline
func rxModelExchange(_ cell: UnsafeMutableRawPointer, _ value: UInt, _ order: Int32) -> UInt

@_silgen_name("rx_model_compare_exchange") @usableFromInline
func rxModelCompareExchange(
    _ cell: UnsafeMutableRawPointer, _ expected: UnsafeMutablePointer<UInt>, _ desired: UInt, _ success: Int32,
    _ failure: Int32
) -> Int32

@_silgen_name("rx_model_fetch_add") @usableFromInline
func rxModelFetchAdd(_ cell: UnsafeMutableRawPointer, _ value: UInt, _ order: Int32) -> UInt

@_silgen_name("rx_model_plain_load") @usableFromInline
func rxModelPlainLoad(_ cell: UnsafeMutableRawPointer) -> UInt

@_silgen_name("rx_model_plain_store") @usableFromInline
func rxModelPlainStore(_ cell: UnsafeMutableRawPointer, _ value: UInt)

@_silgen_name("rx_model_lock") @usableFromInline
func rxModelLock(_ cell: UnsafeMutableRawPointer)

@_silgen_name("rx_model_try_lock") @usableFromInline
func rxModelTryLock(_ cell: UnsafeMutableRawPointer) -> Int32

@_silgen_name("rx_model_unlock") @usableFromInline
func rxModelUnlock(_ cell: UnsafeMutableRawPointer)

@_silgen_name("rx_model_park") @usableFromInline
func rxModelPark(_ cell: UnsafeMutableRawPointer, _ canTimeOut: Int32)

@_silgen_name("rx_model_unpark") @usableFromInline
func rxModelUnpark(_ cell: UnsafeMutableRawPointer)

@_silgen_name("rx_model_yield") @usableFromInline
func rxModelYield()

@_silgen_name("rx_model_thread") @usableFromInline
func rxModelThread() -> UInt

@_silgen_name("rx_model_slot_get") @usableFromInline
func rxModelSlotGet(_ slot: UInt) -> UnsafeMutableRawPointer?

@_silgen_name("rx_model_slot_set") @usableFromInline
func rxModelSlotSet(
    _ slot: UInt, _ value: UnsafeMutableRawPointer?, _ destroy: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?)

// SPDX-License-Identifier: Apache-2.0

/// The work of one operator on an element, compiled where the operator is called.
///
/// Reads the element at the first address. If it makes a new one, it initializes the memory at the second address, which is its
/// own slot. An error that it throws ends the sequence.
@usableFromInline
package typealias FusedWork = (UnsafeRawPointer, UnsafeMutableRawPointer) throws -> FusedOutcome

/// The result of a step for one element.
@frozen
@usableFromInline
package enum FusedOutcome {
    /// The step passes on an element: the one that came or, for a step with a slot, the one that the step made there.
    case passed
    /// The step passes on no element.
    case dropped
}

/// One operator's part of a `FusedSink`.
package struct FusedStep: ~Copyable {
    package let work: FusedWork

    /// The memory in which the step makes its elements. It is in the sink, because calls never overlap and never nest (laws L2 and L3).
    package let slot: UnsafeMutableRawPointer

    /// True if the element to pass on is in the slot. `work` does not return this: if the next step's address waited for the result of
    /// this one, that would cost more than the step itself.
    package let makes: Bool

    /// Borrows the step, so that calling its closure does not retain what the closure captured.
    @inline(__always)
    borrowing func run(_ element: UnsafeRawPointer) throws -> FusedOutcome {
        try work(element, slot)
    }
}

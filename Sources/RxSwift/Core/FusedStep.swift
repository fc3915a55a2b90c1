/// What one operator does to an element, compiled where the operator is called.
///
/// Reads the element at the first address. If it makes a new one, it initializes the memory at the second address, which is its
/// own slot. What it throws ends the sequence with an error.
@usableFromInline
package typealias FusedWork = (UnsafeRawPointer, UnsafeMutableRawPointer) throws -> FusedOutcome

/// What becomes of an element after a step.
@frozen
@usableFromInline
package enum FusedOutcome {
    /// It goes on: the element that came or, for a step with a slot, the one that the step made there.
    case passed
    /// Nothing goes on.
    case dropped
}

/// One operator's part of a `FusedSink`.
package struct FusedStep: ~Copyable {
    package let work: FusedWork

    /// Where the step makes its elements. In the sink, because calls never overlap and never nest (laws L2 and L3).
    package let slot: UnsafeMutableRawPointer

    /// Whether what goes on is in the slot. Not left to `work` to say: that the next step's address waits for the result of this
    /// one costs more than the step itself.
    package let makes: Bool

    /// Borrows the step, so that calling its closure does not retain what the closure captured.
    @inline(__always)
    borrowing func run(_ element: UnsafeRawPointer) throws -> FusedOutcome {
        try work(element, slot)
    }
}

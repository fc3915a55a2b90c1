// SPDX-License-Identifier: Apache-2.0

/// The position of an operator in a row of fusible operators: the number of steps and the memory up to and with its own.
@usableFromInline
package struct FusionOffset {
    let count: Int
    /// The offset at which the step's slot begins, in bytes.
    let slot: Int
    /// The offset at which the slots end, in bytes.
    let end: Int
    let alignment: Int
    /// True if a share earlier in the row may split the row when it is subscribed to.
    let maySplit: Bool

    /// The offset of an observable that is no fusible operator.
    @usableFromInline
    static var none: FusionOffset {
        FusionOffset(count: 0, slot: 0, end: 0, alignment: MemoryLayout<FusedStep>.alignment, maySplit: false)
    }

    /// The offset of the next operator, whose slot has the given size and alignment.
    @usableFromInline
    func next(size: Int, alignment: Int) -> FusionOffset {
        let start = (end + alignment - 1) & ~(alignment - 1)
        return FusionOffset(
            count: count + 1, slot: start, end: start + size, alignment: max(self.alignment, alignment),
            maySplit: maySplit)
    }

    /// This offset, for a row that may be split here.
    var splittable: FusionOffset {
        FusionOffset(count: count, slot: slot, end: end, alignment: alignment, maySplit: count > 0)
    }
}

/// The steps of a `FusedSink` and the slots for the elements they make, in one allocation: filled from the last step to the first while
/// the chain is subscribed to, then owned by the sink.
@usableFromInline
package struct FusedSteps {
    let first: UnsafeMutablePointer<FusedStep>
    let end: UnsafeMutablePointer<FusedStep>
    /// The address of the slot at offset 0, or the address it would have if the row were not split.
    private let slots: UnsafeMutableRawPointer
    /// The number of operators before the first step, in a stage or stages of their own.
    private let split: Int

    /// - Parameters:
    ///   - offset: the offset of the last step.
    ///   - split: the offset of the last operator before the row; `none` if the row begins with the first operator.
    init(_ offset: FusionOffset, after split: FusionOffset) {
        let count = offset.count - split.count
        let steps = count * MemoryLayout<FusedStep>.stride
        let start = (steps + offset.alignment - 1) & ~(offset.alignment - 1)
        // Whole alignments only, so that each slot has the alignment it would have otherwise.
        let skipped = split.end & ~(offset.alignment - 1)
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: start + offset.end - skipped, alignment: offset.alignment)
        first = memory.assumingMemoryBound(to: FusedStep.self)
        end = first + count
        slots = memory + (start - skipped)
        self.split = split.count
    }

    /// Stores the step of the operator at `offset`.
    func fill(_ offset: FusionOffset, work: @escaping FusedWork, makes: Bool) {
        (first + (offset.count - 1 - split)).initialize(
            to: FusedStep(work: work, slot: slots + offset.slot, makes: makes))
    }

    /// Returns true if the first step is that of an operator after `offset`.
    func begin(after offset: FusionOffset) -> Bool { split >= offset.count }

    func deallocate() {
        first.deinitialize(count: end - first)
        first.deallocate()
    }
}

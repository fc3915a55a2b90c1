// SPDX-License-Identifier: Apache-2.0

/// The place of an operator among those it is fused with: how many steps and how much memory they take up to it.
@usableFromInline
package struct FusionOffset {
    let count: Int
    /// The offset at which the step's slot begins, in bytes.
    let slot: Int
    /// The offset at which the slots end, in bytes.
    let end: Int
    let alignment: Int
    /// True if the row may turn out to be cut somewhere before this place when it is subscribed to.
    let maySplit: Bool

    /// The place of an observable that is no fused operator.
    @usableFromInline
    static var none: FusionOffset {
        FusionOffset(count: 0, slot: 0, end: 0, alignment: MemoryLayout<FusedStep>.alignment, maySplit: false)
    }

    /// The place of the operator behind this one, whose slot has the given size and alignment.
    @usableFromInline
    func next(size: Int, alignment: Int) -> FusionOffset {
        let start = (end + alignment - 1) & ~(alignment - 1)
        return FusionOffset(
            count: count + 1, slot: start, end: start + size, alignment: max(self.alignment, alignment),
            maySplit: maySplit)
    }

    /// The same place of a row that may be cut here.
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
    /// The address of the slot at offset 0, or the one it would have if the row were not cut.
    private let slots: UnsafeMutableRawPointer
    /// The number of operators before the first step, in a stage or stages of their own.
    private let cut: Int

    /// - Parameters:
    ///   - place: of the last step.
    ///   - cut: the place behind which the row begins; `none` if that is where its first operator stands.
    init(_ place: FusionOffset, after cut: FusionOffset) {
        let count = place.count - cut.count
        let steps = count * MemoryLayout<FusedStep>.stride
        let start = (steps + place.alignment - 1) & ~(place.alignment - 1)
        // Whole alignments only, so that each slot has the alignment it would have otherwise.
        let skipped = cut.end & ~(place.alignment - 1)
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: start + place.end - skipped, alignment: place.alignment)
        first = memory.assumingMemoryBound(to: FusedStep.self)
        end = first + count
        slots = memory + (start - skipped)
        self.cut = cut.count
    }

    /// Puts a step in its place.
    func fill(_ place: FusionOffset, work: @escaping FusedWork, makes: Bool) {
        (first + (place.count - 1 - cut)).initialize(
            to: FusedStep(work: work, slot: slots + place.slot, makes: makes))
    }

    /// Tells whether the first step is that of the operator behind a place.
    func begin(behind place: FusionOffset) -> Bool { cut >= place.count }

    func deallocate() {
        first.deinitialize(count: end - first)
        first.deallocate()
    }
}

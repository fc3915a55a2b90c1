/// The place of an operator among those it is fused with: how many steps and how much memory they take up to it.
@usableFromInline
package struct FusedPlace {
    let count: Int
    /// Where the step's slot begins, in bytes.
    let slot: Int
    /// Where the slots end.
    let end: Int
    let alignment: Int

    /// Of what is no fused operator.
    @usableFromInline
    static var none: FusedPlace { FusedPlace(count: 0, slot: 0, end: 0, alignment: MemoryLayout<FusedStep>.alignment) }

    /// The place of the operator behind this one, whose slot has the given size and alignment.
    @usableFromInline
    func next(size: Int, alignment: Int) -> FusedPlace {
        let start = (end + alignment - 1) & ~(alignment - 1)
        return FusedPlace(
            count: count + 1, slot: start, end: start + size, alignment: max(self.alignment, alignment))
    }
}

/// The steps of a `FusedSink` and the slots for what they make, in one allocation: filled from the last step to the first while
/// the chain is attached, then owned by the sink.
@usableFromInline
package struct FusedSteps {
    let first: UnsafeMutablePointer<FusedStep>
    let end: UnsafeMutablePointer<FusedStep>
    private let slots: UnsafeMutableRawPointer

    /// - Parameter place: of the last step.
    init(_ place: FusedPlace) {
        let steps = place.count * MemoryLayout<FusedStep>.stride
        let start = (steps + place.alignment - 1) & ~(place.alignment - 1)
        let memory = UnsafeMutableRawPointer.allocate(byteCount: start + place.end, alignment: place.alignment)
        first = memory.assumingMemoryBound(to: FusedStep.self)
        end = first + place.count
        slots = memory + start
    }

    /// Puts a step in its place.
    func fill(_ place: FusedPlace, work: @escaping FusedWork, makes: Bool) {
        (first + (place.count - 1)).initialize(to: FusedStep(work: work, slot: slots + place.slot, makes: makes))
    }

    func deallocate() {
        first.deinitialize(count: end - first)
        first.deallocate()
    }
}

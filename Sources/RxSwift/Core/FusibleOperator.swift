// SPDX-License-Identifier: Apache-2.0

/// An operator without state that makes at most one element out of each.
///
/// Three or more of them in a row, for elements that are plain bytes, run in one stage, a loop over their closures: subscribing
/// makes one sink for all, an event takes one frame of the stack. A stage per operator calls deeper with each of them and from the
/// same few places, which defeats the processor's prediction of branch targets in longer chains (12 operators: 45 ns per event
/// instead of 70 or 130). For elements that have to be retained or released, a stage per operator is faster.
/// (Operator fusion: D. Karnok, "Advanced Reactive Java", 2016.)
@usableFromInline
class FusibleOperator<Element, Output>: Observable<Output>, @unchecked Sendable {
    @usableFromInline final let source: Observable<Element>

    /// The operator's work as one step of several; nil if it is not to be fused.
    @usableFromInline final let work: FusedWork?

    /// True if `work` makes new elements. If it makes none, `Element` and `Output` are one type.
    @usableFromInline final let makes: Bool

    @usableFromInline final let offset: FusionOffset

    /// The least number of operators in a row for which fusing pays.
    private static var leastFused: Int { 3 }

    @inlinable
    init(source: Observable<Element>, makes: Bool, work: FusedWork?) {
        self.source = source
        self.work = work
        self.makes = makes
        self.offset =
            work == nil
            ? .none
            : source.fusionOffset.next(
                size: makes ? MemoryLayout<Output>.size : 0, alignment: makes ? MemoryLayout<Output>.alignment : 1)
        super.init()
    }

    /// The operator's stage, if it has one of its own.
    @usableFromInline
    func makeStage(_ downstream: Sink<Output>) -> Sink<Element> { abstractMethod() }

    final override func queueHeldByCaller(mainQueueRuns: Bool) -> String? {
        source.queueHeldByCaller(mainQueueRuns: mainQueueRuns)
    }

    @usableFromInline
    final override var fusionOffset: FusionOffset { offset }

    @usableFromInline
    final override func subscribeCore(_ downstream: Sink<Output>) {
        if offset.count >= FusibleOperator.leastFused {
            subscribeFused(downstream)
        } else {
            source.subscribeCore(makeStage(downstream))
        }
    }

    /// Subscribes in one fused stage if the row, or the part of it after a split, has at least `leastFused` operators.
    ///
    /// A method of its own, so that `subscribeCore` ends in a jump where each operator has its own stage, and needs no stack (law L8).
    @inline(never)
    private final func subscribeFused(_ downstream: Sink<Output>) {
        let split = offset.maySplit ? source.fusionSplit : .none
        if offset.count - split.count >= FusibleOperator.leastFused {
            subscribeCore(FusedSteps(offset, after: split), downstream: downstream)
        } else {
            source.subscribeCore(makeStage(downstream))
        }
    }

    @usableFromInline
    final override var fusionSplit: FusionOffset { offset.maySplit ? source.fusionSplit : .none }

    @usableFromInline
    final override func subscribeCore<Last>(_ steps: FusedSteps, downstream: Sink<Last>) {
        guard let work else { return super.subscribeCore(steps, downstream: downstream) }
        steps.fill(offset, work: work, makes: makes)
        source.subscribeCore(steps, downstream: downstream)
    }
}

/// The part of zip that does not depend on the type of its results.
@usableFromInline
class ZipCoordinator: Coordinator {
    /// The state of the operator, used only by the drainer.
    private final var machine: ZipStateMachine

    /// The sources that wait until their own slot has fewer elements; used only by the drainer.
    @exclusivity(unchecked) private final var waiting = WaitingSources()
    @exclusivity(unchecked) private final var hasWaiting = false

    override final var operatorName: StaticString { "zip" }

    init(slots: [SourceSlot], completesWhenOthersAreDone: Bool, downstream: AnySink) {
        machine = ZipStateMachine(sources: slots.count, completesWhenOthersAreDone: completesWhenOthersAreDone)
        // The form for collections, which completes when the other sources are done, cancels them after its completion.
        super.init(slots: slots, endsSourcesFirst: !completesWhenOthersAreDone, downstream: downstream)
    }

    /// Takes an element of each slot, combines them and passes the result on. Only the drainer calls this, when each slot has one.
    func emit() { abstractMethod() }

    /// Removes and returns the oldest element of a source; to be called once per source and combination.
    ///
    /// - Parameter index: the position of a source whose type is `Element`.
    @inlinable @inline(__always)
    final func next<Element>(_ index: Int) -> Element {
        unsafeDowncast(slots[index], to: ZipSlot<Element>.self).removeFirst()
    }

    /// True if elements are worth keeping.
    @inline(__always)
    final var keepsElements: Bool { !machine.isExhausted }

    @inline(__always)
    final func queued(first: Bool) {
        act(machine.queued(first: first))
    }

    final func discarded() { act(machine.discarded()) }

    override final func completed(_ slot: SourceSlot) {
        let action = machine.sourceCompleted()
        releaseIfExhausted()
        act(action)
    }

    @inline(__always)
    private final func act(_ action: ZipStateMachine.Action) {
        switch action {
        case .wait: break
        case .emit:
            var emptied = 0
            for slot in slots where slot.count == 1 { emptied &+= 1 }
            machine.took(emptied: emptied)
            emit()
            if hasWaiting { resumeIfEmptied() }
            if machine.done != 0 { releaseIfExhausted() }
        case .complete: complete()
        }
    }

    /// Pauses the source that is ahead of another one, and all sources when the downstream does.
    override final func pauses(_ source: any PausableSource, at slot: SourceSlot) -> Bool {
        if serializer.tryEnter() {
            let isAhead = !isCancelled && slot.isFull(at: hasWaiting ? ZipBounds.low + 1 : ZipBounds.high)
            if isAhead {
                waiting.add(source)
                hasWaiting = true
            }
            leave()
            if isAhead { return true }
        }
        return super.pauses(source, at: slot)
    }

    @inline(never)
    private final func resumeIfEmptied() {
        if slots.contains(where: { $0.isFull(at: ZipBounds.low + 1) }) { return }
        resumeWaiting()
    }

    private final func resumeWaiting() {
        hasWaiting = false
        waiting.takeAll().resume()
    }

    /// A source that waits may belong to other chains, too, so it goes on when this one has ended.
    package final func serializerDidClose() {
        if hasWaiting { resumeWaiting() }
    }

    /// Releases the queued elements if no combination can come any more.
    @inline(never)
    private final func releaseIfExhausted() {
        if machine.isExhausted || !slots.contains(where: { $0.isDone && $0.isEmpty }) { return }
        machine.exhausted()
        for slot in slots { slot.removeAll() }
        if hasWaiting { resumeWaiting() }
    }
}

/// The stage of zip: combines the elements with a closure.
@usableFromInline
final class CombiningZipCoordinator<Result>: ZipCoordinator {
    private let combine: (ZipCoordinator) throws -> Result
    private let downstream: Sink<Result>

    /// - Parameter combine: takes the next element of each slot.
    required init(
        slots: [SourceSlot], completesWhenOthersAreDone: Bool = false,
        combine: @escaping (ZipCoordinator) throws -> Result, downstream: Sink<Result>
    ) {
        self.combine = combine
        self.downstream = downstream
        super.init(slots: slots, completesWhenOthersAreDone: completesWhenOthersAreDone, downstream: downstream)
    }

    override func emit() {
        do {
            let result = try combine(self)
            if !isCancelled { downstream.next(result) }
        } catch {
            fail(error)
        }
    }
}

/// The numbers of elements in one slot at which its source pauses, and goes on. Half of the weight of `highWeight` counts as `low` elements do.
enum ZipBounds {
    static var high: Int { 256 }
    static var low: Int { 128 }
    /// In bytes.
    static var highWeight: Int { 1 << 20 }
}

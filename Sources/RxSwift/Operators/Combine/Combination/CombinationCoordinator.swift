// SPDX-License-Identifier: Apache-2.0

/// The part of zip and combineLatest that does not depend on the type of their results.
@usableFromInline
class AnyCombinationCoordinator: Coordinator {
    /// The state of the operator, used only by the drainer.
    private final var machine: CombinationStateMachine

    private final let kind: CombinationKind

    /// True if sources wait until their slots have fewer elements; used only by the drainer.
    @exclusivity(unchecked) private final var hasWaiting = false

    override final var operatorName: StaticString { kind == .zip ? "zip" : "combineLatest" }

    /// - Parameter isOfCollection: true for the forms for collections. Their sources are cancelled after the completion, and their zip
    ///   completes when the other sources are done.
    init(_ kind: CombinationKind, slots: [SourceSlot], isOfCollection: Bool, downstream: AnySink) {
        self.kind = kind
        machine = CombinationStateMachine(
            sources: slots.count, completesWhenOthersAreDone: kind == .combineLatest || isOfCollection)
        super.init(slots: slots, endsSourcesFirst: !isOfCollection, downstream: downstream)
    }

    /// Combines an element of each slot and passes the result on. Only the drainer calls this, when each slot has one.
    func emit() { abstractMethod() }

    /// Removes and returns the oldest element of a source of a zip; to be called once per source and combination.
    ///
    /// - Parameter index: the position of a source whose type is `Element`.
    @inlinable @inline(__always)
    final func next<Element>(_ index: Int) -> Element {
        unsafeDowncast(slots[index], to: ZipSlot<Element>.self).removeFirst()
    }

    /// Returns the latest element of a source of a combineLatest.
    ///
    /// - Parameter index: the position of a source whose type is `Element`.
    @inlinable @inline(__always)
    final func latest<Element>(_ index: Int) -> Element {
        unsafeDowncast(slots[index], to: CombineLatestSlot<Element>.self).latest
    }

    /// True if elements are worth keeping.
    @inline(__always)
    final var keepsElements: Bool { !machine.isExhausted }

    /// Handles an element that its slot keeps.
    ///
    /// - Parameters:
    ///   - first: whether the slot had none before.
    ///   - taking: whether a combination takes the elements out of their slots.
    @inline(__always)
    final func received(first: Bool, taking: Bool) {
        switch machine.received(first: first) {
        case .wait: break
        case .emit:
            if !taking { return emit() }
            var emptied = 0
            for slot in slots where slot.count == 1 { emptied &+= 1 }
            machine.took(emptied: emptied)
            emit()
            if hasWaiting { resumeIfEmptied() }
            if machine.done != 0 { releaseIfExhausted() }
        case .complete: complete()
        }
    }

    final func discarded() {
        if machine.discarded() == .complete { complete() }
    }

    override final func completed(_ slot: SourceSlot) {
        let action = machine.sourceCompleted()
        // Only this source can have become one that supplies nothing more.
        if kind == .zip, slot.isEmpty { releaseIfExhausted() }
        if action == .complete { complete() }
    }

    /// Releases the queued elements if no combination can come any more.
    @inline(never)
    private final func releaseIfExhausted() {
        if machine.isExhausted || !slots.contains(where: { $0.isDone && $0.isEmpty }) { return }
        machine.exhausted()
        for slot in slots { slot.removeAll() }
        if hasWaiting { resumeWaiting() }
    }

    // MARK: Pausing

    /// The numbers of elements in one slot at which its source is paused, and resumed.
    private static var most: Int { 256 }
    private static var few: Int { 128 }

    /// Pauses the source that is ahead of another one, and all sources when the downstream does.
    override final func pauses(_ source: any PausableSource, at slot: SourceSlot) -> Bool {
        super.pauses(kind == .zip ? SlotQuestion(of: source, at: slot) : source, at: slot)
    }

    override final func downstreamPauses(_ source: any PausableSource) -> Bool {
        guard let question = source as? SlotQuestion else { return super.downstreamPauses(source) }
        return pausesAhead(question.source, at: question.slot) || super.downstreamPauses(question.source)
    }

    private final func pausesAhead(_ source: any PausableSource, at slot: SourceSlot) -> Bool {
        let paused = slot.paused
        let bound = paused == nil ? AnyCombinationCoordinator.most : AnyCombinationCoordinator.few + 1
        if isCancelled || serializer.isClosed || machine.isExhausted || !slot.isFull(at: bound) { return false }
        let waiting = paused ?? SlotSources()
        _ = waiting.sources.add(source)
        slot.paused = waiting
        hasWaiting = true
        return true
    }

    /// Resumes the sources whose own slot has emptied. Another slot may stay full as long as this one is empty.
    @inline(never)
    private final func resumeIfEmptied() {
        hasWaiting = false
        for slot in slots {
            guard let paused = slot.paused else { continue }
            if slot.isFull(at: AnyCombinationCoordinator.few + 1) {
                hasWaiting = true
            } else {
                slot.paused = nil
                paused.sources.takeAll().resume()
            }
        }
    }

    private final func resumeWaiting() {
        hasWaiting = false
        for slot in slots {
            let paused = slot.paused
            slot.paused = nil
            paused?.sources.takeAll().resume()
        }
    }

    /// A source that waits may belong to other chains, too, so it is resumed when this one has ended.
    package final func serializerDidClose() {
        if hasWaiting { resumeWaiting() }
    }
}

/// The stage of zip and of combineLatest: combines the elements with a closure.
@usableFromInline
final class CombinationCoordinator<Result>: AnyCombinationCoordinator {
    private let combine: (AnyCombinationCoordinator) throws -> Result
    private let downstream: Sink<Result>

    /// - Parameter combine: takes an element of each slot.
    required init(
        _ kind: CombinationKind, slots: [SourceSlot], isOfCollection: Bool = false,
        combine: @escaping (AnyCombinationCoordinator) throws -> Result, downstream: Sink<Result>
    ) {
        self.combine = combine
        self.downstream = downstream
        super.init(kind, slots: slots, isOfCollection: isOfCollection, downstream: downstream)
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

/// The question of one source of a zip, which names its slot while it waits at the serializer.
private final class SlotQuestion: PausableSource {
    let source: any PausableSource
    let slot: SourceSlot

    init(of source: any PausableSource, at slot: SourceSlot) {
        self.source = source
        self.slot = slot
    }

    func resume() { source.resume() }
}

/// The part of zip that does not depend on the types and the number of the sources.
@usableFromInline
class ZipCoordinator: Coordinator {
    /// The state of the operator, used only by the drainer.
    private final var machine: ZipStateMachine

    override final var operatorName: StaticString { "zip" }

    init(slots: [SourceSlot], completesWhenOthersAreDone: Bool = false, downstream: TerminalSink) {
        machine = ZipStateMachine(sources: slots.count, completesWhenOthersAreDone: completesWhenOthersAreDone)
        // The form for collections, which completes when the other sources are done, cancels them after its completion.
        super.init(slots: slots, endsSourcesFirst: !completesWhenOthersAreDone, downstream: downstream)
    }

    /// Takes an element of each slot, combines them and passes the result on. Only the drainer calls this, when each slot has one.
    func emit() { abstractMethod() }

    /// True if elements are worth keeping.
    @inline(__always)
    final var keepsElements: Bool { !machine.isExhausted }

    @inline(__always)
    final func queued(first: Bool) {
        act(machine.queued(first: first))
    }

    final func discarded() { act(machine.discarded()) }

    /// Notes that `emit` has taken the elements. `emit` calls this before it calls any user code.
    ///
    /// - Parameter emptied: the number of slots that have no element now.
    @inline(__always)
    final func took(emptied: Int) {
        machine.took(emptied: emptied)
        if machine.done != 0 { letGoIfExhausted() }
    }

    override final func completed(_ slot: SourceSlot) {
        let action = machine.sourceCompleted()
        letGoIfExhausted()
        act(action)
    }

    @inline(__always)
    private final func act(_ action: ZipStateMachine.Action) {
        switch action {
        case .wait: break
        case .emit: emit()
        case .complete: complete()
        }
    }

    /// Frees the queues if no combination can come any more.
    @inline(never)
    private final func letGoIfExhausted() {
        if machine.isExhausted || !slots.contains(where: { $0.isDone && $0.isEmpty }) { return }
        machine.exhausted()
        for slot in slots { slot.removeAll() }
    }
}

/// One source of a zip: the elements that wait for those of the other sources.
final class ZipSlot<Element>: ElementSlot<Element> {
    /// A ring whose capacity is a power of two. Only the drainer uses it and the other fields.
    private var ring: UnsafeMutablePointer<Element>
    private var mask = 3
    private var head = 0
    private var count = 0

    override init() {
        ring = .allocate(capacity: 4)
        super.init()
    }

    deinit {
        removeAll()
        ring.deallocate()
    }

    override var isEmpty: Bool { count == 0 }

    /// 1 if no element waits, else 0.
    @inline(__always)
    var emptyCount: Int { count == 0 ? 1 : 0 }

    override func accept(_ element: Element, for coordinator: Coordinator) {
        let coordinator = unsafeDowncast(coordinator, to: ZipCoordinator.self)
        guard coordinator.keepsElements else { return coordinator.discarded() }
        if count > mask { grow() }
        (ring + ((head &+ count) & mask)).initialize(to: element)
        count &+= 1
        coordinator.queued(first: count == 1)
    }

    /// Removes and returns the oldest element; there must be one.
    @inline(__always)
    func removeFirst() -> Element {
        let index = head
        head = (index &+ 1) & mask
        count &-= 1
        return (ring + index).move()
    }

    override func removeAll() {
        // One by one, so that the deinit of an element finds the queue in order.
        while count != 0 { _ = removeFirst() }
    }

    @inline(never)
    private func grow() {
        let capacity = mask + 1
        let larger = UnsafeMutablePointer<Element>.allocate(capacity: 2 * capacity)
        larger.moveInitialize(from: ring + head, count: capacity - head)
        (larger + (capacity - head)).moveInitialize(from: ring, count: head)
        ring.deallocate()
        ring = larger
        mask = 2 * capacity - 1
        head = 0
    }
}

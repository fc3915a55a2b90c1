// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// An inner source that waits for a slot.
struct WaitingInner<Element> {
    let source: Observable<Element>
    /// The thread that brought it.
    let producer: UInt
}

/// A slot in which one inner source runs after another.
///
/// The slot subscribes to its first source at once, and to each following one in a job on the thread's trampoline: without
/// recursion, and in RxSwift's order (law L11).
final class LimitedMergeSlot<Element>: Sink<Element> {
    private let coordinator: LimitedMergeCoordinator<Element>
    private let job = LimitedMergeJob<Element>()
    private let subscribePhase = SubscribePhase()

    init(coordinator: LimitedMergeCoordinator<Element>) {
        self.coordinator = coordinator
        super.init()
    }

    /// True if the calling thread is subscribing to the source in this slot.
    var isSubscribing: Bool { subscribePhase.isOnStack }

    /// Runs a source in this slot, which has to be free.
    func run(_ inner: Observable<Element>) {
        if isCancelled { return }
        subscribePhase.begin()
        inner.start(self)
        _ = subscribePhase.end()
    }

    override func next(_ element: Element) { coordinator.next(element) }

    package override func upstreamGoesOn() { coordinator.upstreamGoesOn() }

    package override func pauses(_ source: any PausableSource) -> Bool { coordinator.pauses(source) }

    // As in RxSwift, a source that completes is disposed of before its completion is passed on, but afterwards inside its own subscription.

    override func error(_ error: any Swift.Error) { self.error(error, then: {}) }

    override func completed() { completed(then: {}) }

    override func error(_ error: any Swift.Error, then after: () -> Void) {
        if subscribePhase.isOnStack { return endInside({ coordinator.error(error) }, then: after) }
        coordinator.error(error)
        cancel(isPostponed: coordinator.hasPostponed, after)
    }

    override func completed(then after: () -> Void) {
        guard subscribePhase.isOnStack else {
            endSource()
            proceed()
            return after()
        }
        let source = unlinkSource()
        source?.quiesceChain()
        proceed()
        after()
        source?.cancel()
    }

    private func proceed() {
        guard let successor = coordinator.successor(in: self) else { return }
        Trampoline.unretained._withUnsafeGuaranteedRef { trampoline in
            let isForeign = successor.producer != CurrentThread.identity
            if isForeign, !trampoline.admitsForeignJob(), coordinator.leave(successor.source, in: self) { return }
            trampoline.submit(job.prepared(for: successor.source, in: self))
        }
    }

    /// Subscribes to the next source on a deputy's thread.
    func proceedAsDeputy(_ inner: Observable<Element>) { Trampoline.current.submit(job.prepared(for: inner, in: self)) }
}

/// The next source of a slot, on its way to a deputy.
final class LimitedMergeHandover<Element>: DeputyWork {
    private let inner: Observable<Element>
    private let slot: LimitedMergeSlot<Element>
    private let coordinator: LimitedMergeCoordinator<Element>

    init(
        _ inner: Observable<Element>, in slot: LimitedMergeSlot<Element>,
        of coordinator: LimitedMergeCoordinator<Element>
    ) {
        self.inner = inner
        self.slot = slot
        self.coordinator = coordinator
    }

    func drainAsDeputy() {
        slot.proceedAsDeputy(inner)
        coordinator.deputyLeft()
    }
}

/// Subscribes to the next source of a slot. At most one is on its way, since the source before it has ended.
private final class LimitedMergeJob<Element>: Job {
    // Used only by the thread whose trampoline has the job.
    private var inner: Observable<Element>?
    private var slot: LimitedMergeSlot<Element>?

    func prepared(for inner: Observable<Element>, in slot: LimitedMergeSlot<Element>) -> Job {
        self.inner = inner
        self.slot = slot
        return self
    }

    override func run(_ budget: inout Int) -> Bool {
        let (inner, slot) = (self.inner.take(), self.slot.take())
        if let inner { slot?.run(inner) }
        return true
    }
}

// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// Serializes the events of any number of inner sources: the lower half of `merge` and `flatMap`.
///
/// Completes when all its sources have: each counts in `activeCount` from before it is subscribed until after its last event was
/// accepted, so the thread that brings the count to zero is the last to arrive.
final class MergeCoordinator<Element>: SerializedSink<Element> {
    /// The number of sources that have not completed, including the outer one (or the list of sources being subscribed).
    private let activeCount = AtomicWord(1)
    private let lock = Mutex()

    /// The active inner sinks, doubly linked through themselves. Under the lock.
    @exclusivity(unchecked) private var firstInner: Unmanaged<InnerSink<Element>>?

    /// True once the inner sinks were quiesced or cancelled, so that no more may join. Under the lock.
    @exclusivity(unchecked) private var isClosed = false

    /// True once `cancel` has taken the inner sinks. Under the lock.
    @exclusivity(unchecked) private var hasCancelledInners = false
    /// 1 once an inner source has failed.
    private let failure = AtomicWord(0)
    private let subscribePhase = SubscribePhase(begun: true)
    private let innerSubscribePhase = InnerSubscribePhase()

    package override var operatorName: StaticString { "merge" }

    /// Notes that the source, or all sources, have been subscribed to, and does the postponed cancellation.
    func didSubscribe() {
        if subscribePhase.end() { cancelInners() }
    }

    /// True if the cancellation of inner sources is postponed until the rest has been subscribed to.
    var hasPostponed: Bool { subscribePhase.hasPostponed }

    /// Subscribes an inner sink to its source, one sink at a time.
    func start(_ inner: InnerSink<Element>, _ source: Observable<Element>) {
        innerSubscribePhase.begin(inner)
        source.start(inner)
        innerSubscribePhase.end()
    }

    /// Tells whether the source of this inner sink is being subscribed to.
    func isSubscribing(_ inner: InnerSink<Element>) -> Bool { innerSubscribePhase.isSubscribing(inner) }

    /// Makes a sink for one more source, or returns nil if the coordinator was quiesced or cancelled.
    func makeInner(_ type: InnerSink<Element>.Type) -> InnerSink<Element>? {
        let inner = type.init(coordinator: self)
        _ = activeCount.fetchAdd(1)
        lock.lock()
        if isClosed {
            lock.unlock()
            return nil
        }
        let node = Unmanaged.passRetained(inner)
        inner.nextInner = firstInner
        firstInner?._withUnsafeGuaranteedRef { $0.previousInner = node }
        firstInner = node
        inner.isListed = true
        lock.unlock()
        return inner
    }

    /// Makes a sink that cancels its source as soon as the source has been subscribed to.
    func makeCancelledInner() -> InnerSink<Element> {
        let inner = InnerSink(coordinator: self)
        inner.cancel()
        return inner
    }

    /// True once an inner source has failed. Out of date as soon as it is read, when other threads emit.
    var hasFailed: Bool { failure.loadRelaxed() != 0 }

    fileprivate func innerFailed(_ error: any Swift.Error) {
        failure.storeRelaxed(1)
        self.error(error)
    }

    /// Counts down for a source that has completed.
    func sourceCompleted() {
        if activeCount.fetchAdd(0 &- 1) == 1 { completed() }
    }

    func remove(_ inner: InnerSink<Element>) {
        lock.lock()
        guard inner.isListed else { return lock.unlock() }
        inner.isListed = false
        let next = inner.nextInner
        let previous = inner.previousInner
        if let previous {
            previous._withUnsafeGuaranteedRef { $0.nextInner = next }
        } else {
            firstInner = next
        }
        next?._withUnsafeGuaranteedRef { $0.previousInner = previous }
        lock.unlock()
        // The caller holds the sink, so no deinit runs here.
        Unmanaged.passUnretained(inner).release()
    }

    override var hasSources: Bool { true }

    override func quiesceSources() {
        super.quiesceSources()
        quiesceInners()
    }

    package override func abandonSubscription() -> UInt {
        abandonUpstream()
        quiesceInners(abandons: true)
        return 0
    }

    private func quiesceInners(abandons: Bool = false) {
        let inners = takeInners()
        var node = inners
        while let inner = node {
            node = inner._withUnsafeGuaranteedRef { inner in
                if abandons { inner.abandonUpstream() } else { inner.quiesceUpstream() }
                return inner.nextInner
            }
        }
        if let inners, !tryKeep(inners) { cancel(inners) }
    }

    override func cancel() {
        if hasBeenCancelled { return }
        super.cancel()
        didCancelOuter()
    }

    /// Separate, so that the part that stays on the stack while the source is cancelled is small (law L8).
    @inline(never)
    private func didCancelOuter() {
        guard subscribePhase.postpones() else { return cancelInners() }
        lock.lock()
        isClosed = true
        var node = firstInner
        var subscribing: InnerSink<Element>?
        while let inner = node, subscribing == nil {
            node = inner._withUnsafeGuaranteedRef { $0.nextInner }
            inner._withUnsafeGuaranteedRef { if isSubscribing($0) { subscribing = $0 } }
        }
        lock.unlock()
        // The source that is being subscribed to may be in a loop.
        subscribing?.cancel()
        // Closures of postponed sources must not run meanwhile (law L1).
        quiesceInners(abandons: true)
    }

    private func cancelInners() {
        if let inners = takeInners(isCancelling: true) { cancel(inners) }
    }

    /// Takes the inner sinks, with the list's references. No more sinks may join, and `remove` does not touch those taken.
    private func takeInners(isCancelling: Bool = false) -> Unmanaged<InnerSink<Element>>? {
        lock.lock()
        isClosed = true
        if isCancelling { hasCancelledInners = true }
        let first = firstInner
        firstInner = nil
        var node = first
        while let inner = node {
            node = inner._withUnsafeGuaranteedRef { inner in
                inner.isListed = false
                return inner.nextInner
            }
        }
        lock.unlock()
        return first
    }

    /// Keeps inner sinks that were taken, for `cancel`. Returns false if `cancel` has run already.
    private func tryKeep(_ inners: Unmanaged<InnerSink<Element>>) -> Bool {
        lock.lock()
        let isInTime = !hasCancelledInners
        if isInTime { firstInner = inners }
        lock.unlock()
        return isInTime
    }

    private func cancel(_ inners: Unmanaged<InnerSink<Element>>) {
        var rest: Unmanaged<InnerSink<Element>>? = inners
        while let node = rest {
            let inner = node.takeRetainedValue()
            rest = inner.nextInner
            inner.cancel()
        }
    }
}

/// Receives the events of one inner source.
final class InnerSink<Element>: Sink<Element> {
    private let coordinator: MergeCoordinator<Element>

    // The links of the coordinator's list, and whether this sink is in it. Under the coordinator's lock.
    @exclusivity(unchecked) var nextInner: Unmanaged<InnerSink<Element>>?
    @exclusivity(unchecked) var previousInner: Unmanaged<InnerSink<Element>>?
    @exclusivity(unchecked) var isListed = false

    required init(coordinator: MergeCoordinator<Element>) {
        self.coordinator = coordinator
        super.init()
    }

    override func next(_ element: Element) { coordinator.next(element) }

    package override func upstreamGoesOn() { coordinator.upstreamGoesOn() }

    package override func pauses(_ source: any PausableSource) -> Bool { coordinator.pauses(source) }

    // The terminal event may have to wait for the drainer, but the source has ended now.

    override func error(_ error: any Swift.Error) { self.error(error, then: {}) }

    override func completed() { completed(then: {}) }

    override func error(_ error: any Swift.Error, then after: () -> Void) {
        if coordinator.isSubscribing(self) { return endInside({ coordinator.innerFailed(error) }, then: after) }
        coordinator.innerFailed(error)
        cancel(isPostponed: coordinator.hasPostponed, after)
    }

    override func completed(then after: () -> Void) {
        // As in RxSwift, the source is disposed of before its end is passed on, but afterwards inside its own subscription.
        if coordinator.isSubscribing(self) { return endInside(tellCompleted, then: after) }
        cancel()
        tellCompleted()
        after()
    }

    private func tellCompleted() {
        coordinator.remove(self)
        coordinator.sourceCompleted()
    }
}

// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

extension ObservableType where Element: ObservableConvertibleType {
    /// Sends the elements of the latest inner sequence.
    ///
    /// Each new inner sequence replaces the one before it, which is cancelled first.
    /// - Returns: the elements of each inner sequence while it is the latest one, one at a time. Fails with the first error of the
    ///   source or the latest inner sequence; completes when both have.
    /// - SeeAlso: [Switch](https://reactivex.io/documentation/operators/switch.html)
    @inlinable
    public func switchLatest() -> Observable<Element.Element> {
        SwitchLatest(source: asObservable()) { $0.asObservable() }
    }
}

/// The observable of `switchLatest` and `flatMapLatest`.
@usableFromInline
final class SwitchLatest<Element, Result>: Observable<Result>, @unchecked Sendable {
    @usableFromInline let source: Observable<Element>
    @usableFromInline let selector: (Element) throws -> Observable<Result>
    @usableFromInline let sinkType: SwitchLatestSink<Element, Result>.Type
    @usableFromInline let coordinatorType: SwitchLatestCoordinator<Result>.Type

    @inlinable
    init(source: Observable<Element>, selector: @escaping (Element) throws -> Observable<Result>) {
        self.source = source
        self.selector = selector
        self.sinkType = SwitchLatestSink<Element, Result>.self
        self.coordinatorType = SwitchLatestCoordinator<Result>.self
        super.init()
    }

    @usableFromInline
    override func subscribeCore(_ downstream: Sink<Result>) {
        let coordinator = coordinatorType.init(downstream: downstream)
        coordinator.linkDownstream()
        source.subscribeCore(sinkType.init(selector: selector, coordinator: coordinator))
        coordinator.didSubscribe()
    }
}

/// Receives the outer elements.
@usableFromInline
final class SwitchLatestSink<Element, Result>: Sink<Element> {
    private let selector: (Element) throws -> Observable<Result>
    private let coordinator: SwitchLatestCoordinator<Result>
    private let innerType = SwitchLatestInnerSink<Result>.self

    required init(
        selector: @escaping (Element) throws -> Observable<Result>, coordinator: SwitchLatestCoordinator<Result>
    ) {
        self.selector = selector
        self.coordinator = coordinator
        super.init()
    }

    @usableFromInline
    override func link(_ stage: Stage) { coordinator.link(stage) }

    package override func upstreamGoesOn() { coordinator.upstreamGoesOn() }

    package override func pauses(_ source: any PausableSource) -> Bool { coordinator.pauses(source) }

    @usableFromInline
    override func next(_ element: Element) {
        do {
            let source = try selector(element)
            if coordinator.isCancelled { return }
            let inner = innerType.init(coordinator: coordinator)
            if coordinator.supersede(by: inner) { coordinator.start(inner, source) }
        } catch {
            if !coordinator.isCancelled { self.error(error) }
        }
    }

    @usableFromInline
    override func error(_ error: any Swift.Error) {
        coordinator.error(error)
        coordinator.endSource()
    }

    @usableFromInline
    override func completed() { coordinator.outerCompleted() }
}

/// Keeps the latest inner source, and serializes its events.
///
/// An element counts if its source was the latest when the element was accepted, that is, delivered directly or enqueued. So no
/// event of a superseded source comes after an event of its successor.
@usableFromInline
final class SwitchLatestCoordinator<Element>: SerializedSink<Element> {
    /// Orders acceptance in the queue against supersession.
    private let lock = Mutex()

    // The mutable fields are protected by the lock.
    private var latest = SwitchLatestStateMachine<SwitchLatestInnerSink<Element>>()
    private var isClosed = false
    /// The inner source that is cancelled when the outer one has been subscribed to.
    private var postponed: SwitchLatestInnerSink<Element>?

    private let subscribePhase = SubscribePhase(begun: true)
    private let innerSubscribePhase = InnerSubscribePhase()

    package override var operatorName: StaticString { "switchLatest" }

    required init(downstream: Sink<Element>) {
        super.init(downstream: downstream)
    }

    /// Notes that the outer source has been subscribed to, and does the postponed cancellation.
    func didSubscribe() {
        guard subscribePhase.end() else { return }
        lock.lock()
        let inner = postponed.take()
        lock.unlock()
        inner?.cancel()
    }

    /// Subscribes an inner sink to its source, one sink at a time.
    func start(_ inner: SwitchLatestInnerSink<Element>, _ source: Observable<Element>) {
        innerSubscribePhase.begin(inner)
        source.start(inner)
        innerSubscribePhase.end()
    }

    /// Tells whether the source of this inner sink is being subscribed to.
    func isSubscribing(_ inner: SwitchLatestInnerSink<Element>) -> Bool { innerSubscribePhase.isSubscribing(inner) }

    /// Makes this inner sink the latest, and cancels the one before. Returns whether the caller has to start it.
    func supersede(by inner: SwitchLatestInnerSink<Element>) -> Bool {
        lock.lock()
        if isClosed {
            lock.unlock()
            return false
        }
        let superseded = latest.supersede(by: inner)
        lock.unlock()
        superseded?.cancel()
        return true
    }

    /// Delivers or enqueues an element of an inner source.
    @inline(__always)
    func next(_ element: Element, from inner: SwitchLatestInnerSink<Element>) {
        if serializer.tryEnter() {
            if !inner.isCancelled { downstream._withUnsafeGuaranteedRef { $0.next(element) } }
            leave()
        } else {
            enqueue(element, from: inner)
        }
    }

    @inline(never)
    private func enqueue(_ element: Element, from inner: SwitchLatestInnerSink<Element>) {
        let node = EventNode.make(element)
        lock.lock()
        let admission = latest.isCurrent(inner) ? serializer.enqueue(node) : .closed
        lock.unlock()
        serializer.completeSubmission(node, admission, for: AnySerializerTarget(self))
    }

    func failed(_ inner: SwitchLatestInnerSink<Element>, with error: any Swift.Error) {
        if case .ignored = lock.withLock({ latest.innerEnded(inner) }) { return }
        self.error(error)
    }

    func completed(_ inner: SwitchLatestInnerSink<Element>) {
        if case .last = lock.withLock({ latest.innerEnded(inner) }) { completed() }
    }

    func outerCompleted() {
        // As in RxSwift, the source is cancelled before its completion is passed on.
        endSource()
        if lock.withLock({ latest.outerEnded() }) { completed() }
    }

    override var hasSources: Bool { true }

    override func quiesceSources() {
        super.quiesceSources()
        lock.withLock { isClosed = true }
        forEachFurtherLink { $0.quiesceUpstream() }
    }

    package override func forEachFurtherLink(_ body: (Stage) -> Void) {
        if let running = lock.withLock({ latest.running }) { body(running) }
    }

    @usableFromInline
    override func cancel() {
        super.cancel()
        lock.lock()
        isClosed = true
        let current = latest.takeCurrent()
        // An inner source that is being subscribed to may be in a loop.
        let isPostponed = current.map { !isSubscribing($0) && subscribePhase.postpones() } ?? false
        if isPostponed { postponed = current }
        lock.unlock()
        // Closures of a postponed source must not run meanwhile (law L1).
        if isPostponed { current?.abandonUpstream() } else { current?.cancel() }
    }
}

/// Receives the events of one inner source. The coordinator cancels it when it is superseded.
final class SwitchLatestInnerSink<Element>: Sink<Element> {
    private let coordinator: SwitchLatestCoordinator<Element>

    required init(coordinator: SwitchLatestCoordinator<Element>) {
        self.coordinator = coordinator
        super.init()
    }

    override func next(_ element: Element) { coordinator.next(element, from: self) }

    package override func upstreamGoesOn() { coordinator.upstreamGoesOn() }

    package override func pauses(_ source: any PausableSource) -> Bool { coordinator.pauses(source) }

    // As in RxSwift, a source is disposed of before its end is passed on, but afterwards inside its own subscription.

    override func error(_ error: any Swift.Error) { self.error(error, then: {}) }

    override func completed() { completed(then: {}) }

    override func error(_ error: any Swift.Error, then after: () -> Void) {
        if coordinator.isSubscribing(self) { return endInside({ coordinator.failed(self, with: error) }, then: after) }
        endSource()
        coordinator.failed(self, with: error)
        after()
    }

    override func completed(then after: () -> Void) {
        if coordinator.isSubscribing(self) { return endInside({ coordinator.completed(self) }, then: after) }
        endSource()
        coordinator.completed(self)
        after()
    }
}

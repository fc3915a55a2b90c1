// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

extension ObservableType {
    /// Subscribes to the source on a scheduler, and ends that subscription there.
    ///
    /// Events are delivered where the source emits them; `observe(on:)` changes that. No event comes after `dispose()`, though the
    /// source is cancelled only when the scheduler runs that job.
    /// - Parameter scheduler: subscribes to the source and unsubscribes from it.
    /// - SeeAlso: [SubscribeOn](https://reactivex.io/documentation/operators/subscribeon.html)
    @inlinable
    public func subscribe(on scheduler: any ImmediateSchedulerType) -> Observable<Element> {
        // Not `asObservable()`: that one ends a sequence of the program's own at its terminal event, not on the scheduler.
        let source = (self as? Observable<Element>) ?? Create(foreign: { observer in subscribe(observer) })
        return SubscribeOn(source: source, scheduler: scheduler)
    }

    /// Subscribes to the source on a scheduler, and ends that subscription there.
    @available(*, deprecated, renamed: "subscribe(on:)")
    @inlinable
    public func subscribeOn(_ scheduler: any ImmediateSchedulerType) -> Observable<Element> {
        subscribe(on: scheduler)
    }
}

@usableFromInline
final class SubscribeOn<Element>: Observable<Element>, @unchecked Sendable {
    @usableFromInline let source: Observable<Element>
    @usableFromInline let scheduler: any ImmediateSchedulerType
    @usableFromInline let sinkType: SubscribeOnSink<Element>.Type

    @inlinable
    init(source: Observable<Element>, scheduler: any ImmediateSchedulerType) {
        self.source = source
        self.scheduler = scheduler
        sinkType = SubscribeOnSink<Element>.self
        super.init()
    }

    @usableFromInline
    override func subscribeCore(_ downstream: Sink<Element>) {
        let sink = sinkType.init(source: source, scheduler: scheduler, downstream: downstream)
        downstream.link(sink)
        sink.begin()
    }
}

@usableFromInline
final class SubscribeOnSink<Element>: Sink<Element> {
    private let source: Observable<Element>
    private let downstream: Sink<Element>
    private let scheduler: any JobScheduler
    private let arrival = StageJob()

    /// The address of the job that will unsubscribe, retained; 0 until a dispose needs one. Written once.
    private let departure = AtomicWord(0)

    /// 1 while the source is being subscribed to, when the scheduler's thread is not free to unsubscribe.
    private let isStarting = AtomicWord(0)

    /// The number of events and notes of the source that came after the subscription was disposed of. Above a hop, events and notes come from two threads.
    private let lateEvents = AtomicWord(0)

    /// True if the source ends by itself. Written when the source links itself, before its first event.
    @exclusivity(unchecked) private var sourceEndsByItself = false

    required init(source: Observable<Element>, scheduler: any ImmediateSchedulerType, downstream: Sink<Element>) {
        self.source = source
        self.downstream = downstream
        self.scheduler = jobScheduler(for: scheduler)
        super.init()
    }

    deinit {
        let address = departure.loadRelaxed()
        if address != 0 { StageJob.at(address).release() }
    }

    func begin() {
        arrival.run(on: scheduler, with: self) { [source] in
            let sink = unsafeDowncast($0, to: SubscribeOnSink.self)
            sink.isStarting.storeRelaxed(1)
            source.start(sink)
            sink.isStarting.storeRelaxed(0)
        }
    }

    override func link(_ stage: Stage) {
        sourceEndsByItself = stage.endsByItself
        // Releasing: paired with the exchange in `takeUpstream`.
        let retained = Unmanaged.passRetained(stage)
        if !upstream.compareExchange(Stage.unlinked, UInt(bitPattern: retained.toOpaque())) {
            retained.release()
            stage.stopLoop()
            leave(stage)
        }
    }

    override func next(_ element: Element) {
        if isCancelled { return cameLate() }
        downstream.next(element)
    }

    override func upstreamGoesOn() {
        if isCancelled { return cameLate() }
        downstream.upstreamGoesOn()
    }

    package override func pauses(_ source: any PausableSource) -> Bool { downstream.pauses(source) }

    override func error(_ error: any Swift.Error) {
        if mayLeaveInline, !isCancelled {
            downstream.error(error)
            return endInline()
        }
        guard !isCancelled, let upstream = takeUpstream() else { return leaveNow() }
        downstream.error(error)
        end(upstream)
    }

    override func completed() {
        if mayLeaveInline, !isCancelled {
            downstream.completed()
            return endInline()
        }
        guard !isCancelled, let upstream = takeUpstream() else { return leaveNow() }
        downstream.completed()
        end(upstream)
    }

    /// True if the scheduler may run a job at once. A downstream that cancels before it passes the end on then sees the source
    /// disposed of, as in RxSwift.
    private var mayLeaveInline: Bool {
        if scheduler is CurrentThreadJobScheduler {
            return Trampoline.unretained._withUnsafeGuaranteedRef { !$0.isOpen }
        }
        return scheduler is CustomSchedulerAdapter
    }

    /// Ends the source, or hurries the job that the downstream's cancellation has submitted.
    private func endInline() {
        if let upstream = takeUpstream() { end(upstream) } else if sourceEndsByItself { leaveNow() }
    }

    /// Ends the source. The scheduler may be busy with the source that has ended, so it only unsubscribes a source that does not
    /// end by itself.
    private func end(_ upstream: Upstream) {
        guard let source = upstream.take() else { return }
        if source.endsByItself { source.cancel() } else { leave(source) }
    }

    /// Quiesces at once; the source is unsubscribed later, on the scheduler.
    override func quiesceBoundary() -> UInt { quiesce() }

    override func cancel() {
        guard let upstream = takeUpstream() else { return }
        arrival.drop(from: scheduler)
        guard let source = upstream.take() else { return }
        // It may keep the scheduler, so that the job that lets go of it cannot run. What was quiesced sends nothing that would come late here.
        if upstream.isQuiesced { source.abandonChain() } else { source.stopLoop() }
        leave(source)
    }

    private func leave(_ source: Stage) {
        let job = StageJob()
        // Releasing: paired with the acquire in `leaveNow`. Only a source that breaks the rules links a second stage; the job for
        // that one cannot be hurried.
        let retained = Unmanaged.passRetained(job)
        if !departure.compareExchange(0, UInt(bitPattern: retained.toOpaque())) { retained.release() }
        job.run(on: scheduler, with: source) { $0.cancel() }
    }

    /// Handles an event, or a note of the source, after the subscription was disposed of, when the scheduler has not unsubscribed yet.
    ///
    /// If the scheduler cannot, because it is busy with this source, the calling thread unsubscribes from the source.
    @inline(never)
    private func cameLate() {
        let before = lateEvents.fetchAdd(1)
        if isStarting.loadRelaxed() != 0 || before + 1 >= Stage.lateEventLimit { leaveNow() }
    }

    private func leaveNow() {
        // Acquiring: paired with the compare-exchange in `leave`.
        let address = departure.loadAcquiring()
        if address != 0 { StageJob.at(address)._withUnsafeGuaranteedRef { $0.runNow(insteadOfOn: scheduler) } }
    }
}

/// An action on a stage, done on a scheduler. Holds the stage as its upstream, until the action is done or dropped.
private final class StageJob: SchedulerJob {
    /// The action, written once, before the job is submitted.
    private var action: ((Stage) -> Void)?

    static func at(_ address: UInt) -> Unmanaged<StageJob> {
        .fromOpaque(UnsafeRawPointer(bitPattern: address).unsafelyUnwrapped)
    }

    func run(on scheduler: any JobScheduler, with stage: Stage, _ action: @escaping (Stage) -> Void) {
        self.action = action
        link(stage)
        if let gate = scheduler.inlineGate, gate.tryEnter() {
            perform()
            gate.leave()
        } else {
            scheduler.submit(self)
            // The job may have been dropped too early to be found.
            if isCancelled { scheduler.unschedule(self) }
        }
    }

    /// Drops the action, if it has not begun.
    func drop(from scheduler: any JobScheduler) {
        guard let stage = takeUpstream() else { return }
        // This is not the last reference: the caller has one.
        _ = stage.take()
        scheduler.unschedule(self)
    }

    /// Runs the action on the calling thread, if it has not begun.
    func runNow(insteadOfOn scheduler: any JobScheduler) {
        if isCancelled { return }
        perform()
        scheduler.unschedule(self)
    }

    override func run(_ budget: inout Int) -> Bool {
        perform()
        return true
    }

    private func perform() {
        guard let stage = takeUpstream()?.take() else { return }
        action?(stage)
    }
}

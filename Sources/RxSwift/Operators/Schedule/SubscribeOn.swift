extension ObservableType {
    /// Subscribes to the source on a scheduler, and ends that subscription there.
    ///
    /// Says nothing about where events are delivered: that is where the source emits them; see `observe(on:)`. No event comes
    /// after `dispose()`, though the source hears of it only when the scheduler gets to it.
    /// - Parameter scheduler: where to subscribe and to unsubscribe.
    /// - SeeAlso: [SubscribeOn](https://reactivex.io/documentation/operators/subscribeon.html)
    @inlinable
    public func subscribe(on scheduler: any ImmediateSchedulerType) -> Observable<Element> {
        SubscribeOn(source: asObservable(), scheduler: scheduler)
    }

    /// Subscribes to the source on a scheduler, and ends that subscription there.
    @available(*, deprecated, renamed: "subscribe(on:)")
    @inlinable
    public func subscribeOn(_ scheduler: any ImmediateSchedulerType) -> Observable<Element> {
        subscribe(on: scheduler)
    }
}

@usableFromInline
final class SubscribeOn<Element>: Observable<Element> {
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
    override func attach(_ downstream: Sink<Element>) {
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
    private let arrival = Errand()

    required init(source: Observable<Element>, scheduler: any ImmediateSchedulerType, downstream: Sink<Element>) {
        self.source = source
        self.downstream = downstream
        self.scheduler = jobScheduler(for: scheduler)
        super.init()
    }

    func begin() {
        arrival.run(on: scheduler, with: self) { [source] in source.start(unsafeDowncast($0, to: Sink<Element>.self)) }
    }

    override func link(_ stage: Stage) {
        // Releasing: paired with the exchange in `takeUpstream`.
        let retained = Unmanaged.passRetained(stage)
        if !upstream.compareExchange(Stage.unlinked, UInt(bitPattern: retained.toOpaque())) {
            retained.release()
            leave(stage)
        }
    }

    // Until the scheduler gets to unsubscribing the source may emit.

    override func next(_ element: Element) {
        if !isCancelled { downstream.next(element) }
    }

    override func error(_ error: any Swift.Error) {
        if !isCancelled { downstream.error(error) }
    }

    override func completed() {
        if !isCancelled { downstream.completed() }
    }

    override func cancel() {
        guard let upstream = takeUpstream() else { return }
        arrival.drop(from: scheduler)
        if let source = upstream.take() { leave(source) }
    }

    private func leave(_ source: Stage) {
        Errand().run(on: scheduler, with: source) { $0.cancel() }
    }
}

/// Something to be done with a stage on a scheduler. Holds the stage as its upstream, until it is done or dropped.
private final class Errand: SchedulerJob {
    /// Written once, before the job is posted.
    private var action: ((Stage) -> Void)?

    func run(on scheduler: any JobScheduler, with stage: Stage, _ action: @escaping (Stage) -> Void) {
        self.action = action
        link(stage)
        if let queue = scheduler.turnQueue, queue.tryEnterInline() {
            perform()
            queue.leaveInline()
        } else {
            scheduler.post(self)
            // It may have been dropped too early to be found.
            if isCancelled { scheduler.withdraw(self) }
        }
    }

    /// Does not do it, if it has not begun.
    func drop(from scheduler: any JobScheduler) {
        guard let stage = takeUpstream() else { return }
        // Not the last reference: the caller has one.
        _ = stage.take()
        scheduler.withdraw(self)
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

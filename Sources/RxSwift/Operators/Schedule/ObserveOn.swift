#if TRACE_RESOURCES
    import RxPrimitives
#endif

extension ObservableType {
    /// Delivers the events on a scheduler.
    ///
    /// Events keep their order and come one at a time, on any scheduler. On a serial scheduler object they also keep their order of
    /// submission among all its work. An error does not overtake the elements before it.
    /// - Parameter scheduler: delivers the events. On `MainScheduler` they are delivered at once when the caller is already there.
    /// - SeeAlso: [ObserveOn](https://reactivex.io/documentation/operators/observeon.html)
    public func observe(on scheduler: any ImmediateSchedulerType) -> Observable<Element> {
        ObserveOn(source: asObservable(), scheduler: scheduler)
    }

    /// Delivers the events on a scheduler.
    @available(*, deprecated, renamed: "observe(on:)")
    public func observeOn(_ scheduler: any ImmediateSchedulerType) -> Observable<Element> {
        observe(on: scheduler)
    }
}

private final class ObserveOn<Element>: Observable<Element> {
    private let source: Observable<Element>
    private let scheduler: any ImmediateSchedulerType
    private let weigh = weigher(of: Element.self, for: "observe(on:)")

    init(source: Observable<Element>, scheduler: any ImmediateSchedulerType) {
        self.source = source
        self.scheduler = scheduler
        super.init()
        #if TRACE_RESOURCES
            if scheduler is SerialDispatchQueueScheduler { _ = ResourceCensus.serialQueueObservables.fetchAdd(1) }
        #endif
    }

    #if TRACE_RESOURCES
        deinit {
            if scheduler is SerialDispatchQueueScheduler { _ = ResourceCensus.serialQueueObservables.fetchAdd(0 &- 1) }
        }
    #endif

    override func queueHeldByCaller(mainQueueRuns: Bool) -> String? {
        jobScheduler(for: scheduler).runQueue?.nameIfHeldByCaller(mainQueueRuns: mainQueueRuns)
    }

    override func subscribeCore(_ downstream: Sink<Element>) {
        source.subscribeCore(
            ObserveOnSink(downstream: downstream, scheduler: jobScheduler(for: scheduler), weigh: weigh))
    }
}

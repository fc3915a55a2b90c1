// SPDX-License-Identifier: Apache-2.0

#if TRACE_RESOURCES
    import RxPrimitives
#endif

extension ObservableType {
    /// Delivers the events on a scheduler.
    ///
    /// Events keep their order and come one at a time, on any scheduler. On a serial scheduler object they also keep their order of
    /// submission among all its work. An error does not overtake the elements before it.
    ///
    /// Elements that wait for a serial scheduler when the subscription is disposed of are released when that comes to them, as in RxSwift;
    /// those of ``observe(on:buffer:overflow:onDropped:)`` are released at once.
    /// - Parameter scheduler: delivers the events. On `MainScheduler` they are delivered at once when the caller is already there.
    /// - SeeAlso: [ObserveOn](https://reactivex.io/documentation/operators/observeon.html)
    @inlinable
    public func observe(on scheduler: any ImmediateSchedulerType) -> Observable<Element> {
        ObserveOn(source: asObservable(), scheduler: scheduler)
    }

    /// Delivers the events on a scheduler.
    @available(*, deprecated, renamed: "observe(on:)")
    @inlinable
    public func observeOn(_ scheduler: any ImmediateSchedulerType) -> Observable<Element> {
        observe(on: scheduler)
    }
}

@usableFromInline
final class ObserveOn<Element>: Observable<Element>, @unchecked Sendable {
    @usableFromInline let source: Observable<Element>
    @usableFromInline let scheduler: any ImmediateSchedulerType
    @usableFromInline let weigh: ((Element) -> Int)?
    @usableFromInline let sinkType: ObserveOnSink<Element>.Type
    @usableFromInline let queueType: ObserveOnQueue<Element>.Type

    @inlinable
    init(source: Observable<Element>, scheduler: any ImmediateSchedulerType) {
        self.source = source
        self.scheduler = scheduler
        weigh = weigher(of: Element.self, for: "observe(on:)")
        sinkType = ObserveOnSink<Element>.self
        queueType = ObserveOnQueue<Element>.self
        super.init()
        #if TRACE_RESOURCES
            count(1)
        #endif
    }

    #if TRACE_RESOURCES
        deinit {
            count(0 &- 1)
        }

        @usableFromInline
        func count(_ difference: UInt) {
            if scheduler is SerialDispatchQueueScheduler {
                _ = ResourceCensus.serialQueueObservables.fetchAdd(difference)
            }
        }
    #endif

    override func queueHeldByCaller(mainQueueRuns: Bool) -> String? {
        jobScheduler(for: scheduler).runQueue?.nameIfHeldByCaller(mainQueueRuns: mainQueueRuns)
    }

    @usableFromInline
    override func subscribeCore(_ downstream: Sink<Element>) {
        let jobs = jobScheduler(for: scheduler)
        let type = jobs is CurrentThreadJobScheduler ? TrampolineHopSink<Element>.self : sinkType
        let sink = type.init(queueType, downstream: downstream, scheduler: jobs, weigh: weigh)
        source.subscribeCore(sink)
    }
}

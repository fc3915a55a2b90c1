// SPDX-License-Identifier: Apache-2.0

/// The settings that a user chose for an operator that measures time.
@usableFromInline
struct TimeSettings {
    @usableFromInline let interval: RxTimeInterval
    @usableFromInline let scheduler: any SchedulerType
    /// The greatest number of elements, if the operator counts them.
    @usableFromInline let count: Int

    @inlinable
    init(interval: RxTimeInterval, scheduler: any SchedulerType, count: Int = 0) {
        self.interval = interval
        self.scheduler = scheduler
        self.count = count
    }
}

/// The observable of every operator that is a `TimedSink`.
@usableFromInline
final class TimedOperator<Element, Output>: Observable<Output>, @unchecked Sendable {
    @usableFromInline let source: Observable<Element>
    @usableFromInline let settings: TimeSettings
    @usableFromInline let sinkType: TimedSink<Element, Output>.Type

    @inlinable
    init(source: Observable<Element>, settings: TimeSettings, sinkType: TimedSink<Element, Output>.Type) {
        self.source = source
        self.settings = settings
        self.sinkType = sinkType
        super.init()
    }

    @usableFromInline
    override func subscribeCore(_ downstream: Sink<Output>) {
        let sink = sinkType.init(settings: settings, downstream: downstream)
        downstream.link(sink.stageForDownstream)
        sink.begin()
        source.subscribeCore(sink)
    }
}

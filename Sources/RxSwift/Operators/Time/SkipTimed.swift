import RxPrimitives

extension ObservableType {
    /// Drops the elements that come within a span of time from the subscription.
    ///
    /// A terminal event is passed on whenever it comes.
    /// - Parameters:
    ///   - duration: the span.
    ///   - scheduler: runs the timer. Elements are passed on where they come from.
    /// - SeeAlso: [Skip](https://reactivex.io/documentation/operators/skip.html)
    @inlinable
    public func skip(_ duration: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        SkipTimed(source: asObservable(), settings: TimeSettings(span: duration, scheduler: scheduler))
    }
}

@usableFromInline
final class SkipTimed<Element>: Observable<Element> {
    @usableFromInline let source: Observable<Element>
    @usableFromInline let settings: TimeSettings
    @usableFromInline let sinkType: SkipTimedSink<Element>.Type

    @inlinable
    init(source: Observable<Element>, settings: TimeSettings) {
        self.source = source
        self.settings = settings
        sinkType = SkipTimedSink<Element>.self
        super.init()
    }

    @usableFromInline
    override func subscribeCore(_ downstream: Sink<Element>) {
        let sink = sinkType.init(settings: settings, downstream: downstream)
        downstream.link(sink)
        sink.begin()
        source.subscribeCore(sink)
    }
}

/// Needs no loop: all events come from the source, the timer only opens the gate.
@usableFromInline
final class SkipTimedSink<Element>: Sink<Element>, RestartableTimerTarget {
    private let downstream: Sink<Element>
    private let settings: TimeSettings
    private let timer: RestartableTimer

    /// 0: elements are dropped. 1: they pass, for ever.
    private let isOpen = AtomicWord(0)

    required init(settings: TimeSettings, downstream: Sink<Element>) {
        self.downstream = downstream
        self.settings = settings
        timer = RestartableTimer.on(settings.scheduler)
        super.init()
        timer.wakes(self)
    }

    func begin() { timer.set(after: settings.span, generation: 0) }

    func tick(_ generation: Int) { isOpen.storeRelaxed(1) }

    override func next(_ element: Element) {
        if isOpen.loadRelaxed() != 0 { downstream.next(element) }
    }

    override func error(_ error: any Swift.Error) {
        downstream.error(error)
        cancel()
    }

    override func completed() {
        downstream.completed()
        cancel()
    }

    override func cancel() {
        guard let source = takeUpstream() else { return }
        timer.stop()
        source.take()?.cancel()
    }
}

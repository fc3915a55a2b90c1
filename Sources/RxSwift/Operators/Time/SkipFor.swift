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
        SkipFor(source: asObservable(), settings: TimeSettings(span: duration, scheduler: scheduler))
    }
}

@usableFromInline
final class SkipFor<Element>: Observable<Element> {
    @usableFromInline let source: Observable<Element>
    @usableFromInline let settings: TimeSettings
    @usableFromInline let sinkType: SkipForSink<Element>.Type

    @inlinable
    init(source: Observable<Element>, settings: TimeSettings) {
        self.source = source
        self.settings = settings
        sinkType = SkipForSink<Element>.self
        super.init()
    }

    @usableFromInline
    override func attach(_ downstream: Sink<Element>) {
        let sink = sinkType.init(settings: settings, downstream: downstream)
        downstream.link(sink)
        sink.begin()
        source.attach(sink)
    }
}

/// Needs no loop: all events come from the source, the timer only opens the gate.
@usableFromInline
final class SkipForSink<Element>: Sink<Element>, AlarmTarget {
    private let downstream: Sink<Element>
    private let settings: TimeSettings
    private let alarm: Alarm

    /// 0: elements are dropped. 1: they pass, for ever.
    private let isOpen = AtomicWord(0)

    required init(settings: TimeSettings, downstream: Sink<Element>) {
        self.downstream = downstream
        self.settings = settings
        alarm = Alarm.on(settings.scheduler)
        super.init()
        alarm.wakes(self)
    }

    func begin() { alarm.set(after: settings.span, generation: 0) }

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
        alarm.stop()
        source.take()?.cancel()
    }
}

public import RxSwift

/// An observer that records events, and when on a test scheduler's clock they came.
public final class TestableObserver<Element>: ObserverType {
    private let scheduler: TestScheduler

    /// What came so far, in order.
    public private(set) var events: [Recorded<Event<Element>>] = []

    init(scheduler: TestScheduler) {
        self.scheduler = scheduler
    }

    /// Records an event. On the thread that runs the scheduler.
    public func on(_ event: Event<Element>) {
        events.append(Recorded(time: scheduler.clock, value: event))
    }
}

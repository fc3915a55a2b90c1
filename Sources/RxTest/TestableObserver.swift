// SPDX-License-Identifier: Apache-2.0

public import RxSwift

/// An observer that records events, and the times on a test scheduler's clock at which they came.
///
/// For the thread that runs the scheduler.
public final class TestableObserver<Element>: ObserverType, @unchecked Sendable {
    private let scheduler: TestScheduler

    /// The events that came so far, in order.
    public private(set) var events: [Recorded<Event<Element>>] = []

    init(scheduler: TestScheduler) {
        self.scheduler = scheduler
    }

    /// Records an event, on the thread that runs the scheduler.
    public func on(_ event: Event<Element>) {
        events.append(Recorded(time: scheduler.clock, value: event))
    }
}

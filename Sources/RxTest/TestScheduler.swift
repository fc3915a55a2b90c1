// SPDX-License-Identifier: Apache-2.0

public import RxSwift

/// A virtual time scheduler for tests, whose clock counts ticks.
///
/// Runs on any thread, under any test framework. See `VirtualTimeScheduler` for the order in which actions run.
public class TestScheduler: VirtualTimeScheduler<TestSchedulerVirtualTimeConverter>, @unchecked Sendable {
    /// The times that `start` uses unless told otherwise.
    public enum Defaults {
        /// The time at which the sequence is made.
        public static let created = 100
        /// The time at which it is subscribed to.
        public static let subscribed = 200
        /// The time at which the subscription is disposed of.
        public static let disposed = 1000
    }

    private let simulateProcessingDelay: Bool

    /// Creates a scheduler whose clock stands still.
    ///
    /// - Parameters:
    ///   - initialClock: the time that the clock shows at first, in ticks.
    ///   - resolution: the real time of one tick, in seconds.
    ///   - simulateProcessingDelay: whether an action scheduled for right now, or for the past, runs one tick later.
    public init(initialClock: TestTime, resolution: Double = 1.0, simulateProcessingDelay: Bool = true) {
        self.simulateProcessingDelay = simulateProcessingDelay
        super.init(
            initialClock: initialClock, converter: TestSchedulerVirtualTimeConverter(resolution: resolution))
    }

    /// A sequence which sends its events at given times, to the observers subscribed then.
    ///
    /// - Parameter events: the events to send; their times are absolute.
    public func createHotObservable<Element>(_ events: [Recorded<Event<Element>>]) -> TestableObservable<Element> {
        HotObservable(scheduler: self, recordedEvents: events)
    }

    /// A sequence which sends its events to each subscriber, at given times after the subscription.
    ///
    /// - Parameter events: the events to send; their times are relative to the subscription.
    public func createColdObservable<Element>(_ events: [Recorded<Event<Element>>]) -> TestableObservable<Element> {
        ColdObservable(scheduler: self, recordedEvents: events)
    }

    /// An observer that records events, and the times at which they came.
    ///
    /// - Parameter type: the type of the elements.
    public func createObserver<Element>(_ type: Element.Type) -> TestableObserver<Element> {
        TestableObserver(scheduler: self)
    }

    /// Schedules an action for an absolute time.
    ///
    /// - Parameters:
    ///   - time: the absolute time of the action, in ticks.
    ///   - action: the work to do then.
    @preconcurrency
    public func scheduleAt(_ time: TestTime, action: @escaping @Sendable () -> Void) {
        _ = scheduleAbsoluteVirtual((), time: time) { _ in
            action()
            return Disposables.create()
        }
    }

    /// The time at which an action scheduled for `time` is to run.
    ///
    /// It is not before the present, or not before the next tick if processing delay is simulated.
    public override func adjustScheduledTime(_ time: VirtualTime) -> VirtualTime {
        if time > clock { return time }
        return simulateProcessingDelay && clock < .max ? clock + 1 : clock
    }

    /// Runs the scheduler, and in the course of this makes a sequence, subscribes to it and disposes.
    ///
    /// - Parameters:
    ///   - created: the time at which the sequence is made.
    ///   - subscribed: the time at which it is subscribed to.
    ///   - disposed: the time at which the subscription is disposed of.
    ///   - create: makes the sequence to test.
    /// - Returns: an observer with the events that the sequence sent between `subscribed` and `disposed`.
    @preconcurrency
    public func start<Element, OutputSequence: ObservableConvertibleType>(
        created: TestTime, subscribed: TestTime, disposed: TestTime, create: @escaping @Sendable () -> OutputSequence
    ) -> TestableObserver<Element> where OutputSequence.Element == Element {
        let observer = createObserver(Element.self)
        var source: OutputSequence?
        var subscription: (any Disposable)?
        scheduleAt(created) { source = create() }
        scheduleAt(subscribed) {
            guard let source else {
                fatalError("TestScheduler.start: subscribed at \(subscribed), but the sequence is made at \(created)")
            }
            subscription = source.asObservable().subscribe(observer)
        }
        scheduleAt(disposed) {
            guard let subscription else {
                fatalError("TestScheduler.start: disposed at \(disposed), but subscribed to at \(subscribed)")
            }
            subscription.dispose()
        }
        start()
        return observer
    }

    /// Runs the scheduler, and in the course of this makes a sequence (at 100), subscribes to it (at 200) and disposes.
    ///
    /// - Parameters:
    ///   - disposed: the time at which the subscription is disposed of.
    ///   - create: makes the sequence to test.
    /// - Returns: an observer with the events that the sequence sent.
    @preconcurrency
    public func start<Element, OutputSequence: ObservableConvertibleType>(
        disposed: TestTime, create: @escaping @Sendable () -> OutputSequence
    ) -> TestableObserver<Element> where OutputSequence.Element == Element {
        start(created: Defaults.created, subscribed: Defaults.subscribed, disposed: disposed, create: create)
    }

    /// Runs the scheduler, and in the course of this makes a sequence (at 100), subscribes to it (at 200) and disposes (at 1000).
    ///
    /// - Parameter create: makes the sequence to test.
    /// - Returns: an observer with the events that the sequence sent.
    @preconcurrency
    public func start<Element, OutputSequence: ObservableConvertibleType>(
        _ create: @escaping @Sendable () -> OutputSequence
    ) -> TestableObserver<Element> where OutputSequence.Element == Element {
        start(disposed: Defaults.disposed, create: create)
    }
}

/// A point of a test scheduler's clock, in ticks.
public typealias TestTime = Int

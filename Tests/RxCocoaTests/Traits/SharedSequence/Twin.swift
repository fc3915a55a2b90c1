// SPDX-License-Identifier: Apache-2.0

import RxCocoa
import RxSwift
import RxTest
import TestSupport
import Testing

/// Tests of drivers, signals and shared sequences. They form one serialized suite, because they mock a scheduler of the whole
/// program.
@Suite(.serialized) struct SharedSequences {}

/// An operator of drivers beside the equivalent chain of observables.
struct Twin: Sendable, CustomTestStringConvertible {
    let name: String
    /// True if the subscribers of the result share a subscription.
    let isShared: Bool
    let driver: @Sendable (Driver<Int>, EventLog) -> Driver<Int>
    let plain: @Sendable (Observable<Int>, TestScheduler, EventLog) -> Observable<Int>

    init(
        _ name: String, isShared: Bool = true, _ driver: @escaping @Sendable (Driver<Int>, EventLog) -> Driver<Int>,
        plain: @escaping @Sendable (Observable<Int>, TestScheduler, EventLog) -> Observable<Int>
    ) {
        self.name = name
        self.isShared = isShared
        self.driver = driver
        self.plain = plain
    }

    var testDescription: String { name }

    /// The events of two subscribers, the subscriptions to their source, and the log of the closures of the operator.
    struct Outcome: Equatable {
        let first, second: [Recorded<Event<Int>>]
        let subscriptions: [Subscription]
        let closures: [String]
    }

    /// The times at which two subscribers subscribe and dispose.
    struct Visits: Sendable { let first, second: (from: Int, to: Int) }

    static let visits = [
        Visits(first: (200, 1_000), second: (300, 1_000)),
        Visits(first: (200, 310), second: (300, 325)),
        // For a while there is no subscriber.
        Visits(first: (200, 250), second: (300, 1_000)),
        Visits(first: (200, 1_000), second: (500, 1_000)),
    ]

    static let scripts: [[Recorded<Event<Int>>]] = [
        [.next(150, 9)] + script((210, 1), (220, 2), (230, 2), (320, 3), (325, 5), (330, 4), (385, 8)) + [
            .completed(400)
        ],
        script((210, 1), (320, 2)) + [.error(350, Failure.expected)],
        [.completed(250)],
        [.error(250, Failure.expected)],
        [],
    ]

    /// The script of a source, and the visits of the two subscribers.
    struct Course: @unchecked Sendable {
        let events: [Recorded<Event<Int>>]
        let visits: Visits
    }

    static let courses = scripts.flatMap { events in visits.map { Course(events: events, visits: $0) } }

    func outcomeOfDriver(_ course: Course) -> Outcome {
        Self.outcome(course) { source, _, log in
            driver(source.asDriver(onErrorJustReturn: -1), log).asObservable()
        }
    }

    func outcomeOfPlain(_ course: Course) -> Outcome {
        Self.outcome(course) { source, scheduler, log in
            let shared = source.observe(on: scheduler).catchAndReturn(-1).share(replay: 1)
            let made = plain(shared, scheduler, log)
            return isShared ? made.share(replay: 1) : made
        }
    }

    /// - Parameter make: makes the sequence of the source that sends the events, with drivers on the virtual scheduler.
    private static func outcome(
        _ course: Course, make: (Observable<Int>, TestScheduler, EventLog) -> Observable<Int>
    ) -> Outcome {
        let scheduler = ticks()
        let log = EventLog()
        let source = scheduler.createHotObservable(course.events)
        let observers = [scheduler.createObserver(Int.self), scheduler.createObserver(Int.self)]
        SharingScheduler.mock(scheduler: scheduler) {
            let made = make(source.asObservable(), scheduler, log)
            for (observer, visit) in zip(observers, [course.visits.first, course.visits.second]) {
                scheduler.scheduleAt(visit.from) {
                    let subscription = made.subscribe(observer)
                    scheduler.scheduleAt(visit.to) { subscription.dispose() }
                }
            }
            scheduler.start()
        }
        return Outcome(
            first: observers[0].events, second: observers[1].events, subscriptions: source.subscriptions,
            closures: log.lines)
    }
}

/// Runs a body with drivers and signals on a virtual scheduler.
///
/// - Returns: the events that a subscriber receives from 200 to 1000.
func virtually<Sequence: ObservableConvertibleType>(
    _ make: @escaping @Sendable (TestScheduler) -> Sequence
) -> [Recorded<Event<Sequence.Element>>] {
    let scheduler = ticks()
    var events: [Recorded<Event<Sequence.Element>>] = []
    SharingScheduler.mock(scheduler: scheduler) {
        events = scheduler.start { make(scheduler) }.events
    }
    return events
}

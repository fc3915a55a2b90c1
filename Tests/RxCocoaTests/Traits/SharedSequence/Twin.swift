import RxCocoa
import RxSwift
import RxTest
import TestSupport
import Testing

/// Tests of drivers, signals and what they are made of. One serialized suite: the scheduler they mock is the program's.
@Suite(.serialized) struct SharedSequences {}

/// An operator of drivers beside what it has to be made of.
struct Twin: Sendable, CustomTestStringConvertible {
    let name: String
    /// Whether the subscribers of the result share a subscription.
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

    /// What two subscribers see, what their source sees, and what the operator's closures wrote down.
    struct Outcome: Equatable {
        let first, second: [Recorded<Event<Int>>]
        let subscriptions: [Subscription]
        let closures: [String]
    }

    /// When two subscribers come and go.
    struct Visits: Sendable { let first, second: (from: Int, to: Int) }

    static let visits = [
        Visits(first: (200, 1_000), second: (300, 1_000)),
        Visits(first: (200, 310), second: (300, 325)),
        // Nobody is there for a while.
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

    func outcomeOfDriver(_ events: [Recorded<Event<Int>>], _ visits: Visits) -> Outcome {
        Self.outcome(events, visits) { source, _, log in
            driver(source.asDriver(onErrorJustReturn: -1), log).asObservable()
        }
    }

    func outcomeOfPlain(_ events: [Recorded<Event<Int>>], _ visits: Visits) -> Outcome {
        Self.outcome(events, visits) { source, scheduler, log in
            let shared = source.observe(on: scheduler).catchAndReturn(-1).share(replay: 1)
            let made = plain(shared, scheduler, log)
            return isShared ? made.share(replay: 1) : made
        }
    }

    /// - Parameter make: makes the sequence of the source that sends the events, with drivers on the virtual scheduler.
    static func outcome(
        _ events: [Recorded<Event<Int>>], _ visits: Visits,
        make: (Observable<Int>, TestScheduler, EventLog) -> Observable<Int>
    ) -> Outcome {
        let scheduler = ticks()
        let log = EventLog()
        let source = scheduler.createHotObservable(events)
        let observers = [scheduler.createObserver(Int.self), scheduler.createObserver(Int.self)]
        SharingScheduler.mock(scheduler: scheduler) {
            let made = make(source.asObservable(), scheduler, log)
            for (observer, visit) in zip(observers, [visits.first, visits.second]) {
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
/// - Returns: what the sequence made sends to a subscriber from 200 to 1000.
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

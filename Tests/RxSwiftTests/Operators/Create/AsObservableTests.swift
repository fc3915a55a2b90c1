// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct AsObservableTests {
    /// A sequence of a program's own type, which passes on all that it is told to send.
    private final class Feed: ObservableType, Disposable, @unchecked Sendable {
        typealias Element = Int

        private(set) var handlers: [(Event<Int>) -> Void] = []
        private(set) var disposals = 0

        func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable where Observer.Element == Int {
            handlers.append { observer.on($0) }
            return self
        }

        func dispose() { disposals += 1 }

        func send(_ event: Event<Int>) { handlers.last?(event) }
    }

    @Test("An observable returns itself") func identity() {
        let subject = PublishSubject<Int>()
        let published = subject.publish()
        let just = Observable.just(1)
        #expect(subject.asObservable() === subject)
        #expect(published.asObservable() === published)
        #expect(just.asObservable() === just)
    }

    @Test("Each subscription subscribes to a type of the program's own anew") func subscriptions() {
        let feed = Feed()
        let observable = feed.asObservable()
        #expect(feed.handlers.isEmpty)
        let first = EventLog(observable)
        let second = EventLog(observable)
        feed.handlers[0](.next(1))
        feed.handlers[1](.next(2))
        #expect(first.lines == ["1"])
        #expect(second.lines == ["2"])
        withExtendedLifetime((first, second)) {}
    }

    @Test("An event sent from inside a callback follows the current one") func eventInCallback() {
        let feed = Feed()
        let log = EventLog()
        let subscription = log.observe(feed.asObservable()) { event in
            if event == .next(1) {
                feed.send(.next(2))
                feed.send(.completed)
                log.note("end of callback")
            }
        }
        feed.send(.next(1))
        #expect(log.lines == ["1", "end of callback", "2", "completed"])
        #expect(!log.hasOverlapped)
        subscription.dispose()
    }

    @Test("Events after the terminal event are ignored", arguments: [false, true]) func lateEvents(fails: Bool) {
        let feed = Feed()
        let log = EventLog(feed.asObservable())
        feed.send(.next(1))
        feed.send(fails ? .error(Failure.expected) : .completed)
        feed.send(.next(2))
        feed.send(fails ? .completed : .error(Failure.expected))
        #expect(log.lines == ["1", fails ? "error(expected)" : "completed"])
    }

    @Test("The type's disposable is disposed of once", arguments: [false, true]) func disposals(ends: Bool) {
        let feed = Feed()
        let log = EventLog(feed.asObservable())
        #expect(feed.disposals == 0)
        if ends { feed.send(.completed) }
        log.dispose()
        log.dispose()
        feed.send(.next(1))
        #expect(feed.disposals == 1)
        #expect(log.lines == (ends ? ["completed"] : []))
    }

    @Test("A race of two emitting threads loses and overlaps no event") func emittersRace() {
        let feed = Feed()
        let log = EventLog(feed.asObservable())
        race(
            { for number in 0..<1_000 { feed.send(.next(number)) } },
            { for number in 1_000..<2_000 { feed.send(.next(number)) } })
        let numbers = log.lines.compactMap { Int($0) }
        #expect(numbers.filter { $0 < 1_000 } == Array(0..<1_000))
        #expect(numbers.filter { $0 >= 1_000 } == Array(1_000..<2_000))
        #expect(!log.hasOverlapped)
        log.dispose()
    }
}

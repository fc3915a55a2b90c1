// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import RxSwift
import RxTest
import TestSupport
import Testing

/// Law L1: a stage ends at the moment it produces or accepts a terminal event, also if the event can only be queued.
@Suite struct StageEndTests {
    // MARK: The downstream is busy

    @Test("take below a busy combineLatest lets no more elements in") func takeBelowCombineLatest() {
        let (a, b) = (PublishSubject<Int>(), PublishSubject<Int>())
        let log = EventLog()
        _ = log.observe(
            Observable.combineLatest(a, b.startWith(0).take(2)) { "\($0),\($1)" }.do(onNext: {
                if $0 == "1,0" { for element in 10...12 { b.onNext(element) } }
            }))
        a.onNext(1)
        #expect(log.text == "1,0 1,10")
        #expect(!b.hasObservers)
    }

    @Test("take below a busy withLatestFrom lets no more elements in") func takeBelowWithLatest() {
        let (a, b) = (PublishSubject<Int>(), PublishSubject<Int>())
        let log = EventLog()
        _ = log.observe(
            a.withLatestFrom(b.startWith(0).take(2)) { "\($0),\($1)" }.do(onNext: {
                if $0 == "1,0" { for element in 10...12 { b.onNext(element) } }
            }))
        a.onNext(1)
        a.onNext(2)
        #expect(log.text == "1,0 2,10")
        #expect(!b.hasObservers)
    }

    @Test("take below a busy zip lets no more elements in") func takeBelowZip() {
        let (a, b) = (PublishSubject<Int>(), PublishSubject<Int>())
        let log = EventLog()
        _ = log.observe(
            Observable.zip(a, b.startWith(0).take(2)) { "\($0),\($1)" }.do(onNext: {
                if $0 == "1,0" { for element in 10...12 { b.onNext(element) } }
            }))
        for element in 1...4 { a.onNext(element) }
        #expect(log.text == "1,0 2,10")
        #expect(!b.hasObservers)
    }

    /// The race: one thread is inside a slow observer while another sends more elements than `take` lets through.
    @Test("take ends while another thread delivers") func takeInRace() {
        let (a, b) = (PublishSubject<Int>(), PublishSubject<Int>())
        let isInside = DispatchSemaphore(value: 0)
        let mayLeave = DispatchSemaphore(value: 0)
        let log = EventLog()
        let above = EventLog()
        _ = log.observe(
            Observable.merge(a, b.do(onNext: { above.note("\($0)") }).take(1)).do(onNext: {
                if $0 == 1 {
                    isInside.signal()
                    mayLeave.wait()
                }
            }))
        race(
            { a.onNext(1) },
            {
                isInside.wait()
                for element in 10...12 { b.onNext(element) }
                mayLeave.signal()
            })
        #expect(log.text == "1 10")
        #expect(above.text == "10")
        #expect(!b.hasObservers)
    }

    // MARK: The grammar in front of the user's closures

    @Test("The event grammar holds between take and a busy downstream") func grammar() {
        let (d, other) = (PublishSubject<Int>(), PublishSubject<Int>())
        let between = EventLog()
        _ = Observable.merge(
            other,
            d.take(1).do(
                onNext: { between.note("\($0)") }, onError: { _ in between.note("error") },
                onCompleted: { between.note("completed") })
        ).subscribe(onNext: { if $0 == 1 { for element in 10...12 { d.onNext(element) } } })
        other.onNext(1)
        #expect(between.text == "10 completed")
    }

    @Test("take(while:) completes once above a busy downstream") func takeWhileCompletes() {
        let (d, other) = (PublishSubject<Int>(), PublishSubject<Int>())
        let between = EventLog()
        _ = Observable.merge(
            other, d.take(while: { $0 < 10 }).do(onCompleted: { between.note("completed") })
        ).subscribe(onNext: { if $0 == 1 { for element in 10...12 { d.onNext(element) } } })
        other.onNext(1)
        #expect(between.text == "completed")
    }

    @Test("A closure that has thrown does not run again") func throwingClosure() {
        let (d, other) = (PublishSubject<Int>(), PublishSubject<Int>())
        let calls = EventLog()
        let log = EventLog()
        _ = log.observe(
            Observable.merge(
                other,
                d.map { element -> Int in
                    calls.note("\(element)")
                    throw NumberedFailure(element)
                }
            ).do(onNext: { if $0 == 1 { for element in 10...12 { d.onNext(element) } } }))
        other.onNext(1)
        #expect(calls.text == "10")
        #expect(log.text == "1 error(10)")
    }

    /// The link of these sources lies elsewhere, so they send their terminal event although the stage below has ended.
    private static let tails: [Observable<Int>] = [
        Observable.just(8).ifEmpty(switchTo: .empty()).take(1),
        Observable.just(8).amb(Observable.never()).take(1),
        Observable.just(8).ifEmpty(switchTo: .empty()).take(until: { _ in true }, behavior: .inclusive),
        Observable.just(8).ifEmpty(switchTo: .empty()).single().element(at: 0),
    ]

    @Test("A stage drops a second terminal event from above", arguments: tails)
    func secondTerminalEvent(tail: Observable<Int>) {
        let log = EventLog()
        _ = log.observe(Observable.empty().concat(tail))
        #expect(log.text == "8 completed")
    }

    // MARK: Inside the terminal event

    /// Operators that a second source ends, with its first element or with its error.
    static let endedElsewhere:
        [(name: String, make: @Sendable (Observable<Int>, Observable<Int>, TestScheduler) -> Observable<Int>)] = [
            ("take(until:)", { source, other, _ in source.take(until: other) }),
            ("merge", { source, other, _ in .merge(source, other) }),
            ("merge, then take", { source, other, _ in Observable.merge(source, other).take(1) }),
            ("merge, do, then take", { source, other, _ in Observable.merge(source, other).do(onDispose: {}).take(1) }),
            ("combineLatest", { source, other, _ in .combineLatest(source, other) { $0 + $1 } }),
            ("zip", { source, other, _ in .zip(source, other) { $0 + $1 } }),
            ("withLatestFrom", { source, other, _ in source.withLatestFrom(other) }),
            ("sample", { source, other, _ in source.sample(other) }),
            ("skip(until:)", { source, other, _ in source.skip(until: other.skip(1)) }),
            ("flatMap", { source, other, _ in other.flatMap { _ in source } }),
            ("concatMap", { source, other, _ in other.concatMap { _ in source } }),
            ("flatMapFirst", { source, other, _ in other.flatMapFirst { _ in source } }),
            ("flatMapLatest", { source, other, _ in other.flatMapLatest { _ in source } }),
            ("two levels", { source, other, _ in Observable.merge(source.map { $0 }, .never()).take(until: other) }),
            ("catch in between", { source, other, _ in source.catch { _ in .never() }.take(until: other) }),
            ("take(for:)", { source, _, scheduler in source.take(for: .seconds(1), scheduler: scheduler) }),
            ("timeout", { source, _, scheduler in source.timeout(.seconds(1), scheduler: scheduler) }),
        ]

    @Test("No closure runs above a stage that is delivering its end", arguments: endedElsewhere.indices)
    func quietSource(_ index: Int) {
        let (source, other) = (PublishSubject<Int>(), PublishSubject<Int>())
        let scheduler = TestScheduler(initialClock: 0)
        let calls = AtomicCounter(0)
        let log = EventLog()
        let above = source.do(onNext: { _ in calls.increment() }, onDispose: { log.note("disposed") })
        let ended = Self.endedElsewhere[index].make(above, other.asObservable(), scheduler)
        let inEnd: @Sendable () -> Void = {
            // The source is not unsubscribed yet, as in RxSwift.
            log.note(source.hasObservers ? "ended" : "ended late")
            source.onNext(9)
        }
        _ = ended.subscribe(onError: { _ in inEnd() }, onCompleted: inEnd)
        scheduler.start()
        other.onNext(0)
        if log.text.isEmpty { other.onError(NumberedFailure(1)) }
        #expect(calls.value == 0)
        #expect(log.text == "ended disposed")
        #expect(!source.hasObservers && !other.hasObservers)
    }

    // MARK: Greedy sources

    @Test("A map that throws in a busy flatMap ends its long source") func throwBelowLongSource() {
        let a = PublishSubject<Int>()
        let inner = PublishSubject<Int>()
        let calls = AtomicCounter(0)
        let log = EventLog()
        _ = log.observe(
            a.flatMap { element -> Observable<Int> in
                if element == 1 { return inner.asObservable() }
                return Observable.from(Array(0..<100_000)).map { _ in
                    calls.increment()
                    throw NumberedFailure(2)
                }
            }.do(onNext: { _ in a.onNext(2) }))
        a.onNext(1)
        inner.onNext(7)
        #expect(calls.value == 1)
        #expect(log.text == "7 error(2)")
    }

    @Test("A map that throws in a busy flatMap ends its endless source") func throwBelowEndlessSource() {
        let a = PublishSubject<Int>()
        let inner = PublishSubject<Int>()
        let calls = AtomicCounter(0)
        _ = a.flatMap { element -> Observable<Int> in
            if element == 1 { return inner.asObservable() }
            return Observable.repeatElement(1).map { _ in
                calls.increment()
                throw NumberedFailure(2)
            }
        }.subscribe(onNext: { _ in a.onNext(2) }, onError: { _ in })
        a.onNext(1)
        inner.onNext(7)
        #expect(calls.value == 1)
    }

    /// Sequences that end by themselves on a scheduler. The counter counts the elements of their endless or long source.
    static let selfEnding: [(name: String, make: @Sendable (any SchedulerType, AtomicCounter) -> Observable<Int>)] = [
        ("take below", { s, calls in endless(calls).take(2).subscribe(on: s) }),
        ("take above", { s, calls in endless(calls).subscribe(on: s).take(2) }),
        ("two takes", { s, calls in endless(calls).take(3).subscribe(on: s).take(1) }),
        (
            "take of a range",
            { s, calls in
                Observable.range(start: 0, count: 50_000_000).do(onNext: { _ in calls.increment() }).take(1).subscribe(
                    on: s)
            }
        ),
        ("element(at:)", { s, calls in endless(calls).element(at: 1).subscribe(on: s) }),
        ("first", { s, calls in endless(calls).first().asObservable().map { $0 ?? 0 }.subscribe(on: s) }),
        (
            "take(while:)",
            { s, calls in endless(calls).scan(0, accumulator: +).take(while: { $0 < 3 }).subscribe(on: s) }
        ),
        ("take, then observe(on:)", { s, calls in endless(calls).take(2).observe(on: s).subscribe(on: s) }),
        ("subscribe(on:) twice", { s, calls in endless(calls).subscribe(on: s).subscribe(on: s).take(2) }),
    ]

    private static func endless(_ calls: AtomicCounter) -> Observable<Int> {
        Observable.repeatElement(1).do(onNext: { _ in calls.increment() })
    }

    enum SchedulerKind: CaseIterable {
        case serialDispatch, concurrentDispatch, poolOfOne

        func make() -> any SchedulerType {
            switch self {
            case .serialDispatch: SerialDispatchQueueScheduler(qos: .default)
            case .concurrentDispatch: ConcurrentDispatchQueueScheduler(qos: .default)
            case .poolOfOne: BoundedPoolScheduler(maxConcurrentOperationCount: 1)
            }
        }
    }

    @Test("An endless source on a scheduler ends with its stage", arguments: selfEnding.indices, SchedulerKind.allCases)
    func endlessOnScheduler(index: Int, kind: SchedulerKind) {
        let scheduler = kind.make()
        let calls = AtomicCounter(0)
        let hasEnded = DispatchSemaphore(value: 0)
        _ = Self.selfEnding[index].make(scheduler, calls).subscribe(onCompleted: { hasEnded.signal() })
        #expect(hasEnded.wait(timeout: .now() + 10) == .success)
        // The scheduler has to be free again.
        let isFree = DispatchSemaphore(value: 0)
        _ = scheduler.schedule(()) { _ in
            isFree.signal()
            return Disposables.create()
        }
        #expect(isFree.wait(timeout: .now() + 10) == .success)
        let known = calls.value
        #expect(known <= 300)
        Thread.sleep(forTimeInterval: 0.01)
        #expect(calls.value == known)
    }

    @Test("An endless source in virtual time ends with its stage", arguments: selfEnding.indices)
    func endlessInVirtualTime(_ index: Int) {
        let scheduler = TestScheduler(initialClock: 0)
        let calls = AtomicCounter(0)
        let observer = scheduler.start { Self.selfEnding[index].make(scheduler, calls) }
        #expect(observer.events.last?.value.isCompleted == true)
        #expect(calls.value <= 300)
    }

    // MARK: subscribe(on:)

    @Test("subscribe(on:) leaves a source of the library at its end") func unsubscribedAtEnd() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable([.next(210, 1), .completed(220)])
        _ = scheduler.start { source.map { $0 + 1 }.subscribe(on: scheduler) }
        #expect(source.subscriptions == [Subscription(201, 220)])
    }

    /// As in RxSwift, only the dispose ends the subscription to a type of the program.
    @Test("subscribe(on:) unsubscribes a foreign source on the scheduler") func foreignSource() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable([.next(210, 1), .completed(220)])
        _ = scheduler.start { source.subscribe(on: scheduler) }
        #expect(source.subscriptions == [Subscription(201, 221)])
    }

    @Test("subscribe(on:) disposes of its source one tick later") func lateDispose() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable([.next(210, 1)])
        _ = scheduler.start(disposed: 300) { source.subscribe(on: scheduler) }
        #expect(source.subscriptions == [Subscription(201, 301)])
    }

    @Test("No delayed source is subscribed to after the end of a zip") func delayedAfterZip() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createColdObservable([.next(1, 1)])
        let observer = scheduler.start {
            Observable.zip(
                source.delaySubscription(.seconds(1), scheduler: scheduler), Observable<Int>.error(NumberedFailure(1))
            ) { $0 + $1 }.subscribe(on: scheduler)
        }
        #expect(observer.events.count == 1)
        #expect(source.subscriptions.isEmpty)
    }

    @Test("A timeout that has ended does not fire") func endedTimeout() throws {
        try expectMarbles(
            source: "^--1|",
            second: "^1",
            during: "",
            result: "^--1|",
            isCold: true, ticks: 1
        ) { $0.timeout(.seconds(2), other: $1, scheduler: $2).subscribe(on: $2) }
    }

    // MARK: do

    /// Below an observer of the program's own nothing ends the subscription before `do` does; any other stage ends it at once.
    @Test("onDispose precedes afterCompleted unless the observer stands right below") func doOrder() {
        let log = EventLog()
        let source = PublishSubject<Int>()
        let observed = source.do(
            onCompleted: { log.note("on") }, afterCompleted: { log.note("after") }, onDispose: { log.note("dispose") })
        _ = observed.subscribe(onCompleted: { log.note("first") })
        _ = observed.map { $0 }.subscribe(onCompleted: { log.note("second") })
        source.onCompleted()
        #expect(log.text == "on first after dispose on second dispose after")
    }

    // MARK: Release

    @Test("A stage that ends releases its closures although its downstream is busy") func busyDownstream() {
        let (a, b) = (PublishSubject<Int>(), PublishSubject<Int>())
        weak var token: ReleaseToken?
        nonisolated(unsafe) var wasReleased = false
        do {
            let captured = ReleaseToken()
            token = captured
            _ = Observable.merge(a, b.map { element in withExtendedLifetime(captured) { element } }.take(1))
                .subscribe(onNext: {
                    guard $0 == 1 else { return }
                    b.onNext(10)
                    wasReleased = !b.hasObservers
                })
        }
        a.onNext(1)
        #expect(wasReleased)
        #expect(token == nil)
    }
}

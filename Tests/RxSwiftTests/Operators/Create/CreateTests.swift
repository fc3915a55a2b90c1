// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct CreateTests {
    /// The disposable of one subscription.
    private final class Work: Disposable {
        private(set) var disposals = 0

        func dispose() { disposals += 1 }
    }

    /// A sequence whose observer the test keeps.
    private final class Kept: @unchecked Sendable {
        private(set) var observers: [AnyObserver<Int>] = []
        let work = Work()
        private(set) lazy var observable = Observable<Int>.create { [unowned self] observer in
            observers.append(observer)
            return work
        }
    }

    @Test("The closure runs for each subscription, with an observer of its own") func subscriptions() {
        let source = Kept()
        let observable = source.observable
        #expect(source.observers.isEmpty)
        let first = EventLog(observable)
        let second = EventLog(observable)
        source.observers[0].onNext(1)
        source.observers[0].onCompleted()
        source.observers[1].onNext(2)
        #expect(first.lines == ["1", "completed"])
        #expect(second.lines == ["2"])
        second.dispose()
    }

    @Test("Events after the terminal event are ignored", arguments: [false, true]) func lateEvents(fails: Bool) {
        let source = Kept()
        let log = EventLog(source.observable)
        let observer = source.observers[0]
        observer.onNext(1)
        if fails { observer.onError(Failure.expected) } else { observer.onCompleted() }
        observer.onNext(2)
        observer.onError(Failure.other)
        observer.onCompleted()
        #expect(log.lines == ["1", fails ? "error(expected)" : "completed"])
    }

    @Test("Events after the disposal are ignored") func eventsAfterDisposal() {
        let source = Kept()
        let log = EventLog(source.observable)
        source.observers[0].onNext(1)
        log.dispose()
        source.observers[0].onNext(2)
        source.observers[0].onError(Failure.expected)
        source.observers[0].onCompleted()
        #expect(log.lines == ["1"])
    }

    @Test(
        "The returned disposable is disposed of once",
        arguments: ["disposal", "completion", "error", "end and disposal"])
    func disposals(cause: String) {
        let source = Kept()
        let subscription = SerialDisposable()
        subscription.disposable = source.observable.subscribe { event in
            if event.isStopEvent, cause == "end and disposal" { subscription.dispose() }
        }
        #expect(source.work.disposals == 0)
        switch cause {
        case "disposal": subscription.dispose()
        case "error": source.observers[0].onError(Failure.expected)
        default: source.observers[0].onCompleted()
        }
        #expect(source.work.disposals == 1)
        subscription.dispose()
        source.observers[0].onCompleted()
        #expect(source.work.disposals == 1)
    }

    @Test("A sequence that ends inside the closure disposes of what the closure returns", arguments: [false, true])
    func endInClosure(fails: Bool) {
        let work = Work()
        let log = EventLog()
        let source = Observable<Int>.create { observer in
            observer.onNext(1)
            if fails { observer.onError(Failure.expected) } else { observer.onCompleted() }
            log.note("disposals: \(work.disposals)")
            return work
        }
        log.observe(source).dispose()
        #expect(log.lines == ["1", fails ? "error(expected)" : "completed", "disposals: 0"])
        #expect(work.disposals == 1)
    }

    @Test("A loop in the closure reaches nothing below after `take` has completed") func loop() {
        let work = Work()
        var transformed = 0
        var emitted = 0
        let source = Observable<Int>.create { observer in
            for number in 0..<10_000 {
                observer.onNext(number)
                emitted += 1
            }
            observer.onCompleted()
            return work
        }
        let result = source.map { number in
            transformed += 1
            return number
        }
        #expect(events(of: result.take(2)) == ["0", "1", "completed"])
        #expect(transformed == 2)
        #expect(emitted == 10_000)
        #expect(work.disposals == 1)
    }

    @Test("A race of two emitting threads keeps the order of each") func emittersRace() {
        let source = Kept()
        let log = EventLog(source.observable)
        let observer = source.observers[0]
        race(
            { for number in 0..<1_000 { observer.onNext(number) } },
            { for number in 1_000..<2_000 { observer.onNext(number) } })
        let numbers = log.lines.compactMap { Int($0) }
        #expect(numbers.filter { $0 < 1_000 } == Array(0..<1_000))
        #expect(numbers.filter { $0 >= 1_000 } == Array(1_000..<2_000))
        #expect(!log.hasOverlapped)
        log.dispose()
    }

    @Test("A race of completion and disposal disposes of the returned disposable once") func endRace() {
        raceRounds(
            200,
            prepare: { () -> (Kept, EventLog) in
                let source = Kept()
                return (source, EventLog(source.observable))
            }, { $0.0.observers[0].onCompleted() }, { $0.1.dispose() },
            check: { source, log in
                #expect(source.work.disposals == 1)
                #expect(log.lines.count <= 1)
            })
    }
}

// SPDX-License-Identifier: Apache-2.0

import RxPrimitives
import RxSwift
import TestSupport
import Testing

@Suite struct ConcatTests {
    @Test("The second source is subscribed to when the first completes") func picture() throws {
        try expectMarbles(
            source: "^1-2-|",
            active: "^----!",
            second: "^-4----5-|",
            during: "     ^---!",
            result: "^1-2---5-|"
        ) { source, second, _ in source.concat(second) }
    }

    @Test("One source follows another") func order() {
        #expect(text(of: .concat(sequence(1, 2), sequence(), sequence(3))) == "1 2 3 completed")
        #expect(text(of: sequence(1).concat(sequence(2))) == "1 2 completed")
        #expect(text(of: Observable<Int>.concat([])) == "completed")
        #expect(text(of: Observable<Int>.concat(AnySequence([sequence(1), sequence(2)]))) == "1 2 completed")
    }

    @Test("An error ends the result and leaves later sources unsubscribed") func error() {
        nonisolated(unsafe) var subscriptions = 0
        let rest = made { () -> Observable<Int> in
            subscriptions += 1
            return sequence(9)
        }
        #expect(text(of: .concat(failing(1, with: 3), rest)) == "1 error(3)")
        #expect(subscriptions == 0)
    }

    @Test("Each source is subscribed to when its predecessor completes") func turns() {
        let first = PublishSubject<Int>()
        let second = PublishSubject<Int>()
        let log = EventLog()
        let subscription = log.observe(first.concat(second))
        first.onNext(1)
        second.onNext(9)
        first.onCompleted()
        #expect(!first.hasObservers && second.hasObservers)
        second.onNext(2)
        subscription.dispose()
        #expect(!second.hasObservers)
        second.onNext(3)
        #expect(log.text == "1 2")
    }

    @Test("Sources on the trampoline come one after another") func trampoline() {
        let both = Observable.concat(.range(start: 1, count: 2), .range(start: 3, count: 2))
        #expect(text(of: both.concat(Observable.range(start: 5, count: 1))) == "1 2 3 4 5 completed")
    }

    @Test("The sequence of sources is iterated lazily") func lazySources() {
        let log = EventLog()
        let gate = PublishSubject<Int>()
        let sources = (1...3).lazy.map { index -> Observable<Int> in
            log.note("made\(index)")
            return index == 2 ? gate : sequence(index)
        }
        let subscription = log.observe(Observable.concat(sources))
        #expect(log.text == "made1 1 made2")
        gate.onCompleted()
        #expect(log.text == "made1 1 made2 made3 3 completed")
        subscription.dispose()
    }

    @Test("No subscription follows a disposal in the iterator") func iteratorDisposes() {
        let subscription = SerialDisposable()
        let log = EventLog()
        let gate = PublishSubject<Int>()
        let sources = (1...3).lazy.map { index -> Observable<Int> in
            if index == 2 { subscription.dispose() }
            return index == 1 ? gate : sequence(index)
        }
        subscription.disposable = log.observe(Observable.concat(sources))
        gate.onNext(0)
        gate.onCompleted()
        #expect(log.text == "0")
    }

    @Test("No event follows a disposal in the observer") func observerDisposes() {
        let subscription = SerialDisposable()
        nonisolated(unsafe) var seen: [Int] = []
        let gate = PublishSubject<Int>()
        subscription.disposable = gate.concat(sequence(1, 2, 3)).subscribe(onNext: { element in
            seen.append(element)
            if element == 2 { subscription.dispose() }
        })
        gate.onCompleted()
        #expect(seen == [1, 2])
    }

    @Test("A million sources take bounded stack") func millionSources() {
        onEightMebibytes {
            let count = AtomicWord(0)
            let justs = repeatElement(Observable.just(1), count: 1_000_000)
            _ = Observable.concat(justs).subscribe(onNext: { _ in _ = count.fetchAdd(1) })
            #expect(count.loadRelaxed() == 1_000_000)
            let creates = repeatElement(sequence(1), count: 100_000)
            _ = Observable.concat(creates).subscribe(onNext: { _ in _ = count.fetchAdd(1) })
            #expect(count.loadRelaxed() == 1_100_000)
        }
    }

    @Test("Recursion in the last source takes bounded stack") func lastRecursion() {
        @Sendable func counting(from start: Int) -> Observable<Int> {
            let parts = [0, 1].lazy.map { $0 == 0 ? Observable.just(start) : counting(from: start + 1) }
            return .concat(parts)
        }
        onEightMebibytes {
            nonisolated(unsafe) var last = 0
            _ = counting(from: 0).take(200_000).subscribe(onNext: { element in last = element })
            #expect(last == 199_999)
        }
    }

    @Test("Recursion through `create` goes five thousand deep") func recursion() {
        @Sendable func counting(down from: Int) -> Observable<Int> {
            from == 0 ? .just(0) : Observable.just(from).concat(made { counting(down: from - 1) })
        }
        onEightMebibytes {
            nonisolated(unsafe) var count = 0
            _ = counting(down: recursionDepth).subscribe(onNext: { _ in count += 1 })
            #expect(count == recursionDepth + 1)
        }
    }

    @Test("Completed sources are released") func release() {
        weak var released: ReleaseToken?
        let gate = PublishSubject<Int>()
        let subscription: any Disposable
        do {
            let token = ReleaseToken()
            released = token
            let first = Observable<Int>.create { observer in
                observer.onCompleted()
                return Disposables.create { withExtendedLifetime(token) {} }
            }
            subscription = Observable.concat(AnySequence([first, gate].lazy.map { $0 })).subscribe()
        }
        subscription.dispose()
        #expect(!gate.hasObservers)
        #expect(released == nil)
    }

    @Test("A completion that races with disposal leaves no observer") func disposalRace() {
        struct Round {
            let first = PublishSubject<Int>()
            let second = PublishSubject<Int>()
            let subscription: any Disposable

            init() { subscription = first.concat(second).subscribe() }
        }
        raceRounds(
            2_000, prepare: { Round() }, { $0.first.onCompleted() }, { $0.subscription.dispose() },
            check: { round in
                #expect(!round.first.hasObservers && !round.second.hasObservers)
            })
    }

    // MARK: A deferred tail: recursion through it needs neither stack nor memory (law L8)

    @Test("Recursion on a scheduler takes bounded stack") func scheduledTail() {
        let scheduler = SerialDispatchQueueScheduler(qos: .default)
        let steps = 200_000
        @Sendable func again(_ step: Int) -> Observable<Int> {
            let head = Observable.just(step, scheduler: scheduler)
            return step == steps ? head : head.concat(Observable.deferred { again(step + 1) })
        }
        let last = AtomicCounter(0)
        let hasCompleted = AtomicCounter(0)
        _ = again(1).subscribe(onNext: { _ in last.increment() }, onCompleted: { hasCompleted.increment() })
        #expect(settles { hasCompleted.value == 1 })
        #expect(last.value == steps)
    }

    @Test("Recursion over synchronous sources takes bounded stack") func synchronousTail() {
        let steps = 200_000
        @Sendable func again(_ step: Int) -> Observable<Int> {
            let head = Observable.of(step, step)
            return step == steps ? head : head.concat(Observable.deferred { again(step + 1) })
        }
        var count = 0
        _ = again(1).subscribe(onNext: { _ in count += 1 })
        #expect(count == 2 * steps)
    }

    @Test("An error of the tail's factory ends the result") func throwingTail() {
        let log = EventLog()
        _ = log.observe(Observable.just(1).concat(Observable.deferred { throw NumberedFailure(3) }))
        #expect(log.text == "1 error(3)")
    }

    @Test("The factory of the tail runs when the head completes") func lazyTail() {
        let log = EventLog()
        let head = PublishSubject<Int>()
        _ = log.observe(
            head.concat(
                Observable.deferred {
                    log.note("made")
                    return .just(2)
                }))
        head.onNext(1)
        head.onCompleted()
        #expect(log.text == "1 made 2 completed")
    }
}

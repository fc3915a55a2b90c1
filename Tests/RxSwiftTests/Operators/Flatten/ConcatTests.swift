import RxPrimitives
import RxSwift
import TestSupport
import Testing

@Suite struct ConcatTests {
    @Test func oneSourceFollowsAnother() {
        #expect(text(of: .concat(sequence(1, 2), sequence(), sequence(3))) == "1 2 3 completed")
        #expect(text(of: sequence(1).concat(sequence(2))) == "1 2 completed")
        #expect(text(of: Observable<Int>.concat([])) == "completed")
        #expect(text(of: Observable<Int>.concat(AnySequence([sequence(1), sequence(2)]))) == "1 2 completed")
    }

    @Test func anErrorEndsItWithoutSubscribingToTheRest() {
        nonisolated(unsafe) var subscriptions = 0
        let rest = made { () -> Observable<Int> in
            subscriptions += 1
            return sequence(9)
        }
        #expect(text(of: .concat(failing(1, with: 3), rest)) == "1 error(3)")
        #expect(subscriptions == 0)
    }

    @Test func subjectsAreListenedToInTurn() {
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

    @Test func sourcesOnTheTrampolineTakeTurns() {
        let both = Observable.concat(.range(start: 1, count: 2), .range(start: 3, count: 2))
        #expect(text(of: both.concat(Observable.range(start: 5, count: 1))) == "1 2 3 4 5 completed")
    }

    @Test func theSequenceIsIteratedLazily() {
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

    @Test func disposeInsideTheIteratorEndsIt() {
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

    @Test func disposeInsideACallbackEndsIt() {
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

    @Test func aMillionSourcesNeedNoStack() {
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

    @Test func recursionInTheLastPlaceNeedsNoStack() {
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

    @Test func recursionThroughMadeSequencesGoesFiveThousandDeep() {
        @Sendable func counting(down from: Int) -> Observable<Int> {
            from == 0 ? .just(0) : Observable.just(from).concat(made { counting(down: from - 1) })
        }
        onEightMebibytes {
            nonisolated(unsafe) var count = 0
            _ = counting(down: recursionDepth).subscribe(onNext: { _ in count += 1 })
            #expect(count == recursionDepth + 1)
        }
    }

    @Test func endedSourcesAreReleased() {
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

    @Test func disposeAgainstTheNextSubscriptionLeavesNothingBehind() {
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
}

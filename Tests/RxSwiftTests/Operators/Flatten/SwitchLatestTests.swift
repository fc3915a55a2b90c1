import RxPrimitives
import RxSwift
import TestSupport
import Testing

@Suite struct LatestInnerTests {
    @Test func onlyTheLatestHasTheSay() {
        let first = ReleaseToken()
        let second = ReleaseToken()
        var latest = SwitchLatestStateMachine<ReleaseToken>()
        var superseded = latest.supersede(by: first)
        #expect(superseded == nil && latest.isCurrent(first))
        superseded = latest.supersede(by: second)
        #expect(superseded === first)
        guard case .ignored = latest.innerEnded(first) else { return #expect(Bool(false)) }
        let ends = latest.outerEnded()
        #expect(!ends)
        guard case .last = latest.innerEnded(second) else { return #expect(Bool(false)) }
    }

    @Test func betweenInnersTheOuterEndIsTheEnd() {
        let first = ReleaseToken()
        var latest = SwitchLatestStateMachine<ReleaseToken>()
        _ = latest.supersede(by: first)
        guard case .idle = latest.innerEnded(first) else { return #expect(Bool(false)) }
        let ends = latest.outerEnded()
        #expect(ends)
    }
}

@Suite struct SwitchLatestTests {
    private let outer = PublishSubject<Observable<Int>>()
    private let inners = (0..<3).map { _ in PublishSubject<Int>() }
    private let log = EventLog()

    @Test func theLatestIsListenedTo() {
        _ = log.observe(outer.switchLatest())
        outer.onNext(inners[0])
        inners[0].onNext(1)
        outer.onNext(inners[1])
        #expect(inners.map(\.hasObservers) == [false, true, false])
        inners[0].onNext(9)
        inners[1].onNext(2)
        outer.onCompleted()
        inners[1].onNext(3)
        inners[1].onCompleted()
        #expect(log.text == "1 2 3 completed")
    }

    @Test func itCompletesWithTheOuterWhenNoInnerRuns() {
        _ = log.observe(outer.switchLatest())
        outer.onNext(.just(1))
        outer.onCompleted()
        #expect(log.text == "1 completed")
    }

    @Test func errorsOfOuterAndLatestEndIt() {
        _ = log.observe(outer.switchLatest())
        outer.onNext(inners[0])
        inners[0].onError(NumberedFailure(1))
        #expect(!outer.hasObservers)
        let other = EventLog()
        let outer = PublishSubject<Observable<Int>>()
        _ = other.observe(outer.switchLatest())
        outer.onNext(inners[1])
        outer.onError(NumberedFailure(2))
        #expect(!inners[1].hasObservers)
        #expect(log.text == "error(1)" && other.text == "error(2)")
    }

    @Test func disposeLetsGoOfBoth() {
        let subscription = log.observe(outer.switchLatest())
        outer.onNext(inners[0])
        subscription.dispose()
        #expect(!outer.hasObservers && !inners[0].hasObservers)
    }

    @Test func whatTheSelectorThrowsEndsIt() {
        let numbers = PublishSubject<Int>()
        let inner = inners[0]
        _ = log.observe(
            numbers.flatMapLatest { number -> Observable<Int> in
                if number == 2 { throw NumberedFailure(2) }
                return inner
            })
        numbers.onNext(1)
        inner.onNext(10)
        numbers.onNext(2)
        #expect(log.text == "10 error(2)")
        #expect(!numbers.hasObservers && !inner.hasObservers)
    }

    @Test func whatWasAcceptedBeforeTheSwitchIsDelivered() {
        let numbers = PublishSubject<Int>()
        let (log, inners) = (log, inners)
        _ = numbers.flatMapLatest { inners[$0] }.subscribe(onNext: { element in
            log.note("\(element)")
            if element == 1 {
                numbers.onNext(1)
                inners[0].onNext(9)
                inners[1].onNext(2)
                numbers.onNext(2)
                inners[1].onNext(9)
                inners[2].onNext(3)
            }
        })
        numbers.onNext(0)
        inners[0].onNext(1)
        #expect(log.text == "1 2 3")
    }

    @Test func disposeInsideTheSelectorEndsIt() {
        let numbers = PublishSubject<Int>()
        let subscription = SerialDisposable()
        let inner = inners[0]
        subscription.disposable = log.observe(
            numbers.flatMapLatest { _ -> Observable<Int> in
                subscription.dispose()
                return inner
            })
        numbers.onNext(0)
        #expect(!inner.hasObservers && log.text == "")
    }

    @Test func aMillionSwitchesNeedNoStack() {
        onEightMebibytes {
            nonisolated(unsafe) var count = 0
            _ = Observable.range(start: 0, count: 1_000_000).flatMapLatest { Observable.just($0) }
                .subscribe(onNext: { _ in count += 1 })
            #expect(count == 1_000_000)
        }
    }

    @Test func nothingOfASupersededInnerComesAfterItsSuccessor() {
        struct Round {
            let outer = PublishSubject<Observable<Int>>()
            let first = PublishSubject<Int>()
            let log = EventLog()

            init() {
                _ = log.observe(outer.switchLatest())
                outer.onNext(first)
            }
        }
        raceRounds(
            3_000, prepare: { Round() }, { round in for _ in 0..<5 { round.first.onNext(1) } },
            { $0.outer.onNext(.just(2)) },
            check: { round in
                #expect(round.log.text.hasSuffix("2"))
                #expect(!round.first.hasObservers)
            })
    }

    @Test func theSwitchAgainstDispose() {
        struct Round {
            let outer = PublishSubject<Observable<Int>>()
            let inner = PublishSubject<Int>()
            let subscription: any Disposable

            init() { subscription = outer.switchLatest().subscribe() }
        }
        raceRounds(
            2_000, prepare: { Round() }, { $0.outer.onNext($0.inner) }, { $0.subscription.dispose() },
            check: { round in
                #expect(!round.outer.hasObservers && !round.inner.hasObservers)
            })
    }
}

import RxPrimitives
import RxSwift
import TestSupport
import Testing

@Suite struct ConcurrencyLimitTests {
    @Test func theyRunInOrderAsPlacesBecomeFree() {
        var limit = ConcurrencyLimit<Int>(limit: 2)
        #expect(limit.hasRoom)
        for number in 1...2 {
            let runs = limit.admit(number)
            #expect(runs)
        }
        #expect(!limit.hasRoom)
        for number in 3...200 {
            let runs = limit.admit(number)
            #expect(!runs)
        }
        for number in 3...200 {
            guard case .start(number) = limit.innerEnded() else {
                Issue.record("not \(number)")
                return
            }
        }
        guard case .idle = limit.innerEnded() else { return #expect(Bool(false)) }
        let ends = limit.outerEnded()
        #expect(!ends)
        guard case .complete = limit.innerEnded() else { return #expect(Bool(false)) }
    }

    @Test func withoutAnyRunningTheOuterEndCompletes() {
        var limit = ConcurrencyLimit<Int>(limit: 0)
        let runs = limit.admit(1)
        let ends = limit.outerEnded()
        #expect(!runs && ends)
        let waiting = limit.takeWaiting()
        #expect(waiting == [1])
    }
}

@Suite struct LimitedMergeTests {
    private let outer = PublishSubject<Observable<Int>>()
    private let inners = (0..<3).map { _ in PublishSubject<Int>() }
    private let log = EventLog()

    @Test func concatSubscribesToOneAfterAnother() {
        let subscription = log.observe(outer.concat())
        for inner in inners { outer.onNext(inner) }
        #expect(inners.map(\.hasObservers) == [true, false, false])
        inners[0].onNext(1)
        inners[1].onNext(9)
        inners[0].onCompleted()
        #expect(inners.map(\.hasObservers) == [false, true, false])
        inners[1].onNext(2)
        outer.onCompleted()
        #expect(!outer.hasObservers)
        inners[1].onCompleted()
        inners[2].onNext(3)
        inners[2].onCompleted()
        #expect(log.text == "1 2 3 completed")
        subscription.dispose()
    }

    @Test func noMoreThanTheLimitRun() {
        let subscription = log.observe(outer.merge(maxConcurrent: 2))
        for inner in inners { outer.onNext(inner) }
        #expect(inners.map(\.hasObservers) == [true, true, false])
        inners[1].onNext(1)
        inners[0].onNext(2)
        inners[1].onCompleted()
        #expect(inners.map(\.hasObservers) == [true, false, true])
        subscription.dispose()
        #expect(inners.map(\.hasObservers) == [false, false, false])
        #expect(!outer.hasObservers && log.text == "1 2")
    }

    @Test func anErrorOfAnyEndsItAll() {
        _ = log.observe(outer.merge(maxConcurrent: 2))
        for inner in inners { outer.onNext(inner) }
        inners[1].onError(NumberedFailure(4))
        inners[0].onNext(1)
        #expect(inners.map(\.hasObservers) == [false, false, false])
        #expect(!outer.hasObservers && log.text == "error(4)")
    }

    @Test func withALimitOfNothingNothingRuns() {
        _ = log.observe(outer.merge(maxConcurrent: 0))
        outer.onNext(inners[0])
        outer.onCompleted()
        #expect(log.text == "completed" && !inners[0].hasObservers)
    }

    @Test func concatMapRunsTheSelectorAtOnceAndTheSequencesInOrder() {
        let numbers = PublishSubject<Int>()
        let (log, inners) = (log, inners)
        let subscription = log.observe(
            numbers.concatMap { number -> Observable<Int> in
                log.note("made\(number)")
                return inners[number]
            })
        numbers.onNext(0)
        numbers.onNext(1)
        inners[0].onNext(10)
        inners[0].onCompleted()
        inners[1].onNext(11)
        #expect(log.text == "made0 made1 10 11")
        subscription.dispose()
    }

    @Test func whatTheSelectorThrowsEndsIt() {
        let numbers = PublishSubject<Int>()
        _ = log.observe(numbers.concatMap { number -> Observable<Int> in throw NumberedFailure(number) })
        numbers.onNext(3)
        numbers.onNext(4)
        #expect(log.text == "error(3)" && !numbers.hasObservers)
    }

    @Test func disposeInsideTheSelectorEndsIt() {
        let numbers = PublishSubject<Int>()
        let subscription = SerialDisposable()
        let inner = inners[0]
        subscription.disposable = log.observe(
            numbers.concatMap { _ -> Observable<Int> in
                subscription.dispose()
                return inner
            })
        numbers.onNext(0)
        #expect(!inner.hasObservers && log.text == "")
    }

    @Test func flatMapFirstIgnoresElementsWhileOneRuns() {
        let numbers = PublishSubject<Int>()
        let (log, inners) = (log, inners)
        _ = log.observe(
            numbers.flatMapFirst { number -> Observable<Int> in
                log.note("made\(number)")
                return inners[number]
            })
        numbers.onNext(0)
        numbers.onNext(1)
        inners[0].onNext(10)
        inners[0].onCompleted()
        numbers.onNext(2)
        numbers.onCompleted()
        inners[2].onNext(12)
        inners[2].onCompleted()
        #expect(log.text == "made0 10 made2 12 completed")
    }

    @Test func aMillionSequencesThatWaitedNeedNoStack() {
        onEightMebibytes {
            let numbers = PublishSubject<Int>()
            let first = PublishSubject<Int>()
            nonisolated(unsafe) var count = 0
            let source = numbers.concatMap { $0 == 0 ? first.asObservable() : Observable.just($0) }
            _ = source.subscribe(onNext: { _ in count += 1 })
            for number in 0...1_000_000 { numbers.onNext(number) }
            #expect(count == 0)
            first.onCompleted()
            #expect(count == 1_000_000)
        }
    }

    @Test func recursionGoesFiveThousandDeep() {
        @Sendable func counting(down from: Int) -> Observable<Int> {
            from == 0 ? .just(0) : Observable.just(from).concatMap { counting(down: $0 - 1) }
        }
        onEightMebibytes {
            #expect(text(of: counting(down: recursionDepth)) == "0 completed")
        }
    }

    @Test func endingInnersAgainstNewOnesLosesNothing() {
        struct Round {
            let outer = PublishSubject<Observable<Int>>()
            let first = PublishSubject<Int>()
            let log = EventLog()

            init() {
                _ = log.observe(outer.concat())
                outer.onNext(first)
            }
        }
        raceRounds(
            2_000, prepare: { Round() }, { $0.first.onCompleted() },
            { round in
                round.outer.onNext(.just(1))
                round.outer.onNext(.just(2))
                round.outer.onCompleted()
            }, check: { #expect($0.log.text == "1 2 completed") })
    }

    @Test func twoInnersEmittingAtOnceAreSerialized() {
        struct Round {
            let first = PublishSubject<Int>()
            let second = PublishSubject<Int>()
            let log = EventLog()
            let inside = OverlapDetector()

            init() {
                let (log, inside) = (log, inside)
                _ = Observable.just(first.asObservable()).concat(Observable.just(second.asObservable()))
                    .merge(maxConcurrent: 2)
                    .subscribe(onNext: { _ in
                        inside.enter()
                        log.note("x")
                        inside.leave()
                    })
            }
        }
        raceRounds(
            500, prepare: { Round() }, { round in for _ in 0..<20 { round.first.onNext(0) } },
            { round in for _ in 0..<20 { round.second.onNext(0) } },
            check: { round in
                #expect(round.log.text.count == 79)
                #expect(!round.inside.overlapped)
            })
    }
}

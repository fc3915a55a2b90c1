import RxSwift
import TestSupport
import Testing

@Suite struct CatchTests {
    @Test func theHandlersSequenceTakesOver() {
        let source = failing(1, with: 5).catch { error in
            sequence((error as! NumberedFailure).number)
        }
        #expect(text(of: source) == "1 5 completed")
        #expect(text(of: sequence(1).catch { _ in sequence(2) }) == "1 completed")
        #expect(text(of: failing().catch { _ in failing(2, with: 7) }) == "2 error(7)")
        let throwing = failing().catch { _ in throw NumberedFailure(8) }
        #expect(text(of: throwing) == "error(8)")
    }

    @Test func theFailedSourceIsLetGo() {
        let first = PublishSubject<Int>()
        let second = PublishSubject<Int>()
        let log = EventLog()
        let subscription = log.observe(first.catch { _ in second })
        first.onNext(1)
        first.onError(NumberedFailure())
        #expect(second.hasObservers)
        second.onNext(2)
        subscription.dispose()
        #expect(!second.hasObservers)
        #expect(log.text == "1 2")
    }

    @Test func disposeInsideTheHandlerEndsIt() {
        let subscription = SerialDisposable()
        let first = PublishSubject<Int>()
        let second = PublishSubject<Int>()
        let log = EventLog()
        subscription.disposable = log.observe(
            first.catch { _ in
                subscription.dispose()
                return second
            })
        first.onError(NumberedFailure())
        #expect(!second.hasObservers && log.text == "")
    }

    @Test func catchAndReturnPutsAnElementInPlaceOfTheError() {
        #expect(text(of: failing(1).catchAndReturn(2)) == "1 2 completed")
        #expect(text(of: sequence(1).catchAndReturn(2)) == "1 completed")
    }

    @Test func disposeAtTheReturnedElementHidesTheCompletion() {
        let subscription = SerialDisposable()
        let source = PublishSubject<Int>()
        nonisolated(unsafe) var completions = 0
        subscription.disposable = source.catchAndReturn(1).subscribe(
            onNext: { _ in subscription.dispose() }, onCompleted: { completions += 1 })
        source.onError(NumberedFailure())
        #expect(completions == 0)
    }

    @Test func sequencesAreTriedUntilOneCompletes() {
        let sources = [failing(1), failing(2), sequence(3), sequence(4)]
        #expect(text(of: .catch(sequence: sources)) == "1 2 3 completed")
        #expect(text(of: .catch(sequence: [failing(1, with: 1), failing(2, with: 2)])) == "1 2 error(2)")
        #expect(text(of: Observable<Int>.catch(sequence: [])) == "completed")
    }

    @Test func disposeAgainstTheHandlerLeavesNothingBehind() {
        struct Round {
            let first = PublishSubject<Int>()
            let second = PublishSubject<Int>()
            let subscription: any Disposable

            init() {
                let second = self.second
                subscription = first.catch { _ in second }.subscribe()
            }
        }
        raceRounds(
            2_000, prepare: { Round() }, { $0.first.onError(NumberedFailure()) }, { $0.subscription.dispose() },
            check: { round in
                #expect(!round.first.hasObservers && !round.second.hasObservers)
            })
    }
}

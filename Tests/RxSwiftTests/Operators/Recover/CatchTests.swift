import RxSwift
import Testing

@Suite struct CatchTests {
    @Test func theHandlersSequenceTakesOver() {
        let source = failing(1, with: 5).catch { error in
            sending((error as! SourceFailure).number)
        }
        #expect(SuccessionLog.of(source) == "1 5 completed")
        #expect(SuccessionLog.of(sending(1).catch { _ in sending(2) }) == "1 completed")
        #expect(SuccessionLog.of(failing().catch { _ in failing(2, with: 7) }) == "2 error(7)")
        let throwing = failing().catch { _ in throw SourceFailure(8) }
        #expect(SuccessionLog.of(throwing) == "error(8)")
    }

    @Test func theFailedSourceIsLetGo() {
        let first = PublishSubject<Int>()
        let second = PublishSubject<Int>()
        let log = SuccessionLog()
        let subscription = log.record(first.catch { _ in second })
        first.onNext(1)
        first.onError(SourceFailure())
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
        let log = SuccessionLog()
        subscription.disposable = log.record(
            first.catch { _ in
                subscription.dispose()
                return second
            })
        first.onError(SourceFailure())
        #expect(!second.hasObservers && log.text == "")
    }

    @Test func catchAndReturnPutsAnElementInPlaceOfTheError() {
        #expect(SuccessionLog.of(failing(1).catchAndReturn(2)) == "1 2 completed")
        #expect(SuccessionLog.of(sending(1).catchAndReturn(2)) == "1 completed")
    }

    @Test func disposeAtTheReturnedElementHidesTheCompletion() {
        let subscription = SerialDisposable()
        let source = PublishSubject<Int>()
        nonisolated(unsafe) var completions = 0
        subscription.disposable = source.catchAndReturn(1).subscribe(
            onNext: { _ in subscription.dispose() }, onCompleted: { completions += 1 })
        source.onError(SourceFailure())
        #expect(completions == 0)
    }

    @Test func sequencesAreTriedUntilOneCompletes() {
        let sources = [failing(1), failing(2), sending(3), sending(4)]
        #expect(SuccessionLog.of(.catch(sequence: sources)) == "1 2 3 completed")
        #expect(SuccessionLog.of(.catch(sequence: [failing(1, with: 1), failing(2, with: 2)])) == "1 2 error(2)")
        #expect(SuccessionLog.of(Observable<Int>.catch(sequence: [])) == "completed")
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
            2_000, prepare: { Round() }, { $0.first.onError(SourceFailure()) }, { $0.subscription.dispose() },
            check: { round in
                #expect(!round.first.hasObservers && !round.second.hasObservers)
            })
    }
}

import RxSwift
import TestSupport
import Testing

@Suite struct AsMaybeTests {
    @Test func theOnlyElementComesAtTheEnd() {
        let subject = PublishSubject<Int>()
        let log = EventLog(subject.asMaybe().asObservable())
        subject.onNext(1)
        #expect(log.lines == [])
        subject.onCompleted()
        #expect(log.lines == ["1", "completed"])
    }

    @Test func noneIsFineAndTwoAreAnError() {
        #expect(text(of: Observable<Int>.empty().asMaybe().asObservable()) == "completed")
        #expect(text(of: sequence(1, 2).asMaybe().asObservable()) == "error(\(RxError.moreThanOneElement))")
        #expect(text(of: sequence(1, error: .expected).asMaybe().asObservable()) == "error(expected)")
        #expect(text(of: Observable<Int>.never().asMaybe().asObservable()) == "")
    }

    @Test func theSecondElementEndsTheSource() {
        let subject = PublishSubject<Int>()
        let log = EventLog(subject.asMaybe().asObservable())
        subject.onNext(1)
        #expect(subject.hasObservers)
        subject.onNext(2)
        #expect(!subject.hasObservers)
        #expect(log.lines == ["error(\(RxError.moreThanOneElement))"])
    }

    @Test func disposeAtTheElementHidesTheCompletion() {
        let subject = PublishSubject<Int>()
        let subscription = SerialDisposable()
        nonisolated(unsafe) var log: [String] = []
        subscription.disposable = subject.asMaybe().asObservable().subscribe { event in
            log.append("\(event)")
            subscription.dispose()
        }
        subject.onNext(1)
        subject.onCompleted()
        #expect(log == ["next(1)"])
    }

    @Test func aSubjectThatIsGoneLeavesNothingBehind() {
        weak var token: ReleaseToken?
        do {
            let subject = PublishSubject<Int>()
            let captured = ReleaseToken()
            token = captured
            _ = subject.asMaybe().subscribe(onSuccess: { _ in _ = captured })
        }
        #expect(token == nil)
    }

    @Test func noElementsByTypeIsACompletable() {
        #expect(text(of: Observable<Never>.empty().asCompletable().asObservable()) == "completed")
        let failing = sequence(1, error: .expected).ignoreElements().asCompletable()
        #expect(text(of: failing.asObservable()) == "error(expected)")
    }
}

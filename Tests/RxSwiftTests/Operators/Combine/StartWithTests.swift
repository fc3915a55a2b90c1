import RxSwift
import Testing

@Suite struct StartWithTests {
    @Test func elementsComeBeforeTheSubscription() {
        var log: [String] = []
        let source = Observable<Int>.create { observer in
            log.append("subscribed")
            observer.onNext(3)
            observer.onCompleted()
            return Disposables.create()
        }
        _ = source.startWith(1, 2).subscribe { log.append("\($0)") }
        #expect(log == ["next(1)", "next(2)", "subscribed", "next(3)", "completed"])
    }

    @Test func errorPasses() {
        #expect(events(of: sequence(2, error: .expected).startWith(1)) == ["next(1)", "next(2)", "error(expected)"])
    }

    @Test func satisfiedByTheFirstElements() {
        var log: [String] = []
        let source = Observable<Int>.create { observer in
            log.append("subscribed")
            observer.onNext(3)
            return Disposables.create { log.append("disposed") }
        }
        _ = source.startWith(1, 2).take(1).subscribe { log.append("\($0)") }
        #expect(log == ["next(1)", "completed", "subscribed", "disposed"])
        #expect(events(of: Observable.just(2).startWith(1).take(1)) == ["next(1)", "completed"])
    }

    @Test func disposeEndsIt() {
        let subject = PublishSubject<Int>()
        let log = EventLog(subject.startWith(1))
        subject.onNext(2)
        log.dispose()
        #expect(log.events == ["next(1)", "next(2)"] && !subject.hasObservers)
    }
}

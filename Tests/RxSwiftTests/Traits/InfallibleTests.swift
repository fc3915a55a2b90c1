import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct InfallibleTests {
    // MARK: Events and create

    @Test func anEventIsOneOfAnObservable() {
        #expect(InfallibleEvent.next(1).event == .next(1))
        #expect(InfallibleEvent<Int>.completed.event == .completed)
    }

    @Test func nothingPassesAfterCompleted() {
        let log = EventLog()
        let infallible = Infallible<Int>.create { observer in
            observer(.next(1))
            observer(.completed)
            return Disposables.create { log.note("work ended") }
        }
        _ = infallible.subscribe(
            onNext: { log.note("\($0)") }, onCompleted: { log.note("completed") }, onDisposed: { log.note("disposed") })
        #expect(log.lines == ["1", "completed", "disposed", "work ended"])
    }

    @Test func disposeEndsTheWorkAndTheEvents() {
        let log = EventLog()
        var observer: Infallible<Int>.InfallibleObserver = { _ in }
        let infallible = Infallible<Int>.create { handed in
            observer = handed
            return Disposables.create { log.note("work ended") }
        }
        let subscription = infallible.subscribe(
            onNext: { log.note("\($0)") }, onCompleted: { log.note("completed") }, onDisposed: { log.note("disposed") })
        observer(.next(1))
        subscription.dispose()
        observer(.next(2))
        observer(.completed)
        #expect(log.lines == ["1", "work ended", "disposed"])
    }

    @Test func anEventFromInsideACallbackComesAfterIt() {
        let log = EventLog()
        var observer: Infallible<Int>.InfallibleObserver = { _ in }
        let infallible = Infallible<Int>.create { handed in
            observer = handed
            return Disposables.create()
        }
        let subscription = log.observe(infallible.asObservable()) { if $0 == .next(1) { observer(.next(2)) } }
        observer(.next(1))
        observer(.next(3))
        subscription.dispose()
        #expect(log.text == "1 2 3" && !log.hasOverlapped)
    }

    // MARK: Ways to subscribe

    @Test func theClosureForAllEventsGetsThem() {
        let log = EventLog()
        _ = Infallible.of(1, 2).subscribe { event in
            switch event {
            case .next(let element): log.note("\(element)")
            case .completed: log.note("completed")
            }
        }
        #expect(log.text == "1 2 completed")
    }

    @Test func closuresAreOptional() {
        let subject = PublishSubject<Int>()
        let log = EventLog()
        let first = Infallible(raw: subject).subscribe()
        let second = Infallible(raw: subject).subscribe(onDisposed: { log.note("disposed") })
        subject.onNext(1)
        #expect(subject.hasObservers)
        first.dispose()
        second.dispose()
        second.dispose()
        #expect(!subject.hasObservers && log.text == "disposed")
    }

    @Test func anObjectIsHandedToTheClosuresAndHeldWeakly() {
        let log = EventLog()
        let subject = PublishSubject<Int>()
        var object: ReleaseToken? = ReleaseToken(7) { log.note("released") }
        _ = Infallible(raw: subject).subscribe(
            with: object!, onNext: { log.note("\($0) \($1)") }, onCompleted: { log.note("\($0) completed") },
            onDisposed: { log.note("\($0) disposed") })
        _ = Infallible.just(0).subscribe(
            with: object!, onNext: { log.note("\($0) \($1)") }, onCompleted: { log.note("\($0) completed") },
            onDisposed: { log.note("\($0) disposed") })
        subject.onNext(1)
        object = nil
        subject.onNext(2)
        subject.onCompleted()
        #expect(log.lines == ["7 0", "7 completed", "7 disposed", "7 1", "released"])
    }

    /// In a process of its own: the hooks belong to the process.
    @Test func anErrorThatShouldNotBeGoesToTheHook() async {
        await #expect(processExitsWith: .success) {
            let log = EventLog()
            Hooks.defaultErrorHandler = { _, error in log.note("hook \(error)") }
            let source = PublishSubject<Int>()
            let infallible = Infallible(raw: source)
            _ = infallible.subscribe { event in log.note("\(event)") }
            _ = infallible.subscribe(onNext: { log.note("\($0)") }, onDisposed: { log.note("disposed") })
            _ = infallible.subscribe(with: log, onNext: { $0.note("object \($1)") }, onDisposed: { $0.note("gone") })
            source.onNext(1)
            source.onError(Failure.expected)
            source.onNext(2)
            let expected = [
                "next(1)", "1", "object 1", "hook expected", "hook expected", "disposed", "hook expected", "gone",
            ]
            precondition(log.lines == expected && !source.hasObservers, log.text)
        }
    }

    // MARK: From what may fail

    private func recovered(
        _ elements: [Recorded<Event<Int>>], with recover: (TestableObservable<Int>) -> Infallible<Int>,
        in scheduler: TestScheduler
    ) -> (events: [Recorded<Event<Int>>], subscriptions: [Subscription]) {
        let source = scheduler.createHotObservable(elements)
        let infallible = recover(source)
        let result = scheduler.start { infallible }
        return (result.events, source.subscriptions)
    }

    private let failing = script((210, 1), (220, 2)) + [.error(230, Failure.expected)] + script((240, 3))
    private let completing = script((210, 1)) + [.completed(220)] + script((240, 3))

    @Test func anElementTakesThePlaceOfAnError() {
        let failed = recovered(failing, with: { $0.asInfallible(onErrorJustReturn: 9) }, in: ticks())
        #expect(failed.events == script((210, 1), (220, 2), (230, 9)) + [.completed(230)])
        #expect(failed.subscriptions == [Subscription(200, 230)])
        let completed = recovered(completing, with: { $0.asInfallible(onErrorJustReturn: 9) }, in: ticks())
        #expect(completed.events == script((210, 1)) + [.completed(220)])
    }

    @Test func anInfallibleTakesThePlaceOfAnError() {
        let scheduler = ticks()
        let other = scheduler.createHotObservable(script((225, 7), (250, 8)) + [.completed(260)])
        let failed = recovered(
            failing, with: { $0.asInfallible(onErrorFallbackTo: Infallible(raw: other.asObservable())) }, in: scheduler)
        #expect(failed.events == script((210, 1), (220, 2), (250, 8)) + [.completed(260)])
        #expect(failed.subscriptions == [Subscription(200, 230)])
        #expect(other.subscriptions == [Subscription(230, 260)])
        let completed = recovered(completing, with: { $0.asInfallible(onErrorFallbackTo: .just(9)) }, in: ticks())
        #expect(completed.events == script((210, 1)) + [.completed(220)])
    }

    @Test func anInfallibleMadeOfTheErrorTakesItsPlace() {
        let failed = recovered(
            failing, with: { $0.asInfallible { error in .of(error as? Failure == .expected ? 7 : 8, 9) } }, in: ticks())
        #expect(failed.events == script((210, 1), (220, 2), (230, 7), (230, 9)) + [.completed(230)])
        #expect(failed.subscriptions == [Subscription(200, 230)])
    }

    @Test func anErrorOfTheRecoveryIsNotRecoveredFrom() {
        let failing = Infallible(raw: Observable<Int>.error(Failure.other))
        let source = sequence(1, error: .expected)
        #expect(text(of: source.asInfallible(onErrorFallbackTo: failing).asObservable()) == "1 error(other)")
        #expect(text(of: source.asInfallible { _ in failing }.asObservable()) == "1 error(other)")
    }

    @Test func singlesBecomeInfallibleToo() {
        let single = Single<Int>.error(Failure.expected)
        #expect(text(of: single.asInfallible(onErrorJustReturn: 1).asObservable()) == "1 completed")
    }
}

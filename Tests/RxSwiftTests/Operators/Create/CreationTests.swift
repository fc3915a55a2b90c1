import RxSwift
import Testing

@Suite struct EmptyNeverErrorTests {
    @Test func emptyCompletes() {
        #expect(events(of: Observable<Int>.empty()) == ["completed"])
    }

    @Test func neverIsSilent() {
        #expect(events(of: Observable<Int>.never()) == [])
    }

    @Test func errorFails() {
        #expect(events(of: Observable<Int>.error(Failure.expected)) == ["error(expected)"])
    }

    @Test func stagesBelowAnEndedSourceLearnOfTheEnd() {
        var completions = 0
        let source = Observable<Int>.empty().ifEmpty(default: 1).take(1).do(onCompleted: { completions += 1 })
        #expect(events(of: source) == ["next(1)", "completed"])
        #expect(completions == 1)
    }
}

@Suite struct FromOptionalTests {
    @Test func valueIsSentAndNilIsNot() {
        #expect(events(of: Observable.from(optional: 1)) == ["next(1)", "completed"])
        #expect(events(of: Observable<Int>.from(optional: nil)) == ["completed"])
    }

    @Test func eachEventTakesAnActionOfTheScheduler() {
        let scheduler = StepScheduler()
        let some = EventLog(Observable.from(optional: 1, scheduler: scheduler))
        let none = EventLog(Observable<Int>.from(optional: nil, scheduler: scheduler))
        #expect(some.events == [] && none.events == [])
        scheduler.step()
        scheduler.step()
        #expect(some.events == ["next(1)"] && none.events == ["completed"])
        scheduler.step()
        #expect(some.events == ["next(1)", "completed"])
        #expect(scheduler.actions.isEmpty)
    }
}

@Suite struct JustScheduledTests {
    @Test func eachEventTakesAnActionOfTheScheduler() {
        let scheduler = StepScheduler()
        let log = EventLog(Observable.just(1, scheduler: scheduler))
        #expect(log.events == [])
        scheduler.step()
        #expect(log.events == ["next(1)"])
        scheduler.step()
        #expect(log.events == ["next(1)", "completed"])
    }

    @Test func disposeEndsItBeforeAndBetweenTheActions() {
        let scheduler = StepScheduler()
        let before = EventLog(Observable.just(1, scheduler: scheduler))
        before.dispose()
        scheduler.step()
        #expect(before.events == [])
        let between = EventLog(Observable.just(1, scheduler: scheduler))
        scheduler.step()
        between.dispose()
        scheduler.step()
        #expect(between.events == ["next(1)"])
    }

    @Test func runsOnTheTrampoline() {
        #expect(events(of: Observable.just(1, scheduler: CurrentThreadScheduler.instance)) == ["next(1)", "completed"])
    }
}

/// Runs one action at a time, when told to.
final class StepScheduler: ImmediateSchedulerType {
    private(set) var actions: [() -> Void] = []

    func schedule<StateType>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        let disposable = SingleAssignmentDisposable()
        actions.append { if !disposable.isDisposed { disposable.setDisposable(action(state)) } }
        return disposable
    }

    func step() {
        if !actions.isEmpty { actions.removeFirst()() }
    }
}

import RxSwift
import Testing

@Suite struct ReduceTests {
    @Test func resultComesAtTheEnd() {
        #expect(events(of: sequence(1, 2, 3).reduce(10) { $0 + $1 }) == ["next(16)", "completed"])
        #expect(events(of: sequence(1, 2).reduce(0, accumulator: { $0 + $1 }, mapResult: { "sum \($0)" })) == ["next(sum 3)", "completed"])
        #expect(events(of: Observable<Int>.empty().reduce(10) { $0 + $1 }) == ["next(10)", "completed"])
    }

    @Test func errorPasses() {
        #expect(events(of: sequence(1, error: .expected).reduce(0) { $0 + $1 }) == ["error(expected)"])
    }

    @Test func whatAClosureThrowsIsTheError() {
        let accumulator: @Sendable (Int, Int) throws -> Int = { _, _ in throw Failure.expected }
        #expect(events(of: sequence(1, 2).reduce(0, accumulator: accumulator)) == ["error(expected)"])
        let mapResult: @Sendable (Int) throws -> Int = { _ in throw Failure.other }
        #expect(events(of: sequence(1).reduce(0, accumulator: { $0 + $1 }, mapResult: mapResult)) == ["error(other)"])
    }

    @Test func nothingFollowsADisposeInAClosure() {
        let subject = PublishSubject<Int>()
        var calls = 0
        let log = EventLog { dispose in
            subject.reduce(0) { sum, element in
                calls += 1
                dispose()
                return sum + element
            }
        }
        subject.onNext(1)
        subject.onNext(2)
        subject.onCompleted()
        #expect(calls == 1 && log.events == [])
    }

    @Test func disposeAtTheResultDropsTheCompletion() {
        let subject = PublishSubject<Int>()
        let log = EventLog { dispose in subject.reduce(0) { $0 + $1 }.do(afterNext: { _ in dispose() }) }
        subject.onCompleted()
        #expect(log.events == ["next(0)"])
    }
}

@Suite struct ToArrayTests {
    @Test func elementsComeInAnArray() {
        let source = sequence(1, 2).toArray().asObservable()
        #expect(events(of: source) == ["next([1, 2])", "completed"])
        #expect(events(of: source) == ["next([1, 2])", "completed"])
        #expect(events(of: Observable<Int>.empty().toArray().asObservable()) == ["next([])", "completed"])
        #expect(events(of: sequence(1, error: .expected).toArray().asObservable()) == ["error(expected)"])
    }
}

@Suite struct AsSingleTests {
    @Test func theOnlyElementComesAtTheEnd() {
        let subject = PublishSubject<Int>()
        let log = EventLog(subject.asSingle().asObservable())
        subject.onNext(1)
        #expect(log.events == [])
        subject.onCompleted()
        #expect(log.events == ["next(1)", "completed"])
    }

    @Test func otherNumbersAreErrors() {
        #expect(events(of: sequence(1, 2, 3).asSingle().asObservable()) == ["error(\(RxError.moreThanOneElement))"])
        #expect(events(of: Observable<Int>.empty().asSingle().asObservable()) == ["error(\(RxError.noElements))"])
        #expect(events(of: sequence(1, error: .expected).asSingle().asObservable()) == ["error(expected)"])
    }
}

@Suite struct FirstTests {
    @Test func firstElementOrNil() {
        #expect(events(of: sequence(1, 2).first().asObservable()) == ["next(Optional(1))", "completed"])
        #expect(events(of: Observable<Int>.empty().first().asObservable()) == ["next(nil)", "completed"])
        #expect(events(of: Observable<Int>.error(Failure.expected).first().asObservable()) == ["error(expected)"])
    }

    @Test func sourceIsLeftAtTheFirstElement() {
        let subject = PublishSubject<Int>()
        let log = EventLog(subject.first().asObservable())
        subject.onNext(1)
        #expect(!subject.hasObservers && log.events == ["next(Optional(1))", "completed"])
    }
}

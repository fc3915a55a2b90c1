// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxBlocking
import RxPrimitives
import RxSwift
import TestSupport
import Testing

@Suite struct BlockingOperatorsTests {
    private func text<Value>(_ body: () throws -> Value) -> String {
        do {
            return "\(try body())"
        } catch let error as RxError {
            return error.debugDescription
        } catch {
            return "\(error)"
        }
    }

    private static let timeout = "Sequence timeout."

    /// A source, and the result of each operator.
    struct Row: Sendable {
        let name: String
        let source: Observable<Int>
        let toArray, first, last, single, even: String
    }

    static let rows: [Row] = [
        Row(
            name: "empty", source: .empty(), toArray: "[]", first: "nil", last: "nil",
            single: "Sequence doesn't contain any elements.", even: "Sequence doesn't contain any elements."),
        Row(
            name: "just", source: .just(42), toArray: "[42]", first: "Optional(42)", last: "Optional(42)", single: "42",
            even: "42"),
        Row(
            name: "several", source: .of(41, 42, 43), toArray: "[41, 42, 43]", first: "Optional(41)",
            last: "Optional(43)",
            single: "Sequence contains more than one element.", even: "42"),
        Row(
            name: "two even", source: .of(42, 43, 44), toArray: "[42, 43, 44]", first: "Optional(42)",
            last: "Optional(44)",
            single: "Sequence contains more than one element.", even: "Sequence contains more than one element."),
        Row(
            name: "fail", source: .error(Failure.expected), toArray: "expected", first: "expected", last: "expected",
            single: "expected", even: "expected"),
        Row(
            name: "one and fail", source: sequence(42, error: .expected), toArray: "expected", first: "Optional(42)",
            last: "expected", single: "expected", even: "expected"),
        Row(
            name: "two and fail", source: sequence(42, 44, error: .expected), toArray: "expected",
            first: "Optional(42)",
            last: "expected", single: "Sequence contains more than one element.",
            even: "Sequence contains more than one element."),
        Row(
            name: "never", source: .never(), toArray: timeout, first: timeout, last: timeout, single: timeout,
            even: timeout),
        Row(
            name: "one and never", source: .concat(.just(42), .never()), toArray: timeout, first: "Optional(42)",
            last: timeout,
            single: timeout, even: timeout),
    ]

    /// The thread on which a source sends its events.
    enum Delivery: CaseIterable {
        case synchronous, observedOn, subscribedOn

        func apply(to source: Observable<Int>) -> Observable<Int> {
            let scheduler = SerialDispatchQueueScheduler(internalSerialQueueName: "blocking")
            return switch self {
            case .synchronous: source
            case .observedOn: source.observe(on: scheduler)
            case .subscribedOn: source.subscribe(on: scheduler)
            }
        }
    }

    @Test("Each operator returns the result of the events", arguments: rows, Delivery.allCases)
    func results(row: Row, delivery: Delivery) {
        let source = delivery.apply(to: row.source)
        let blocking = source.toBlocking(timeout: row.name.hasSuffix("never") ? 0.05 : 30)
        #expect(text { try blocking.toArray() } == row.toArray)
        #expect(text { try blocking.first() } == row.first)
        #expect(text { try blocking.last() } == row.last)
        #expect(text { try blocking.single() } == row.single)
        #expect(text { try blocking.single { $0 % 2 == 0 } } == row.even)
    }

    @Test("materialize retains the elements before the error") func materialize() {
        #expect("\(Observable.of(1, 2).toBlocking().materialize())" == "completed(elements: [1, 2])")
        #expect(
            "\(sequence(1, 2, error: .expected).toBlocking().materialize())"
                == "failed(elements: [1, 2], error: \(String(reflecting: Failure.expected)))")
        let late = Observable<Int>.concat(.of(1, 2), .never()).toBlocking(timeout: 0.01).materialize()
        guard case .failed(elements: [1, 2], error: RxError.timeout) = late else {
            Issue.record("\(late)")
            return
        }
    }

    @Test("A predicate that throws ends the wait") func throwingPredicate() {
        let seen = AtomicCounter(0)
        let blocking = Observable<Int>.concat(.of(1, 2, 3), .never()).toBlocking()
        let result = text {
            try blocking.single { element in
                seen.increment()
                if element == 2 { throw Failure.expected }
                return true
            }
        }
        #expect(result == "expected")
        #expect(seen.value == 2)
    }

    @Test("The subscription ends as soon as the result is known") func earlyEnd() throws {
        let log = EventLog()
        let endless = Observable.repeatElement(7).do(
            onNext: { _ in log.note("next") }, onDispose: { log.note("dispose") })
        #expect(try endless.toBlocking().first() == 7)
        #expect(log.text == "next dispose")
        log.clear()
        #expect(text { try endless.toBlocking().single() } == "Sequence contains more than one element.")
        #expect(log.text == "next next dispose")
    }

    /// RxSwift fails in this case as well.
    @Test("A timeout that is not positive fails although elements have arrived", arguments: [0, -1])
    func nonPositiveTimeout(seconds: Double) {
        let source = Observable.of(1, 2)
        #expect(text { try Observable<Int>.never().toBlocking(timeout: seconds).toArray() } == Self.timeout)
        #expect(text { try source.toBlocking(timeout: seconds).first() } == Self.timeout)
        guard
            case .failed(elements: [1, 2], error: RxError.timeout) = source.toBlocking(timeout: seconds).materialize()
        else {
            Issue.record("not the elements and the timeout")
            return
        }
    }

    @Test("A timeout ends the subscription") func timeoutEnds() {
        let subject = PublishSubject<Int>()
        let before = MonotonicClock.now()
        #expect(text { try subject.toBlocking(timeout: 0.05).first() } == Self.timeout)
        #expect(MonotonicClock.now() - before >= 50_000_000)
        #expect(!subject.hasObservers)
    }

    @Test("A timeout ends a source that keeps the thread", .timeLimit(.minutes(1)))
    func endlessSource() {
        let failing = Observable<Int>.error(Failure.expected)
        let recursive = Observable<Int>.create { observer in
            CurrentThreadScheduler.instance.scheduleRecursive(0) { number, recursion in
                observer.onNext(number)
                recursion(number &+ 1)
            }
        }
        let sources: [Observable<Int>] = [
            .repeatElement(1), failing.retry(), recursive,
            .generate(initialState: 0, condition: { _ in true }, iterate: { $0 &+ 1 }),
            Observable.repeatElement(1).subscribe(on: CurrentThreadScheduler.instance),
        ]
        let results = Guarded<[String]>([])
        DispatchQueue.concurrentPerform(iterations: sources.count) { index in
            let blocking = sources[index].filter { $0 < 0 }.toBlocking(timeout: 0.01)
            let result = text { try blocking.first() }
            results.change { $0.append(result) }
        }
        #expect(results.value == sources.map { _ in Self.timeout })
    }

    @Test("A timeout out of range means none", arguments: [Double.infinity, 1e300, .nan])
    func infiniteTimeout(timeout: Double) {
        let scheduler = SerialDispatchQueueScheduler(internalSerialQueueName: "blocking")
        #expect(text { try Observable.just(1, scheduler: scheduler).toBlocking(timeout: timeout).toArray() } == "[1]")
    }

    @Test("Traits block too") func traits() {
        #expect(text { try Single.just(1).toBlocking().single() } == "1")
        #expect(text { try Single<Int>.error(Failure.expected).toBlocking().single() } == "expected")
    }

    @Test("An element that races with the timeout arrives whole or not at all") func timeoutRace() {
        final class Round: @unchecked Sendable {
            let subject = PublishSubject<ReleaseToken>()
            let released = AtomicCounter(0)
            var result = ""
        }
        raceRounds(
            stepCount(10_000, debug: 5_000), prepare: { Round() },
            { round in
                switch round.subject.toBlocking(timeout: 0.00002).materialize() {
                case .completed(let elements): round.result = "completed \(elements.count)"
                case .failed(let elements, RxError.timeout): round.result = "timeout \(elements.count)"
                case .failed: round.result = "another error"
                }
            },
            { round in
                round.subject.onNext(ReleaseToken { round.released.increment() })
                round.subject.onCompleted()
            },
            check: { round in
                let expected = ["completed 0", "completed 1", "timeout 0", "timeout 1"]
                // A deputy that delivers the end may still be at it.
                let isReleased = settles { !round.subject.hasObservers && round.released.value == 1 }
                if !expected.contains(round.result) || !isReleased {
                    Issue.record("\(round.result), released: \(round.released.value)")
                }
            })
    }

    #if TRACE_RESOURCES
        @Test("Awaited sequences are released") func release() async {
            await #expect(processExitsWith: .success) {
                let before = Resources.total
                do {
                    let scheduler = SerialDispatchQueueScheduler(internalSerialQueueName: "blocking")
                    _ = try? Observable.of(1, 2).toBlocking().toArray()
                    _ = try? Observable.of(1, 2).observe(on: scheduler).toBlocking().first()
                    _ = try? sequence(1, error: .expected).toBlocking().single()
                    _ = try? Observable<Int>.never().toBlocking(timeout: 0.001).last()
                }
                let isBack = await eventually { Resources.total == before }
                precondition(isBack, "\(Resources.census())")
            }
        }
    #endif
}

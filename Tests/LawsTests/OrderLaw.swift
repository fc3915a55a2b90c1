// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

extension Laws {
    /// Law L11: synchronous sources take turns on the thread's trampoline, element by element, as in RxSwift.
    ///
    /// The expectations follow from three facts about RxSwift: each element and the completion of `of`, `from`, `range`, `generate` and
    /// `repeatElement` is a step of its own, which goes to the back of the queue; `just`, `empty` and `error` emit inside
    /// `subscribe`; an inner source's first step is queued before the outer source's next one.
    @Suite struct OrderLaw {
        struct Order: Sendable, CustomTestStringConvertible {
            let name: String
            let expected: String
            let build: @Sendable () -> Observable<Int>

            init(_ name: String, _ expected: String, _ build: @escaping @Sendable () -> Observable<Int>) {
                self.name = name
                self.expected = expected
                self.build = build
            }

            var testDescription: String { name }
        }

        @Test("Synchronous sources take turns", arguments: combined + nested + triggered)
        func synchronousSourcesTakeTurns(_ order: Order) {
            var events: [String] = []
            _ = order.build().subscribe { event in
                switch event {
                case .next(let element): events.append("\(element)")
                case .error: events.append("error")
                case .completed: events.append("completed")
                }
            }
            #expect(events.joined(separator: " ") == order.expected)
        }

        static func tens(_ number: Int) -> Observable<Int> { .of(number * 10, number * 10 + 1) }

        static let combined: [Order] = [
            Order("merge of two", "1 4 2 5 3 6 completed") { .merge(.of(1, 2, 3), .of(4, 5, 6)) },
            Order("merge of two lengths", "1 3 2 4 5 6 completed") { .merge(.of(1, 2), .of(3, 4, 5, 6)) },
            Order("merge of three", "1 3 5 2 4 6 completed") { .merge(.of(1, 2), .of(3, 4), .of(5, 6)) },
            Order("merge with just", "1 4 2 3 completed") { .merge(.just(1), .of(2, 3), .just(4)) },
            Order("merge with range", "0 5 1 6 2 7 completed") {
                .merge(.range(start: 0, count: 3), .from([5, 6, 7]))
            },
            Order("merge with generate", "0 10 1 11 2 12 completed") {
                .merge(
                    .generate(initialState: 0, condition: { $0 < 3 }, iterate: { $0 + 1 }),
                    .of(10, 11, 12))
            },
            Order("merge with repeatElement", "7 1 7 2 7 3 4 completed") {
                .merge(Observable.repeatElement(7).take(3), .of(1, 2, 3, 4))
            },
            Order("merge with startWith", "0 1 3 2 4 completed") {
                .merge(Observable.of(1, 2).startWith(0), .of(3, 4))
            },
            Order("merge with deferred", "1 3 2 4 completed") { .merge(.deferred { .of(1, 2) }, .of(3, 4)) },
            Order("merge with ifEmpty", "1 3 2 4 completed") {
                .merge(Observable.empty().ifEmpty(switchTo: .of(1, 2)), .of(3, 4))
            },
            Order("merge with takeLast", "7 8 2 3 completed") {
                .merge(Observable.of(1, 2, 3).takeLast(2), .of(7, 8))
            },
            Order("merge with an error", "1 4 2 error") {
                .merge(.of(1, 2, 3), Observable.of(4).concat(Observable.error(LawError.source)))
            },
            Order("merge of merges", "1 3 5 7 2 4 6 8 completed") {
                .merge(.merge(.of(1, 2), .of(3, 4)), .merge(.of(5, 6), .of(7, 8)))
            },
            Order("concat", "1 2 3 4 completed") { .concat(.of(1, 2), .of(3, 4)) },
            Order("concat of just", "1 2 completed") { .concat(.just(1), .just(2)) },
            Order("merge of concats", "1 5 2 6 3 7 4 8 completed") {
                .merge(.concat(.of(1, 2), .of(3, 4)), .concat(.of(5, 6), .of(7, 8)))
            },
            Order("zip", "11 22 33 completed") { .zip(Observable.of(1, 2, 3), Observable.of(10, 20, 30)) { $0 + $1 } },
            Order("zip, the second is short", "2 completed") {
                .zip(Observable.of(1, 2, 3, 4), Observable.of(1)) { $0 + $1 }
            },
            Order("combineLatest of two", "11 12 22 23 33 completed") {
                .combineLatest(Observable.of(1, 2, 3), Observable.of(10, 20, 30)) { $0 + $1 }
            },
            Order("combineLatest of three", "111 112 122 222 completed") {
                .combineLatest(Observable.of(1, 2), Observable.of(10, 20), Observable.of(100, 200)) { $0 + $1 + $2 }
            },
            Order("combineLatest, just first", "11 21 completed") {
                .combineLatest(Observable.just(1), Observable.of(10, 20)) { $0 + $1 }
            },
            Order("combineLatest, just second", "11 12 completed") {
                .combineLatest(Observable.of(1, 2), Observable.just(10)) { $0 + $1 }
            },
            Order("startWith", "0 1 2 3 completed") { Observable.of(2, 3).startWith(0, 1) },
            Order("share, observed twice", "1 1 2 2 3 3 completed") {
                let shared = Observable.of(1, 2, 3).share()
                return .merge(shared, shared)
            },
        ]

        static let nested: [Order] = [
            Order("flatMap to two", "10 11 20 21 30 31 completed") { Observable.of(1, 2, 3).flatMap { tens($0) } },
            Order("flatMap to three", "10 11 20 12 21 22 completed") {
                Observable.of(1, 2).flatMap { Observable.of($0 * 10, $0 * 10 + 1, $0 * 10 + 2) }
            },
            Order("flatMap to just", "1 2 3 completed") { Observable.of(1, 2, 3).flatMap { Observable.just($0) } },
            Order("merge of flatMap to just", "1 7 2 8 3 9 completed") {
                .merge(Observable.of(1, 2, 3).flatMap { Observable.just($0) }, .of(7, 8, 9))
            },
            Order("merge()", "1 2 3 4 completed") { Observable.of(Observable.of(1, 2), .of(3, 4)).merge() },
            Order("concatMap", "10 11 12 20 21 22 completed") {
                Observable.of(1, 2).concatMap { Observable.of($0 * 10, $0 * 10 + 1, $0 * 10 + 2) }
            },
            Order("merge with concatMap", "5 10 6 11 7 20 21 completed") {
                .merge(Observable.of(1, 2).concatMap { tens($0) }, .of(5, 6, 7))
            },
            Order("flatMapLatest", "10 20 30 31 completed") { Observable.of(1, 2, 3).flatMapLatest { tens($0) } },
            Order("flatMapFirst", "10 11 completed") { Observable.of(1, 2, 3).flatMapFirst { tens($0) } },
            Order("switchLatest", "1 3 4 completed") { Observable.of(Observable.of(1, 2), .of(3, 4)).switchLatest() },
            Order("merge(maxConcurrent: 1)", "1 2 3 4 completed") {
                Observable.of(Observable.of(1, 2), .of(3, 4)).merge(maxConcurrent: 1)
            },
            Order("merge(maxConcurrent: 2)", "1 2 3 4 5 6 completed") {
                Observable.of(Observable.of(1, 2), .of(3, 4), .of(5, 6)).merge(maxConcurrent: 2)
            },
            Order("groupBy", "1 3 5 2 4 completed") {
                Observable.of(1, 2, 3, 4, 5).groupBy { $0 % 2 }.flatMap { $0.toArray() }
                    .concatMap { Observable.from($0) }
            },
            Order("catch", "1 2 3 4 completed") {
                Observable.of(1, 2).concat(Observable.error(LawError.source)).catch { _ in .of(3, 4) }
            },
            Order("merge with catch", "1 7 8 3 9 4 completed") {
                .merge(
                    Observable.of(1).concat(Observable.error(LawError.source)).catch { _ in .of(3, 4) },
                    .of(7, 8, 9))
            },
            Order("retry", "1 1 error") {
                Observable.of(1).concat(Observable.error(LawError.source)).retry(2)
            },
        ]

        static let triggered: [Order] = [
            Order("withLatestFrom", "11 22 33 completed") {
                Observable.of(1, 2, 3).withLatestFrom(Observable.of(10, 20, 30)) { $0 + $1 }
            },
            Order("amb", "1 2 completed") { Observable.of(1, 2).amb(Observable.of(3, 4)) },
            Order("amb with just", "3 completed") { Observable.of(1, 2).amb(Observable.just(3)) },
            Order("take(until:)", "completed") { Observable.of(1, 2, 3).take(until: Observable.of(0)) },
            Order("take(until:) just", "completed") { Observable.of(1, 2, 3).take(until: Observable.just(0)) },
            Order("skip(until:)", "2 3 completed") { Observable.of(1, 2, 3).skip(until: Observable.of(0)) },
            Order("skip(until:) just", "1 2 3 completed") { Observable.of(1, 2, 3).skip(until: Observable.just(0)) },
            Order("sample", "1 2 3") { Observable.of(1, 2, 3).sample(Observable.of(0, 0)) },
        ]

        @Test("Subscriptions inside an observer take turns") func subscriptionsInsideAnObserverTakeTurns() {
            var numbers: [Int] = []
            _ = Observable.of(1, 2).subscribe(onNext: { number in
                numbers.append(number)
                _ = Self.tens(number).subscribe(onNext: { numbers.append($0) })
            })
            #expect(numbers == [1, 10, 2, 11, 20, 21])
        }

        @Test("Scheduled actions take turns with sources") func actionsTakeTurnsWithSources() {
            var lines: [String] = []
            _ = Observable.of(1, 2).subscribe(onNext: { number in
                lines.append("\(number)")
                _ = CurrentThreadScheduler.instance.schedule(()) { _ in
                    lines.append("job \(number)")
                    return Disposables.create()
                }
            })
            #expect(lines == ["1", "job 1", "2", "job 2"])
        }

        @Test("zip lets its sources run on") func zipLetsItsSourcesRunOn() {
            var lines: [String] = []
            _ = Observable.zip(Observable.of(1, 2, 3, 4).do(onNext: { lines.append("from \($0)") }), Observable.of(10))
            {
                $0 + $1
            }.subscribe(onNext: { lines.append("\($0)") }, onCompleted: { lines.append("completed") })
            #expect(lines == ["from 1", "11", "from 2", "from 3", "from 4", "completed"])
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import RxCocoa
import RxRelay
import RxSwift
import RxTest
import Testing
import TypeAhead

/// Answers after 100 milliseconds; the first requests fail. Notes what it is asked.
private struct StubSearch: SearchService {
    let scheduler: TestScheduler
    let failures: Int
    let requests = BehaviorRelay<[String]>(value: [])

    func find(_ query: String) -> Single<SearchResults> {
        Single.deferred {
            requests.accept(requests.value + [query])
            let fails = requests.value.count <= failures
            let latency = RxTimeInterval.milliseconds(query == "slow" ? 1_000 : 100)
            return Single<Int>.timer(latency, scheduler: scheduler).map { _ in
                if fails { throw RxError.timeout }
                return SearchResults(query: query, lines: [query + "!"], total: 1)
            }
        }
    }
}

/// All diagrams have a tick for 100 milliseconds. A query is sent after 2 of them without a change, and the answer takes 1.
struct SearchModelTests {
    private let scheduler = TestScheduler(initialClock: 0, resolution: 0.1, simulateProcessingDelay: false)

    private func run<Element>(
        _ typed: String, failures: Int = 0, until end: Int = 1_000, _ output: (SearchModel) -> Driver<Element>
    ) throws -> (events: [Recorded<Event<Element>>], requests: [String]) {
        let service = StubSearch(scheduler: scheduler, failures: failures)
        let observer = scheduler.createObserver(Element.self)
        let bag = DisposeBag()
        try MainScheduler.replaced(by: scheduler) {
            let query = try scheduler.createHotObservable(
                marbles: typed, values: ["a": "a", "A": " a ", "b": "b", "c": "slow", "0": " "], start: 0)
            let model = SearchModel(query: query.asDriver(onErrorJustReturn: ""), service: service)
            output(model).drive(observer).disposed(by: bag)
            scheduler.advanceTo(end)
        }
        return (observer.events, service.requests.value)
    }

    /// i: idle, s: searching, f: found, and a digit for the seconds until the next attempt.
    private func mark(_ phase: SearchModel.Phase) -> Character? {
        switch phase {
        case .idle: "i"
        case .searching: "s"
        case .found: "f"
        case .offline(let seconds): "\(seconds)".first
        }
    }

    @Test(
        "A query is sent once it has not changed for 200 milliseconds",
        arguments: [
            ("-a", "i--sf", ["a"]),
            ("-ab", "i---sf", ["b"]),
            ("-aba", "i----sf", ["a"]),
            // The same query again, but for spaces.
            ("-a-----A", "i--sf", ["a"]),
            ("-ab0", "i", []),
            // The answer for the slow query comes too late.
            ("-c----a", "i--s-----f", ["slow", "a"]),
            ("-a----b", "i--sf---sf", ["a", "b"]),
            ("-a----0", "i--sf---i", ["a"]),
        ])
    func debounce(typed: String, phases: String, requests: [String]) throws {
        let result = try run(typed) { $0.phase }
        #expect(try result.events.marbles(character: mark) == phases)
        #expect(result.requests == requests)
    }

    @Test(
        "Results stay until there are others, and go with the query",
        arguments: [("-a----b----0", "0---a----b---0"), ("-c----a", "0--------a")])
    func results(typed: String, expected: String) throws {
        let result = try run(typed) { $0.results.map(\.lines) }
        #expect(try result.events.marbles(values: ["0": [], "a": ["a!"], "b": ["b!"]]) == expected)
    }

    @Test("While the service cannot be reached, attempts are made after 1, 2, 4, 8 and again 8 seconds")
    func backOff() throws {
        let result = try run("a", failures: 6) { $0.phase }
        let phases = [
            "i-s1---------s", "2---------1---------s", "4---------3---------2---------1---------s",
        ]
        #expect(try result.events.prefix(12).marbles(character: mark) == phases.joined())
        #expect(result.requests == Array(repeating: "a", count: 7))
        let attempts = result.events.filter { $0.value.element == .searching }.map(\.time)
        #expect(attempts == [2, 13, 34, 75, 156, 237, 318])
        #expect(result.events.last == .next(319, .found))
    }

    @Test("A new query ends the attempts for the one before, and is sent at once")
    func newQuery() throws {
        let result = try run("a-------b", failures: 1) { $0.phase }
        #expect(try result.events.marbles(character: mark) == "i-s1------sf")
        #expect(result.requests == ["a", "b"])
    }

    @Test("An empty query ends the attempts")
    func emptyQuery() throws {
        let result = try run("a-------0", failures: 100) { $0.phase }
        #expect(try result.events.marbles(character: mark) == "i-s1------i")
        #expect(result.requests == ["a"])
    }
}

// SPDX-License-Identifier: Apache-2.0

import RxCocoa
import RxSwift
import RxTest
import Testing

extension Documentation {
    /// A search during typing, in virtual time with ticks of a millisecond.
    @Suite struct SearchTests {
        private let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        private let console = Console()

        /// Answers after the number of milliseconds that is given for a term; fails for "bad".
        private func search(_ term: String, _ delays: [String: Int]) -> Observable<[String]> {
            Observable.deferred { [console, scheduler] in
                console.print("\(scheduler.clock): GET \(term)")
                let time = delays[term] ?? 50
                return term == "bad"
                    ? scheduler.createColdObservable([.error(time, ExampleError.test)]).asObservable()
                    : scheduler.createColdObservable([.next(time, ["\(term)!"]), .completed(time)]).asObservable()
            }
        }

        private func typed(_ texts: [(Int, String)]) -> Observable<String> {
            scheduler.createHotObservable(texts.map { .next($0.0, $0.1) }).asObservable()
        }

        private func results(
            _ texts: [(Int, String)], delays: [String: Int] = [:], catching: Bool = true
        ) -> Observable<[String]> {
            typed(texts)
                .throttle(.milliseconds(300), scheduler: scheduler)
                .distinctUntilChanged()
                .flatMapLatest { [self] term -> Observable<[String]> in
                    if term.isEmpty { return .just([]) }
                    return catching ? search(term, delays).catchAndReturn([]) : search(term, delays)
                }
        }

        private func show(_ results: Observable<[String]>, _ name: String = "") {
            _ = results.subscribe(
                onNext: { [console, scheduler] in console.print("\(scheduler.clock): \(name)\($0)") },
                onError: { [console, scheduler] in console.print("\(scheduler.clock): \(name)failed: \($0)") })
        }

        @Test("Quick typing searches for the first and the last text") func quickTyping() {
            show(results([(100, "r"), (150, "rx"), (200, "rxs"), (250, "rxsw")]))
            scheduler.start()
            #expect(
                console.lines == [
                    "100: GET r", #"150: ["r!"]"#, "400: GET rxsw", #"450: ["rxsw!"]"#,
                ])
        }

        @Test("The same term is not searched for twice in a row") func sameTerm() {
            show(results([(100, "rx"), (500, "rxs"), (550, "rx"), (1_000, "rx"), (1_500, "")]))
            scheduler.start()
            #expect(
                console.lines == [
                    "100: GET rx", #"150: ["rx!"]"#, "500: GET rxs", #"550: ["rxs!"]"#,
                    "800: GET rx", #"850: ["rx!"]"#, "1500: []",
                ])
        }

        @Test("A late answer to an older search is dropped") func lateAnswer() {
            show(results([(100, "r"), (500, "rx")], delays: ["r": 1_000]))
            scheduler.start()
            #expect(console.lines == ["100: GET r", "500: GET rx", #"550: ["rx!"]"#])
        }

        @Test("A caught error gives no results, and the search continues") func caughtError() {
            show(results([(100, "bad"), (500, "good")]))
            scheduler.start()
            #expect(console.lines == ["100: GET bad", "150: []", "500: GET good", #"550: ["good!"]"#])
        }

        @Test("An error that is not caught ends the search") func uncaughtError() {
            show(results([(100, "bad"), (500, "good")], catching: false))
            scheduler.start()
            #expect(console.lines == ["100: GET bad", "150: failed: test"])
        }

        /// An error that is caught behind `flatMapLatest` ends the search too, without an error event.
        @Test("A catch in the wrong place ends the search") func misplacedCatch() {
            show(results([(100, "bad"), (500, "good")], catching: false).catchAndReturn([]))
            scheduler.start()
            #expect(console.lines == ["100: GET bad", "150: []"])
        }

        @Test("Two views send two requests unless the results are shared") func twoViews() {
            let texts = [(100, "rx")]
            let apart = results(texts)
            show(apart, "count ")
            show(apart, "table ")
            scheduler.start()
            #expect(
                console.lines == ["100: GET rx", "100: GET rx", #"150: count ["rx!"]"#, #"150: table ["rx!"]"#])
        }

        @Test("Shared results are requested once and replayed") func sharedResults() {
            let shared = results([(100, "rx")]).share(replay: 1)
            show(shared, "count ")
            show(shared, "table ")
            scheduler.scheduleAt(1_000) { show(shared, "later ") }
            scheduler.start()
            #expect(
                console.lines == [
                    "100: GET rx", #"150: count ["rx!"]"#, #"150: table ["rx!"]"#, #"1000: later ["rx!"]"#,
                ])
        }

        @Test("A driver throttles, searches, recovers and shares") func driver() {
            SharingScheduler.mock(scheduler: scheduler) {
                let results: Driver<[String]> = typed([(100, "r"), (150, "rx"), (600, "bad"), (1_000, "good")])
                    .asDriver(onErrorJustReturn: "")
                    .throttle(.milliseconds(300))
                    .distinctUntilChanged()
                    .flatMapLatest { [self] term in search(term, [:]).asDriver(onErrorJustReturn: []) }
                _ = results.map { "\($0.count)" }
                    .drive(onNext: { [console, scheduler] in console.print("\(scheduler.clock): count \($0)") })
                _ =
                    results
                    .drive(onNext: { [console, scheduler] in console.print("\(scheduler.clock): table \($0)") })
                scheduler.start()
            }
            #expect(
                console.lines == [
                    "100: GET r", "150: count 1", #"150: table ["r!"]"#,
                    "400: GET rx", "450: count 1", #"450: table ["rx!"]"#,
                    // "rx" went out at 400, so that at 600 its 300 milliseconds are not over.
                    "700: GET bad", "750: count 0", "750: table []",
                    "1000: GET good", "1050: count 1", #"1050: table ["good!"]"#,
                ])
        }

        @Test("debounce waits until typing pauses") func debounce() {
            let texts = typed([(100, "r"), (150, "rx"), (200, "rxs"), (700, "rxsw")])
            show(
                texts
                    .debounce(.milliseconds(300), scheduler: scheduler)
                    .flatMapLatest { [self] term in search(term, [:]) })
            scheduler.start()
            #expect(
                console.lines == ["500: GET rxs", #"550: ["rxs!"]"#, "1000: GET rxsw", #"1050: ["rxsw!"]"#])
        }
    }
}

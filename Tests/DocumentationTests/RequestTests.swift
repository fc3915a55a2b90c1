// SPDX-License-Identifier: Apache-2.0

import RxRelay
import RxSwift
import RxTest
import Testing

extension Documentation {
    /// Chains of requests, in virtual time with ticks of a second.
    @Suite struct RequestTests {
        private let scheduler = TestScheduler(initialClock: 0, simulateProcessingDelay: false)
        private let console = Console()

        /// A request that is answered after some seconds.
        private func get<Answer>(_ name: String, after seconds: Int = 10, _ answer: Answer) -> Single<Answer> {
            Single.deferred { [console, scheduler] in
                console.print("\(scheduler.clock): GET \(name)")
                return Single.just(answer).delay(.seconds(seconds), scheduler: scheduler)
            }
        }

        private func note<Source: ObservableConvertibleType>(_ source: Source) -> any Disposable {
            source.asObservable().subscribe { [console, scheduler] in console.print("\(scheduler.clock): \($0)") }
        }

        private func lines(_ source: some ObservableConvertibleType) -> [String] {
            let subscription = note(source)
            scheduler.start()
            subscription.dispose()
            return console.lines
        }

        // MARK: - One request after another

        @Test("The answer to one request is the path of the next") func requestChain() {
            let data = get("token", "abc").flatMap { [self] token in get("data?token=\(token)", [1, 2]) }
            #expect(
                lines(data) == ["0: GET token", "10: GET data?token=abc", "20: next([1, 2])", "20: completed"])
        }

        @Test("flatMap sends all requests at once") func flatMapAtOnce() {
            let ids = Observable.of((1, 30), (2, 10))
            let atOnce = ids.flatMap { [self] id, time in get("\(id)", after: time, "answer \(id)") }
            #expect(
                lines(atOnce) == [
                    "0: GET 1", "0: GET 2", "10: next(answer 2)", "30: next(answer 1)", "30: completed",
                ])
        }

        @Test("concatMap sends one request after another") func concatMapInTurn() {
            let ids = Observable.of((1, 30), (2, 10))
            let inTurn = ids.concatMap { [self] id, time in get("\(id)", after: time, "answer \(id)") }
            #expect(
                lines(inTurn) == [
                    "0: GET 1", "30: next(answer 1)", "30: GET 2", "40: next(answer 2)", "40: completed",
                ])
        }

        /// A prime number service: a question that comes before the answer waits for its turn.
        @Test("map and concat queue the questions") func queuedQuestions() {
            let texts = scheduler.createHotObservable([.next(5, "43"), .next(7, "44"), .completed(8)])
            let answers =
                texts
                .map { [self] in get("isPrime \($0)", ($0, $0 == "43")) }
                .concat()
                .map { "number \($0.0) is prime? \($0.1)" }
            #expect(
                lines(answers) == [
                    "5: GET isPrime 43", "15: next(number 43 is prime? true)", "15: GET isPrime 44",
                    "25: next(number 44 is prime? false)", "25: completed",
                ])
        }

        // MARK: - Saving and loading

        @Test("andThen loads after saving") func saveThenLoad() {
            let save = get("save", ()).asCompletable()
            #expect(
                lines(save.andThen(get("load", "saved"))) == [
                    "0: GET save", "10: GET load", "20: next(saved)", "20: completed",
                ])
        }

        @Test("No request loads after a failed save") func failedSave() {
            let save = Completable.error(ExampleError.test)
            #expect(lines(save.andThen(get("load", "saved"))) == ["0: error(test)"])
        }

        @Test("zip sends two requests at the same time") func twoRequests() {
            let page = Single.zip(get("teacher", after: 10, "Ann"), get("comments", after: 20, ["good"])) {
                teacher, comments in "\(teacher): \(comments)"
            }
            #expect(
                lines(page) == [
                    "0: GET teacher", "0: GET comments", #"20: next(Ann: ["good"])"#, "20: completed",
                ])
        }

        @Test("zip fails if one of two requests fails") func oneFailure() {
            let failing = Single<String>.error(ExampleError.test).delaySubscription(.seconds(5), scheduler: scheduler)
            #expect(lines(Single.zip(get("teacher", "Ann"), failing)) == ["0: GET teacher", "5: error(test)"])
        }

        // MARK: - Cache

        @Test("The network is asked only if the cache is empty", arguments: [nil, "cached"])
        func emptyCache(cached: String?) {
            let cache = cached.map(Maybe.just) ?? Maybe<String>.empty()
            let expected =
                cached == nil
                ? ["0: GET network", "10: next(fresh)", "10: completed"] : ["0: next(cached)", "0: completed"]
            #expect(lines(cache.ifEmpty(switchTo: get("network", "fresh"))) == expected)
        }

        @Test("The cache is shown until the network answers") func cacheThenNetwork() {
            let cache = Maybe.just("cached")
            #expect(
                lines(Observable.concat(cache.asObservable(), get("network", "fresh").asObservable())) == [
                    "0: next(cached)", "0: GET network", "10: next(fresh)", "10: completed",
                ])
        }

        // MARK: - Polling and pages

        @Test("Polling drops an answer that is older than the next question") func stalePoll() {
            let delays = [10, 70, 20]
            let status = Observable<Int>.interval(.seconds(60), scheduler: scheduler)
                .take(3)
                .flatMapLatest { [self] index in get("status", after: delays[index], "status \(index)") }
            #expect(
                lines(status) == [
                    "60: GET status", "70: next(status 0)", "120: GET status", "180: GET status",
                    "200: next(status 2)", "200: completed",
                ])
        }

        @Test("Polling ends with the final state") func pollUntilDone() {
            let states = ["queued", "running", "done", "never asked for"]
            let job = Observable<Int>.timer(.seconds(0), period: .seconds(60), scheduler: scheduler)
                .concatMap { [self] index in get("job", states[index]) }
                .take(until: { $0 == "done" }, behavior: .inclusive)
            #expect(
                lines(job) == [
                    "0: GET job", "10: next(queued)", "60: GET job", "70: next(running)", "120: GET job",
                    "130: next(done)", "130: completed",
                ])
        }

        @Test("Each trigger loads a page until there are no more") func pagePerTrigger() {
            let pages = [["a", "b"], ["c"], []]
            let loadMore = scheduler.createHotObservable([
                .next(0, ()), .next(5, ()), .next(40, ()), .next(60, ()),
            ])
            let items =
                loadMore
                .enumerated()
                .concatMap { [self] index, _ in get("page \(index)", index < pages.count ? pages[index] : []) }
                .take(while: { !$0.isEmpty })
                .scan([], accumulator: +)
            #expect(
                lines(items) == [
                    "0: GET page 0", #"10: next(["a", "b"])"#, "10: GET page 1", #"20: next(["a", "b", "c"])"#,
                    "40: GET page 2", "50: completed",
                ])
        }

        /// Each page names the next one. A `loadMore` during the loading of a page is dropped.
        @Test("Each page names the next page") func namedNextPage() {
            let next = BehaviorRelay<Int?>(value: 0)
            let loadMore = scheduler.createHotObservable([
                .next(1, ()), .next(5, ()), .next(20, ()), .next(40, ()), .next(60, ()),
            ])
            let items =
                loadMore
                .withLatestFrom(next)
                .compactMap { $0 }
                .flatMapFirst { [self] page in
                    get("page \(page)", (items: "items of \(page)", next: page < 2 ? page + 1 : nil))
                }
                .do(onNext: { next.accept($0.next) })
                .map(\.items)
            #expect(
                lines(items) == [
                    "1: GET page 0", "11: next(items of 0)", "20: GET page 1", "30: next(items of 1)",
                    "40: GET page 2", "50: next(items of 2)",
                ])
        }

        @Test("A subscription that ends cancels its request") func cancelledRequest() {
            let subscription = note(get("slow", after: 100, "late"))
            scheduler.scheduleAt(50) { subscription.dispose() }
            scheduler.start()
            #expect(console.lines == ["0: GET slow"])
        }
    }
}

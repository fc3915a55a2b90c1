// SPDX-License-Identifier: Apache-2.0

import RxSwift
import RxTest
import Testing

extension Documentation {
    /// Retries with delays, in virtual time. A tick is a second, and a request fails two seconds after it was made.
    @Suite struct RetryTests {
        private let scheduler = TestScheduler(initialClock: 0)

        private func failing() -> TestableObservable<String> {
            scheduler.createColdObservable([.error(2, ExampleError.test)])
        }

        /// Returns the times of the subscriptions to a source.
        private func starts(_ source: TestableObservable<String>) -> [Int] { source.subscriptions.map(\.subscribe) }

        @Test("A delay follows each failure") func fixedDelay() {
            let json = failing()
            let observer = scheduler.start { [scheduler] in
                json.retry { (errors: Observable<any Error>) -> Observable<Int> in
                    errors.flatMap { _ in Observable<Int>.timer(.seconds(5), scheduler: scheduler) }
                }
                .take(for: .seconds(20), scheduler: scheduler)
            }
            #expect(starts(json) == [200, 207, 214])
            #expect(observer.events == [.completed(220)])
        }

        @Test("The last error passes after the maximum of attempts") func maximum() {
            let maxRetryCount = 4
            let json = failing()
            let observer = scheduler.start { [scheduler] in
                json.retry { (errors: Observable<any Error>) -> Observable<Int> in
                    errors.enumerated().flatMap { (index, error) -> Observable<Int> in
                        guard index < maxRetryCount else { return Observable.error(error) }
                        return Observable<Int>.timer(.seconds(5), scheduler: scheduler)
                    }
                }
            }
            #expect(starts(json) == [200, 207, 214, 221, 228])
            #expect(observer.events == [.error(230, ExampleError.test)])
        }

        @Test("The delays grow with each attempt") func growingDelays() {
            let json = failing()
            let observer = scheduler.start { [scheduler] in
                json.retry { (errors: Observable<any Error>) -> Observable<Int> in
                    errors.enumerated().flatMap { (attempt, error) -> Observable<Int> in
                        guard attempt < 3 else { return Observable.error(error) }
                        return Observable<Int>.timer(.seconds(10 << attempt), scheduler: scheduler)
                    }
                }
            }
            #expect(starts(json) == [200, 212, 234, 276])
            #expect(observer.events == [.error(278, ExampleError.test)])
        }

        @Test("A success ends the retries") func success() {
            var count = 0
            let times = AttemptTimes()
            let observer = scheduler.start { [scheduler] in
                Observable<String>.deferred {
                    count += 1
                    times.add(scheduler.clock)
                    return count < 3 ? .error(ExampleError.test) : .just("json")
                }
                .retry { (errors: Observable<any Error>) -> Observable<Int> in
                    errors.flatMap { _ in Observable<Int>.timer(.seconds(5), scheduler: scheduler) }
                }
            }
            #expect(times.all == [200, 205, 210])
            #expect(observer.events == [.next(210, "json"), .completed(210)])
        }

        @Test("The next failure after the end of the triggers completes the sequence") func endedTriggers() {
            let json = failing()
            let observer = scheduler.start {
                json.retry { (errors: Observable<any Error>) -> Observable<Int> in errors.map { _ in 0 }.take(2) }
            }
            #expect(starts(json) == [200, 202, 204])
            #expect(observer.events == [.completed(206)])
        }

        @Test("Only transient errors are retried") func transientErrors() {
            enum RequestError: Error, Equatable { case offline, forbidden }
            let errors: [RequestError] = [.offline, .offline, .forbidden]
            var count = 0
            let observer = scheduler.start { [scheduler] in
                Single<String>.create { single in
                    single(.failure(errors[count]))
                    count += 1
                    return Disposables.create()
                }
                .retry { (failures: Observable<any Error>) -> Observable<Int> in
                    failures.flatMap { error -> Observable<Int> in
                        guard case RequestError.offline = error else { return .error(error) }
                        return .timer(.seconds(1), scheduler: scheduler)
                    }
                }
            }
            #expect(count == 3)
            #expect(observer.events == [.error(202, RequestError.forbidden)])
        }

        @Test("A timeout leads to another attempt") func timeout() {
            let never = scheduler.createColdObservable([Recorded<Event<String>>]())
            let observer = scheduler.start { [scheduler] in
                never.timeout(.seconds(10), scheduler: scheduler).retry(3).catchAndReturn("gave up")
            }
            #expect(never.subscriptions == [Subscription(200, 210), Subscription(210, 220), Subscription(220, 230)])
            #expect(observer.events == [.next(230, "gave up"), .completed(230)])
        }
    }
}

/// A list of the times of attempts.
private final class AttemptTimes {
    private(set) var all: [Int] = []

    func add(_ time: Int) { all.append(time) }
}

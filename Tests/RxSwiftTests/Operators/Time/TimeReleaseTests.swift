// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import RxSwift
import RxTest
import TestSupport
import Testing

/// A subscription that ends releases everything that it held, timers included (law L6).
@Suite struct TimeReleaseTests {
    struct Operator: CustomTestStringConvertible, Sendable {
        typealias Build = @Sendable (Observable<Int>, RxTimeInterval, any SchedulerType) -> Observable<Int>

        let testDescription: String
        let build: Build

        init(_ name: String, build: @escaping Build) { (testDescription, self.build) = (name, build) }
    }

    private static let operators: [Operator] = [
        Operator("debounce") { $0.debounce($1, scheduler: $2) },
        Operator("throttle") { $0.throttle($1, scheduler: $2) },
        Operator("throttle first") { $0.throttle($1, latest: false, scheduler: $2) },
        Operator("delay") { $0.delay($1, scheduler: $2) },
        Operator("delaySubscription") { $0.delaySubscription($1, scheduler: $2) },
        Operator("timeout") { $0.timeout($1, scheduler: $2) },
        Operator("timeout other") { $0.timeout($1, other: Observable.just(1), scheduler: $2) },
        Operator("take(for:)") { $0.take(for: $1, scheduler: $2) },
        Operator("skip") { $0.skip($1, scheduler: $2) },
        Operator("buffer") { $0.buffer(timeSpan: $1, count: 3, scheduler: $2).map { $0.count } },
        Operator("window") { $0.window(timeSpan: $1, count: 3, scheduler: $2).flatMap { $0 } },
        Operator("subscribe(on:)") { source, _, scheduler in source.subscribe(on: scheduler) },
        Operator("timer") { _, span, scheduler in Observable.timer(span, scheduler: scheduler) },
        Operator("interval") { _, span, scheduler in Observable.interval(span, scheduler: scheduler) },
    ]

    /// Tells whether a subscription to the operator has released its subscriber after `end`.
    private func releases(
        _ timed: Operator, _ span: RxTimeInterval, on scheduler: any SchedulerType,
        end: (PublishSubject<Int>, any Disposable) -> Void
    ) -> Bool {
        weak var observed: ReleaseToken?
        do {
            let subject = PublishSubject<Int>()
            let subscription: any Disposable
            do {
                let token = ReleaseToken()
                observed = token
                subscription = timed.build(subject, span, scheduler).subscribe { _ in withExtendedLifetime(token) {} }
            }
            subject.onNext(1)
            subject.onNext(2)
            end(subject, subscription)
        }
        for _ in 0..<1_000 where observed != nil { usleep(1_000) }
        return observed == nil
    }

    @Test("Disposal releases the subscriber", arguments: operators, RealTimeScheduler.allCases)
    func disposal(timed: Operator, kind: RealTimeScheduler) {
        #expect(releases(timed, .seconds(3_600), on: kind.instance) { $1.dispose() })
    }

    @Test("An error releases the subscriber", arguments: operators, RealTimeScheduler.allCases)
    func error(timed: Operator, kind: RealTimeScheduler) {
        let hasReleased = releases(timed, .seconds(3_600), on: kind.instance) { subject, subscription in
            subject.onError(Failure.expected)
            // Timers have no source to end with them, and `delaySubscription` has none yet.
            DispatchQueue.global().asyncAfter(deadline: .now() + 0.2) { subscription.dispose() }
        }
        #expect(hasReleased)
    }

    @Test("Disposal in virtual time releases the subscriber", arguments: operators)
    func virtualTime(timed: Operator) {
        let scheduler = ticks()
        let hasReleased = releases(timed, .seconds(10), on: scheduler) { _, subscription in
            scheduler.advanceTo(scheduler.clock + 100)
            subscription.dispose()
            scheduler.advanceTo(scheduler.clock + 100)
        }
        #expect(hasReleased)
    }

    @Test("A timer that was disposed of does not keep its scheduler") func scheduler() {
        weak var scheduler: SerialDispatchQueueScheduler?
        do {
            let made = SerialDispatchQueueScheduler(internalSerialQueueName: "short-lived")
            scheduler = made
            let subscription = Observable<Int>.timer(.seconds(3_600), scheduler: made).subscribe()
            subscription.dispose()
        }
        for _ in 0..<1_000 where scheduler != nil { usleep(1_000) }
        #expect(scheduler == nil)
    }

    @Test("A waiting timer keeps its scheduler") func waitingTimer() {
        let fired = DispatchSemaphore(value: 0)
        _ = Observable<Int>.timer(
            .milliseconds(20), scheduler: SerialDispatchQueueScheduler(internalSerialQueueName: "of the timer")
        )
        .subscribe(onCompleted: { fired.signal() })
        #expect(fired.wait(timeout: .now() + 10) == .success)
    }
}

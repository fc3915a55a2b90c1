import Dispatch
import Foundation
import RxSwift
import RxTest
import TestSupport
import Testing

/// What a subscription held is released when it ends, timers included (law L6).
@Suite struct TimeReleaseTests {
    private typealias Build = (Observable<Int>, RxTimeInterval, any SchedulerType) -> Observable<Int>

    private static let operators: [(name: String, build: Build)] = [
        ("debounce", { $0.debounce($1, scheduler: $2) }),
        ("throttle", { $0.throttle($1, scheduler: $2) }),
        ("throttle first", { $0.throttle($1, latest: false, scheduler: $2) }),
        ("delay", { $0.delay($1, scheduler: $2) }),
        ("delaySubscription", { $0.delaySubscription($1, scheduler: $2) }),
        ("timeout", { $0.timeout($1, scheduler: $2) }),
        ("timeout other", { $0.timeout($1, other: Observable.just(1), scheduler: $2) }),
        ("take(for:)", { $0.take(for: $1, scheduler: $2) }),
        ("skip", { $0.skip($1, scheduler: $2) }),
        ("buffer", { $0.buffer(timeSpan: $1, count: 3, scheduler: $2).map { $0.count } }),
        ("window", { $0.window(timeSpan: $1, count: 3, scheduler: $2).flatMap { $0 } }),
        ("subscribe(on:)", { source, _, scheduler in source.subscribe(on: scheduler) }),
        ("timer", { _, span, scheduler in Observable.timer(span, scheduler: scheduler) }),
        ("interval", { _, span, scheduler in Observable.interval(span, scheduler: scheduler) }),
    ]

    /// The name of each operator that still holds its subscriber after `end`.
    private func leaks(
        _ span: RxTimeInterval, on scheduler: any SchedulerType, end: (PublishSubject<Int>, any Disposable) -> Void
    ) -> [String] {
        Self.operators.compactMap { name, build in
            weak var observed: ReleaseToken?
            do {
                let subject = PublishSubject<Int>()
                let subscription: any Disposable
                do {
                    let token = ReleaseToken()
                    observed = token
                    subscription = build(subject, span, scheduler)
                        .subscribe { _ in withExtendedLifetime(token) {} }
                }
                subject.onNext(1)
                subject.onNext(2)
                end(subject, subscription)
            }
            for _ in 0..<1_000 where observed != nil { usleep(1_000) }
            return observed == nil ? nil : name
        }
    }

    @Test(arguments: RealTimeTests.schedulers.indices) func disposeReleases(index: Int) {
        #expect(leaks(.seconds(3_600), on: RealTimeTests.schedulers[index]) { $1.dispose() } == [])
    }

    @Test(arguments: RealTimeTests.schedulers.indices) func errorReleases(index: Int) {
        let leaking = leaks(.seconds(3_600), on: RealTimeTests.schedulers[index]) { subject, subscription in
            subject.onError(Failure.expected)
            // What has no source, or no source yet, ends like this.
            DispatchQueue.global().asyncAfter(deadline: .now() + 0.2) { subscription.dispose() }
        }
        #expect(leaking == [])
    }

    @Test func virtualTimeReleases() {
        let scheduler = ticks()
        let leaking = leaks(.seconds(10), on: scheduler) { _, subscription in
            scheduler.advanceTo(scheduler.clock + 100)
            subscription.dispose()
            scheduler.advanceTo(scheduler.clock + 100)
        }
        #expect(leaking == [])
    }

    @Test func aSchedulerWithWaitingTimersGoesWhenTheyDo() {
        weak var scheduler: SerialDispatchQueueScheduler?
        do {
            let made = SerialDispatchQueueScheduler(internalSerialQueueName: "short-lived")
            scheduler = made
            let subscription = Observable<Int>.timer(.seconds(3_600), scheduler: made).subscribe()
            subscription.dispose()
        }
        for _ in 0..<1_000 where scheduler != nil { usleep(1_000) }
        #expect(scheduler == nil)
        let fired = DispatchSemaphore(value: 0)
        _ = Observable<Int>.timer(
            .milliseconds(20), scheduler: SerialDispatchQueueScheduler(internalSerialQueueName: "let go")
        )
        .subscribe(onCompleted: { fired.signal() })
        #expect(fired.wait(timeout: .now() + 10) == .success)
    }
}

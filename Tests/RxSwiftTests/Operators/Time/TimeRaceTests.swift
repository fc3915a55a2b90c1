// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import RxPrimitives
import RxSwift
import TestSupport
import Testing

/// Races a source, timers and disposal: no events overlap, and none follows a terminal event.
@Suite struct TimeRaceTests {
    /// A tick that meets an element under way goes back to the scheduler.
    @Test("The waiting element comes on the scheduler's thread") func thread() {
        let key = DispatchSpecificKey<Bool>()
        let queue = DispatchQueue(label: "timers")
        queue.setSpecific(key: key, value: true)
        let scheduler = SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "timers")
        let subject = PublishSubject<Int>()
        let (received, elsewhere) = (AtomicCounter(0), AtomicCounter(0))
        let subscription = subject.debounce(.microseconds(20), scheduler: scheduler).subscribe(onNext: { _ in
            received.increment()
            if DispatchQueue.getSpecific(key: key) != true { elsewhere.increment() }
        })
        TestSupport.race({
            for number in 0..<10_000 {
                subject.onNext(number)
                if number % 4 != 0 { continue }
                let end = MonotonicClock.now() + UInt64(number * 7_919 % 200_000)
                while MonotonicClock.now() < end {}
            }
        })
        #expect(settles { received.value > 100 })
        #expect(elsewhere.value == 0, "of \(received.value)")
        subscription.dispose()
    }

    /// The fault: the tick went back to the scheduler until the thread that sends had no budget left for it. A thread of the runtime delivered from then on, and
    /// the tick came back behind some thousand elements, seconds late.
    @Test("A thread that floods a slow observer does not delay a tick", arguments: [false, true]) func flood(
        isWindow: Bool
    ) {
        let scheduler = SerialDispatchQueueScheduler(qos: .default)
        for cost in [UInt64(100_000), 1_000_000, 1_000_000] {
            let subject = PublishSubject<UInt64>()
            let (last, turn) = (Guarded<UInt64>(0), OneShot())
            let see = { @Sendable (sent: UInt64) in
                last.value = sent
                spin(nanoseconds: cost)
            }
            let start = MonotonicClock.now()
            let subscription: any Disposable
            if isWindow {
                let windows = AtomicCounter(0)
                subscription = subject.window(timeSpan: .milliseconds(50), count: 0, scheduler: scheduler).subscribe(
                    onNext: { window in
                        windows.increment()
                        if windows.value == 2 { turn.fire() } else { _ = window.subscribe(onNext: see) }
                    })
            } else {
                subscription = subject.take(for: .milliseconds(50), scheduler: scheduler).subscribe(
                    onNext: see, onCompleted: { turn.fire() })
            }
            Thread.detachNewThread {
                while MonotonicClock.now() - start < 400_000_000 { subject.onNext(MonotonicClock.now() - start) }
            }
            #expect(turn.wait(seconds: 20))
            // With room for a busy machine.
            #expect(MonotonicClock.now() - start < 300_000_000)
            #expect(last.value < 200_000_000, "\(last.value)")
            subscription.dispose()
        }
    }

    private static let spans: [RxTimeInterval] = [.microseconds(0), .microseconds(20), .microseconds(100)]

    /// Counts events that overlap with another or follow a terminal event.
    private final class Watch: @unchecked Sendable {
        let inside = AtomicWord(0)
        let ended = AtomicWord(0)
        let faults = AtomicWord(0)
        let events = AtomicWord(0)

        func see(terminal: Bool) {
            if inside.exchange(1) != 0 || ended.loadRelaxed() != 0 { _ = faults.fetchAdd(1) }
            _ = events.fetchAdd(1)
            if terminal { ended.storeRelaxed(1) }
            _ = inside.exchange(0)
        }
    }

    private func race<Output>(
        rounds: Int = 60, scheduler: any SchedulerType, _ build: (Observable<Int>, RxTimeInterval) -> Observable<Output>
    ) {
        for round in 0..<rounds {
            let subject = PublishSubject<Int>()
            let watch = Watch()
            let subscription = build(subject, Self.spans[round % Self.spans.count]).subscribe { event in
                watch.see(terminal: event.isStopEvent)
            }
            let group = DispatchGroup()
            DispatchQueue.global().async(group: group) {
                for number in 0..<300 { subject.onNext(number) }
                switch round % 3 {
                case 0: subject.onCompleted()
                case 1: subject.onError(Failure.expected)
                default: break
                }
            }
            DispatchQueue.global().async(group: group) {
                usleep(UInt32(round * 13 % 400))
                if round % 2 == 0 { subscription.dispose() }
            }
            group.wait()
            subscription.dispose()
            #expect(watch.faults.loadRelaxed() == 0)
            // `subscribe(on:)` schedules the unsubscription.
            for _ in 0..<1_000 where subject.hasObservers { usleep(1_000) }
            #expect(!subject.hasObservers)
        }
    }

    @Test("Elements, timers and disposal race in `debounce`", arguments: RealTimeScheduler.allCases)
    func debounce(kind: RealTimeScheduler) {
        let scheduler = kind.instance
        race(scheduler: scheduler) { $0.debounce($1, scheduler: scheduler) }
    }

    @Test("Elements, timers and disposal race in `throttle`", arguments: RealTimeScheduler.allCases)
    func throttle(kind: RealTimeScheduler) {
        let scheduler = kind.instance
        race(scheduler: scheduler) { $0.throttle($1, scheduler: scheduler) }
    }

    @Test("Elements, timers and disposal race in `delay`", arguments: RealTimeScheduler.allCases)
    func delay(kind: RealTimeScheduler) {
        let scheduler = kind.instance
        race(scheduler: scheduler) { $0.delay($1, scheduler: scheduler) }
    }

    @Test("Elements, timers and disposal race in `timeout`", arguments: RealTimeScheduler.allCases)
    func timeout(kind: RealTimeScheduler) {
        let scheduler = kind.instance
        race(scheduler: scheduler) { $0.timeout($1, other: Observable.of(1, 2, 3), scheduler: scheduler) }
        race(scheduler: scheduler) { $0.timeout($1, scheduler: scheduler) }
    }

    @Test("Elements, timers and disposal race in `buffer`", arguments: RealTimeScheduler.allCases)
    func buffer(kind: RealTimeScheduler) {
        let scheduler = kind.instance
        race(scheduler: scheduler) { $0.buffer(timeSpan: $1, count: 4, scheduler: scheduler) }
    }

    @Test("Elements, timers and disposal race in `window`", arguments: RealTimeScheduler.allCases)
    func window(kind: RealTimeScheduler) {
        let scheduler = kind.instance
        race(scheduler: scheduler) { source, span in
            source.window(timeSpan: span, count: 4, scheduler: scheduler).flatMap { $0 }
        }
    }

    @Test("Elements, timers and disposal race in `take(for:)` and `skip`", arguments: RealTimeScheduler.allCases)
    func takeAndSkip(kind: RealTimeScheduler) {
        let scheduler = kind.instance
        race(scheduler: scheduler) { $0.take(for: $1, scheduler: scheduler) }
        race(scheduler: scheduler) { $0.skip($1, scheduler: scheduler) }
    }

    @Test("Elements, timers and disposal race in late subscriptions", arguments: RealTimeScheduler.allCases)
    func lateSubscriptions(kind: RealTimeScheduler) {
        let scheduler = kind.instance
        race(scheduler: scheduler) { $0.delaySubscription($1, scheduler: scheduler) }
        race(scheduler: scheduler) { source, _ in source.subscribe(on: scheduler) }
    }

    @Test("The end of the source races with an interval", arguments: RealTimeScheduler.allCases)
    func timers(kind: RealTimeScheduler) {
        let scheduler = kind.instance
        race(scheduler: scheduler) { source, span in
            Observable<Int>.interval(span, scheduler: scheduler).take(until: source.filter { $0 == 200 })
        }
    }

    @Test("Four threads arm and dispose of timers") func manyThreads() {
        let scheduler = SerialDispatchQueueScheduler(internalSerialQueueName: "arming")
        let fired = AtomicWord(0)
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for round in 0..<2_000 {
                let span: RxTimeInterval = round % 3 == 0 ? .microseconds(round % 50) : .seconds(3_600)
                let subscription = Observable<Int>.timer(span, scheduler: scheduler)
                    .subscribe(onNext: { _ in _ = fired.fetchAdd(1) })
                if round % 7 == thread { sched_yield() }
                subscription.dispose()
            }
        }
        #expect(fired.loadRelaxed() <= 8_000)
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxSwift
import TestSupport
import Testing

/// What becomes of streams whose scheduler has ended. `TimerEndTests` and `HopEndTests` say the same of event loops.
@Suite struct EndedSchedulerTests {
    enum Ended: CaseIterable, Sendable {
        case pool, host

        var name: String { self == .pool ? "a pool" : "a loop" }

        /// Makes a scheduler, and what ends it.
        func make() -> (scheduler: any SchedulerType, end: () -> Void) {
            switch self {
            case .pool:
                let pool = BoundedPoolScheduler(maxConcurrentOperationCount: 2, name: name)
                return (pool, pool.shutdown)
            case .host:
                let loop = ThreadHostLoop()
                let end = {
                    loop.end()
                    // What the thread has taken, it drops behind that call.
                    while loop.isRunning { Thread.sleep(forTimeInterval: 0.0001) }
                }
                return (HostEventLoopScheduler(loop, name: name), end)
            }
        }
    }

    enum Stage: CaseIterable, Sendable {
        case hop, boundedHop, delay, buffer, window, debounce, throttle, timeout, take, skip

        func applied(to source: Observable<Int>, on scheduler: any SchedulerType) -> Observable<Int> {
            let time = RxTimeInterval.seconds(60)
            return switch self {
            case .hop: source.observe(on: scheduler)
            case .boundedHop: source.observe(on: scheduler, buffer: 10, overflow: .suspend)
            case .delay: source.delay(time, scheduler: scheduler)
            case .buffer: source.buffer(timeSpan: time, count: 0, scheduler: scheduler).map { $0.count }
            case .window: source.window(timeSpan: time, count: 0, scheduler: scheduler).map { _ in 0 }
            case .debounce: source.debounce(time, scheduler: scheduler)
            case .throttle: source.throttle(time, scheduler: scheduler)
            case .timeout: source.timeout(time, scheduler: scheduler)
            case .take: source.take(for: time, scheduler: scheduler)
            case .skip: source.skip(time, scheduler: scheduler)
            }
        }
    }

    /// The fault: such stages swallowed what came, and the end, without a word.
    @Test(
        "An element that comes to a stage whose scheduler has ended is an error",
        arguments: Ended.allCases, Stage.allCases)
    func lateElement(_ ended: Ended, _ stage: Stage) async {
        for isEndedBefore in [false, true] {
            let (scheduler, end) = ended.make()
            if isEndedBefore { end() }
            let subject = PublishSubject<Int>()
            let errors = Guarded<[SchedulerEndedError?]>([])
            let subscription = stage.applied(to: subject.asObservable(), on: scheduler).subscribe(onError: { error in
                errors.change { $0.append(error as? SchedulerEndedError) }
            })
            subject.onNext(1)
            end()
            // The fault: one element right behind the end was taken as if it had come before, and a `take` without another one never ended.
            subject.onNext(2)
            #expect(
                await eventually {
                    // An element that `skip` drops is none that is missing.
                    if stage == .skip { subject.onNext(3) }
                    return !errors.value.isEmpty
                })
            #expect(errors.value.count == 1)
            #expect(errors.value.first??.schedulerName == ended.name)
            subscription.dispose()
            #expect(await eventually { !subject.hasObservers })
        }
    }

    @Test("A stream that has ended in order is whole behind the end of its scheduler", arguments: Ended.allCases)
    func wholeStream(_ ended: Ended) async {
        let (scheduler, end) = ended.make()
        let log = EventLog()
        let subject = PublishSubject<Int>()
        let subscription = subject.observe(on: scheduler).subscribe(
            onNext: { log.note("\($0)") }, onError: { _ in log.note("error") }, onCompleted: { log.note("completed") })
        subject.onNext(1)
        #expect(await eventually { log.lines == ["1"] })
        end()
        // No element is missing.
        subject.onCompleted()
        #expect(await eventually { log.lines == ["1", "completed"] })
        subscription.dispose()
    }

    @Test("A stage without its last element does not complete", arguments: Ended.allCases)
    func lateElementAndCompletion(_ ended: Ended) async {
        let (scheduler, end) = ended.make()
        let log = EventLog()
        let subject = PublishSubject<Int>()
        let subscription = subject.take(for: .seconds(60), scheduler: scheduler).subscribe(
            onNext: { log.note("\($0)") }, onError: { _ in log.note("error") }, onCompleted: { log.note("completed") })
        subject.onNext(1)
        end()
        subject.onNext(2)
        subject.onCompleted()
        #expect(await eventually { log.lines.count == 2 })
        #expect(log.lines == ["1", "error"])
        subscription.dispose()
    }

    @Test("A scheduled disposable on a scheduler that has ended disposes", arguments: Ended.allCases)
    func scheduledDisposable(_ ended: Ended) {
        let (scheduler, end) = ended.make()
        end()
        let disposable = BooleanDisposable()
        let scheduled = ScheduledDisposable(scheduler: scheduler, disposable: disposable)
        scheduled.dispose()
        #expect(disposable.isDisposed && scheduled.isDisposed)
    }

    @Test("A subscription that is tried again at each error can be disposed of", arguments: Ended.allCases)
    func retried(_ ended: Ended) async {
        let (scheduler, end) = ended.make()
        end()
        for stage in [Stage.hop, .take, .buffer] {
            let attempts = AtomicCounter(0)
            let source = Observable.just(1).do(onSubscribe: { attempts.increment() })
            let subscription = stage.applied(to: source, on: scheduler).retry().subscribe()
            #expect(await eventually { attempts.value > 2 })
            subscription.dispose()
            waitForDeputies()
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import RxSwift
import TestSupport
import Testing

/// The schedulers on which the operators of time are tested by the clock of the machine.
enum RealTimeScheduler: CaseIterable {
    case serialQueue, globalQueue, mainQueue

    private static let serial = SerialDispatchQueueScheduler(internalSerialQueueName: "real time")
    private static let concurrent = ConcurrentDispatchQueueScheduler(queue: .global())

    var instance: any SchedulerType {
        switch self {
        case .serialQueue: Self.serial
        case .globalQueue: Self.concurrent
        case .mainQueue: ConcurrentMainScheduler.instance
        }
    }
}

/// Runs the operators of time by the clock of the machine. Margins are generous: the machine may be busy.
@Suite struct RealTimeTests {
    /// Collects a sequence until it ends.
    private func collect<Element>(
        _ source: Observable<Element>, feed: () -> Void = {}
    ) -> (elements: [Element], error: (any Error)?, seconds: Double) {
        let begin = DispatchTime.now().uptimeNanoseconds
        let done = DispatchSemaphore(value: 0)
        let log = Log<Element>()
        let subscription = source.subscribe { event in
            switch event {
            case .next(let element): log.add(element)
            case .error(let error):
                log.error = error
                done.signal()
            case .completed: done.signal()
            }
        }
        feed()
        #expect(done.wait(timeout: .now() + 20) == .success)
        subscription.dispose()
        return (log.elements, log.error, Double(DispatchTime.now().uptimeNanoseconds - begin) / 1e9)
    }

    private final class Log<Element>: @unchecked Sendable {
        private let lock = NSLock()
        private var list: [Element] = []
        var error: (any Error)?
        var elements: [Element] { lock.withLock { list } }
        func add(_ element: Element) { lock.withLock { list.append(element) } }
    }

    @Test("A timer and an interval never come early", arguments: RealTimeScheduler.allCases)
    func timers(kind: RealTimeScheduler) {
        let scheduler = kind.instance
        let once = collect(Observable<Int>.timer(.milliseconds(50), scheduler: scheduler))
        #expect(once.elements == [0])
        #expect(once.seconds >= 0.05)
        let several = collect(Observable<Int>.interval(.milliseconds(20), scheduler: scheduler).take(5))
        #expect(several.elements == [0, 1, 2, 3, 4])
        #expect(several.seconds >= 0.1)
    }

    @Test("An interval of zero counts", arguments: RealTimeScheduler.allCases)
    func zeroInterval(kind: RealTimeScheduler) {
        let result = collect(Observable<Int>.interval(.seconds(0), scheduler: kind.instance).take(100))
        #expect(result.elements == Array(0..<100))
    }

    @Test("`debounce` sends the last element of a burst after the silence", arguments: RealTimeScheduler.allCases)
    func debounce(kind: RealTimeScheduler) {
        let subject = PublishSubject<Int>()
        let result = collect(subject.debounce(.milliseconds(100), scheduler: kind.instance).take(1)) {
            for number in 0..<1_000 { subject.onNext(number) }
        }
        #expect(result.elements == [999])
        #expect(result.seconds >= 0.1)
    }

    @Test("`throttle` sends the first and the last element of a burst", arguments: RealTimeScheduler.allCases)
    func throttle(kind: RealTimeScheduler) {
        let subject = PublishSubject<Int>()
        let result = collect(subject.throttle(.milliseconds(300), scheduler: kind.instance)) {
            for number in 0..<10 { subject.onNext(number) }
            subject.onCompleted()
        }
        #expect(result.elements == [0, 9])
        #expect(result.seconds >= 0.3)
    }

    @Test("`delay` keeps the order and loses no element", arguments: RealTimeScheduler.allCases)
    func delay(kind: RealTimeScheduler) {
        let subject = PublishSubject<Int>()
        let result = collect(subject.delay(.milliseconds(50), scheduler: kind.instance)) {
            for number in 0..<2_000 { subject.onNext(number) }
            subject.onCompleted()
        }
        #expect(result.elements == Array(0..<2_000))
        #expect(result.seconds >= 0.05)
    }

    @Test("`timeout` fails only when the source is silent", arguments: RealTimeScheduler.allCases)
    func timeout(kind: RealTimeScheduler) {
        let scheduler = kind.instance
        let lively = collect(
            Observable<Int>.interval(.milliseconds(10), scheduler: scheduler).take(10)
                .timeout(.seconds(5), scheduler: scheduler))
        #expect(lively.elements.count == 10)
        #expect(lively.error == nil)
        let subject = PublishSubject<Int>()
        let silent = collect(subject.timeout(.milliseconds(100), scheduler: scheduler)) { subject.onNext(1) }
        #expect(silent.elements == [1])
        #expect(silent.error != nil)
        // `timeout` releases the source after it has delivered the error.
        for _ in 0..<1_000 where subject.hasObservers { usleep(1_000) }
        #expect(!subject.hasObservers)
    }

    @Test("`buffer` loses no element", arguments: RealTimeScheduler.allCases)
    func buffer(kind: RealTimeScheduler) {
        let subject = PublishSubject<Int>()
        let result = collect(
            subject.buffer(timeSpan: .milliseconds(1), count: 7, scheduler: kind.instance)
        ) {
            for number in 0..<5_000 { subject.onNext(number) }
            subject.onCompleted()
        }
        #expect(result.elements.flatMap { $0 } == Array(0..<5_000))
        #expect(result.elements.allSatisfy { $0.count <= 7 })
    }

    @Test("`window` loses no element", arguments: RealTimeScheduler.allCases)
    func window(kind: RealTimeScheduler) {
        let subject = PublishSubject<Int>()
        let result = collect(
            subject.window(timeSpan: .milliseconds(1), count: 7, scheduler: kind.instance).flatMap { $0 }
        ) {
            for number in 0..<5_000 { subject.onNext(number) }
            subject.onCompleted()
        }
        #expect(result.elements == Array(0..<5_000))
    }

    @Test("`take`, `skip` and `delaySubscription` wait for their span", arguments: RealTimeScheduler.allCases)
    func takeAndSkip(kind: RealTimeScheduler) {
        let scheduler = kind.instance
        let ticks = Observable<Int>.interval(.milliseconds(10), scheduler: scheduler)
        let taken = collect(ticks.take(for: .milliseconds(200), scheduler: scheduler))
        #expect(taken.elements == Array(0..<taken.elements.count))
        #expect(taken.seconds >= 0.2)
        let skipped = collect(ticks.skip(.milliseconds(100), scheduler: scheduler).take(1))
        #expect(skipped.elements.count == 1)
        #expect(skipped.seconds >= 0.1)
        let late = collect(Observable.just(1).delaySubscription(.milliseconds(50), scheduler: scheduler))
        #expect(late.elements == [1])
        #expect(late.seconds >= 0.05)
    }

    /// The fault: a tick that meets another thread goes back to its scheduler some seventy times. Behind a backlog each time took long.
    @Test("A tick comes in time behind a backlog") func tickBehindBacklog() async {
        let source = PublishSubject<Int>()
        let windows = AtomicCounter(0)
        let subscription = source.window(
            timeSpan: .milliseconds(5), count: 0, scheduler: RealTimeScheduler.serialQueue.instance
        )
        .subscribe(onNext: { window in
            windows.increment()
            // Slower than its producers.
            _ = window.subscribe(onNext: { _ in for _ in 0..<20 { jitter(63) } })
        })
        let (isOver, ended) = (AtomicCounter(0), OneShot())
        // Inside an action a producer does not wait.
        let action = SerialDispatchQueueScheduler(qos: .default).schedule(()) { _ in
            while isOver.value == 0 { source.onNext(0) }
            ended.fire()
            return Disposables.create()
        }
        let begin = DispatchTime.now().uptimeNanoseconds
        while windows.value < 4, DispatchTime.now().uptimeNanoseconds - begin < 10_000_000_000 {
            try? await Task.sleep(nanoseconds: 5_000_000)
        }
        let seconds = Double(DispatchTime.now().uptimeNanoseconds - begin) / 1e9
        isOver.increment()
        #expect(ended.wait(seconds: 10))
        action.dispose()
        subscription.dispose()
        #expect(seconds < 6, "\(windows.value) windows in \(seconds) s")
    }
}

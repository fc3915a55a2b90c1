import Dispatch
import Foundation
import RxSwift
import TestSupport
import Testing

/// What operators do with the clock of the machine. Margins are generous: the machine may be busy.
@Suite struct RealTimeTests {
    static let schedulers: [any SchedulerType] = [
        SerialDispatchQueueScheduler(internalSerialQueueName: "real time"),
        ConcurrentDispatchQueueScheduler(queue: .global()),
        ConcurrentMainScheduler.instance,
    ]

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

    @Test(arguments: schedulers.indices) func timerAndIntervalKeepTime(index: Int) {
        let scheduler = Self.schedulers[index]
        let once = collect(Observable<Int>.timer(.milliseconds(50), scheduler: scheduler))
        #expect(once.elements == [0])
        #expect(once.seconds >= 0.05)
        let several = collect(Observable<Int>.interval(.milliseconds(20), scheduler: scheduler).take(5))
        #expect(several.elements == [0, 1, 2, 3, 4])
        #expect(several.seconds >= 0.1)
    }

    @Test(arguments: schedulers.indices) func anIntervalOfZeroRuns(index: Int) {
        let result = collect(Observable<Int>.interval(.seconds(0), scheduler: Self.schedulers[index]).take(100))
        #expect(result.elements == Array(0..<100))
    }

    @Test(arguments: schedulers.indices) func debounceSendsTheLast(index: Int) {
        let subject = PublishSubject<Int>()
        let result = collect(subject.debounce(.milliseconds(100), scheduler: Self.schedulers[index]).take(1)) {
            for number in 0..<1_000 { subject.onNext(number) }
        }
        #expect(result.elements == [999])
        #expect(result.seconds >= 0.1)
    }

    @Test(arguments: schedulers.indices) func throttleSendsFirstAndLast(index: Int) {
        let subject = PublishSubject<Int>()
        let result = collect(subject.throttle(.milliseconds(300), scheduler: Self.schedulers[index])) {
            for number in 0..<10 { subject.onNext(number) }
            subject.onCompleted()
        }
        #expect(result.elements == [0, 9])
        #expect(result.seconds >= 0.3)
    }

    @Test(arguments: schedulers.indices) func delayKeepsOrderAndLosesNothing(index: Int) {
        let subject = PublishSubject<Int>()
        let result = collect(subject.delay(.milliseconds(50), scheduler: Self.schedulers[index])) {
            for number in 0..<2_000 { subject.onNext(number) }
            subject.onCompleted()
        }
        #expect(result.elements == Array(0..<2_000))
        #expect(result.seconds >= 0.05)
    }

    @Test(arguments: schedulers.indices) func timeoutFailsInSilenceOnly(index: Int) {
        let scheduler = Self.schedulers[index]
        let lively = collect(
            Observable<Int>.interval(.milliseconds(10), scheduler: scheduler).take(10)
                .timeout(.seconds(5), scheduler: scheduler))
        #expect(lively.elements.count == 10)
        #expect(lively.error == nil)
        let subject = PublishSubject<Int>()
        let silent = collect(subject.timeout(.milliseconds(100), scheduler: scheduler)) { subject.onNext(1) }
        #expect(silent.elements == [1])
        #expect(silent.error != nil)
        // Let go of after the error was delivered.
        for _ in 0..<1_000 where subject.hasObservers { usleep(1_000) }
        #expect(!subject.hasObservers)
    }

    @Test(arguments: schedulers.indices) func buffersLoseNothing(index: Int) {
        let subject = PublishSubject<Int>()
        let result = collect(
            subject.buffer(timeSpan: .milliseconds(1), count: 7, scheduler: Self.schedulers[index])
        ) {
            for number in 0..<5_000 { subject.onNext(number) }
            subject.onCompleted()
        }
        #expect(result.elements.flatMap { $0 } == Array(0..<5_000))
        #expect(result.elements.allSatisfy { $0.count <= 7 })
    }

    @Test(arguments: schedulers.indices) func windowsLoseNothing(index: Int) {
        let subject = PublishSubject<Int>()
        let result = collect(
            subject.window(timeSpan: .milliseconds(1), count: 7, scheduler: Self.schedulers[index]).flatMap { $0 }
        ) {
            for number in 0..<5_000 { subject.onNext(number) }
            subject.onCompleted()
        }
        #expect(result.elements == Array(0..<5_000))
    }

    @Test(arguments: schedulers.indices) func takeAndSkipGoByTheClock(index: Int) {
        let scheduler = Self.schedulers[index]
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

    @Test func subscribeOnMovesBothEnds() {
        let queue = DispatchQueue(label: "target")
        let scheduler = SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "subscribe on")
        let key = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: key, value: true)
        let ended = DispatchSemaphore(value: 0)
        let source = Observable<Int>.create { observer in
            #expect(DispatchQueue.getSpecific(key: key) == true)
            observer.onNext(1)
            return Disposables.create {
                #expect(DispatchQueue.getSpecific(key: key) == true)
                ended.signal()
            }
        }
        #expect(collect(source.subscribe(on: scheduler).take(1)).elements == [1])
        #expect(ended.wait(timeout: .now() + 10) == .success)
    }

    /// In a process of its own: other tests enqueue on the main scheduler, too.
    @Test func subscribeOnMainRunsInlineThere() async {
        await #expect(processExitsWith: .success) {
            await onMainQueue {
                var elements: [Int] = []
                let subscription = Observable.just(1).subscribe(on: MainScheduler.instance).subscribe(onNext: {
                    elements.append($0)
                })
                precondition(elements == [1])
                subscription.dispose()
            }
        }
    }
}

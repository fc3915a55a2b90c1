// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct ScheduleExamples {
    /// ``ObservableType/observe(on:)``
    @Test func observeOnWorker() throws {
        try expectPicture(
            """
            source: -a--b--c-|
            worker: --a--b--c-|
            """
        ) { (source: Observable<String>, worker) in
            source.observe(on: worker)
        }
    }

    /// ``ObservableType/observe(on:)``
    @Test func observeOn() {
        expectPrinted("on the worker") { print in
            let queue = DispatchQueue(label: "worker")
            let worker = SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "worker")
            let finished = DispatchSemaphore(value: 0)
            let subscription = Observable.just(1)
                .observe(on: worker)
                .subscribe(onNext: { _ in
                    dispatchPrecondition(condition: .onQueue(queue))
                    print("on the worker")
                    finished.signal()
                })
            finished.wait()
            subscription.dispose()
        }
    }

    /// ``ObservableType/subscribe(on:)``
    @Test func subscribeOnWorker() throws {
        try expectPicture(
            printing: """
                source:  -a--b-|
                printed: -s  s = start
                result:  --a--b-|
                """
        ) { (source: Observable<String>, worker, print) in
            source.do(onSubscribe: { print("start") }).subscribe(on: worker)
        }
    }

    /// ``ObservableType/subscribe(on:)``
    @Test func subscribeOn() {
        expectPrinted("on the worker") { print in
            let queue = DispatchQueue(label: "worker")
            let worker = SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "worker")
            let finished = DispatchSemaphore(value: 0)
            let readFile = Observable<Int>.deferred {
                dispatchPrecondition(condition: .onQueue(queue))
                print("on the worker")
                return .just(1)
            }
            let subscription = readFile.subscribe(on: worker).subscribe(onNext: { _ in finished.signal() })
            finished.wait()
            subscription.dispose()
        }
    }

    /// ``ObservableType/onBackpressure(buffer:overflow:onDropped:)``
    @Test func onBackpressure() {
        expectPrinted("handled 1\nhandled 2") { print in
            let ticks = PublishSubject<Int>()
            func handle(_ tick: Int) -> Observable<String> { .just("handled \(tick)") }

            // Keeps the newest 100 ticks while `concatMap` is busy, and drops older ones.
            let subscription = ticks.onBackpressure(buffer: 100, overflow: .dropOldest)
                .concatMap { handle($0) }
                .subscribe(onNext: { print($0) })
            ticks.onNext(1)
            ticks.onNext(2)
            subscription.dispose()
        }
    }

    /// ``ObservableType/observe(on:buffer:overflow:onDropped:)``
    @Test func observeOnBounded() {
        expectPrinted("dropped 3\ntaken 1\ntaken 2") { print in
            let scheduler = TestScheduler(initialClock: 0)
            let numbers = PublishSubject<Int>()
            let subscription =
                numbers
                .observe(on: scheduler, buffer: 2, overflow: .dropNewest, onDropped: { print("dropped \($0)") })
                .subscribe(onNext: { print("taken \($0)") })
            for number in 1...3 { numbers.onNext(number) }
            scheduler.start()
            subscription.dispose()
        }
    }

    /// ``ObservableType/carrying(_:through:)``
    @Test func carrying() {
        expectPrinted("request 7") { print in
            let scheduler = TestScheduler(initialClock: 0)
            let requests = PublishSubject<String>()
            let subscription =
                requests
                .carrying(Trace.$id) { $0.delay(.seconds(1), scheduler: scheduler) }
                .subscribe(onNext: { print("\($0) \(Trace.id)") })
            Trace.$id.withValue(7) { requests.onNext("request") }
            scheduler.start()
            subscription.dispose()
        }
    }

    /// ``ObservableType/subscribe(onMainNext:onError:onCompleted:onDisposed:)``
    @Test func subscribeOnMain() async {
        await expectPrinted("main actor") { print in
            await withCheckedContinuation { finished in
                _ = Observable.just("main actor")
                    .subscribe(onMainNext: { print($0) }, onDisposed: { finished.resume() })
            }
        }
    }
}

private enum Trace {
    @TaskLocal static var id = 0
}

// SPDX-License-Identifier: Apache-2.0

import Dispatch
import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct SubscribeOnTests {
    @Test("Subscription and disposal take a tick each") func ticksOfBothEnds() {
        let scheduler = ticks()
        var subscribed = 0
        var disposed = 0
        let source = Observable<Int>.create { _ in
            subscribed = scheduler.clock
            return Disposables.create { disposed = scheduler.clock }
        }
        let result = scheduler.start { source.subscribe(on: scheduler) }
        #expect(result.events == [])
        #expect(subscribed == 201)
        #expect(disposed == 1001)
    }

    @Test("Completion comes at once, and the source is unsubscribed from a tick later") func completion() {
        let scheduler = ticks()
        let source = scheduler.createHotObservable([.completed(300, Int.self)])
        let result = scheduler.start { source.subscribe(on: scheduler) }
        #expect(result.events == [.completed(300, Int.self)])
        #expect(source.subscriptions == [Subscription(201, 301)])
    }

    @Test("An error comes at once, and the source is unsubscribed from a tick later") func error() {
        let scheduler = ticks()
        let source = scheduler.createHotObservable([.error(300, Failure.expected, Int.self)])
        let result = scheduler.start { source.subscribe(on: scheduler) }
        #expect(result.events == [.error(300, Failure.expected, Int.self)])
        #expect(source.subscriptions == [Subscription(201, 301)])
    }

    @Test("Disposal unsubscribes from the source a tick later") func disposal() {
        let scheduler = ticks()
        let source = scheduler.createHotObservable(script((150, 1), (210, 2)))
        let result = scheduler.start { source.subscribe(on: scheduler) }
        #expect(result.events == [.next(210, 2)])
        #expect(source.subscriptions == [Subscription(201, 1001)])
    }

    /// The fault: it was unsubscribed from on the scheduler, like a source that is no `Observable`.
    @Test("A source that was made an observable ends at its terminal event") func madeObservable() {
        let scheduler = ticks()
        let source = scheduler.createHotObservable([.next(210, 2), .completed(220)])
        let result = scheduler.start { source.asObservable().subscribe(on: scheduler) }
        #expect(result.events == [.next(210, 2), .completed(220)])
        #expect(source.subscriptions == [Subscription(201, 220)])
    }

    @Test("Disposal before the scheduler's turn keeps the source unsubscribed") func earlyDisposal() {
        let scheduler = ticks()
        let source = scheduler.createHotObservable(script((250, 1)))
        _ = scheduler.start(disposed: 200) { source.subscribe(on: scheduler) }
        #expect(source.subscriptions == [])
    }

    @Test("A source that has ended is released without a job") func endedSource() {
        let log = EventLog()
        let scheduler = HistoricalScheduler()
        let subject = PublishSubject<Int>()
        _ = log.observe(subject.do(onDispose: { log.note("dispose") }).subscribe(on: scheduler))
        scheduler.start()
        subject.onCompleted()
        #expect(log.text == "completed dispose")
    }

    @Test("Subscription and disposal run on the scheduler") func bothEnds() {
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
        let log = EventLog(source.subscribe(on: scheduler).take(1))
        #expect(settles { log.text == "1 completed" })
        #expect(ended.wait(timeout: .now() + 10) == .success)
    }

    /// Runs in a process of its own, because other tests enqueue on the main scheduler, too.
    @Test("A subscription from the main thread to the main scheduler begins at once") func inlineOnMain() async {
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

    /// The fault: its end, behind that of the stage below, was not noticed.
    @Test("A source that ends behind the stage below is let go of at once") func endBehindTake() {
        let scheduler = ticks()
        var released = 0
        let source = Observable<Int>.create { observer in
            scheduler.scheduleAt(300) {
                observer.onNext(1)
                observer.onCompleted()
            }
            return Disposables.create { released = scheduler.clock }
        }
        let result = scheduler.start { source.subscribe(on: scheduler).take(1) }
        #expect(result.events == [.next(300, 1), .completed(300)])
        #expect(released == 300)
    }
}

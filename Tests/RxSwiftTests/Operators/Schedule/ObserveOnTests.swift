// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import RxPrimitives
import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct ObserveOnTests {
    @Test("No element is lost and the order is kept", arguments: ThreadedScheduler.allCases)
    func order(kind: ThreadedScheduler) {
        let count = kind == .users ? 20_000 : 200_000
        let source = PublishSubject<Int>()
        let overlap = OverlapDetector()
        let done = OneShot()
        nonisolated(unsafe) var next = 0
        nonisolated(unsafe) var faults = 0
        let subscription = source.observe(on: kind.make()).subscribe(
            onNext: { element in
                overlap.enter()
                if element != next { faults += 1 }
                next = element + 1
                overlap.leave()
            }, onCompleted: { done.fire() })
        for element in 0..<count { source.onNext(element) }
        source.onCompleted()
        #expect(done.wait())
        #expect(next == count && faults == 0 && !overlap.overlapped)
        subscription.dispose()
    }

    @Test("An error does not overtake the elements", arguments: ThreadedScheduler.allCases)
    func error(kind: ThreadedScheduler) {
        let done = OneShot()
        nonisolated(unsafe) var count = 0
        let subscription = Observable.range(start: 0, count: 1_000).concat(Observable<Int>.error(NumberedFailure(1)))
            .observe(on: kind.make()).subscribe(onNext: { _ in count += 1 }, onError: { _ in done.fire() })
        #expect(done.wait())
        #expect(count == 1_000)
        subscription.dispose()
    }

    @Test("No element follows a disposal in the observer, and all is released", arguments: ThreadedScheduler.allCases)
    func observerDisposes(kind: ThreadedScheduler) async {
        let source = PublishSubject<ReleaseToken>()
        let scheduler = kind.make()
        let done = OneShot()
        nonisolated(unsafe) var count = 0
        nonisolated(unsafe) weak var captured: ReleaseToken?
        nonisolated(unsafe) weak var element: ReleaseToken?
        do {
            let token = ReleaseToken()
            captured = token
            let subscription = SingleAssignmentDisposable()
            subscription.setDisposable(
                source.observe(on: scheduler).subscribe(onNext: { _ in
                    withExtendedLifetime(token) { count += 1 }
                    if count == 10 {
                        subscription.dispose()
                        done.fire()
                    }
                }))
            let sent = ReleaseToken()
            element = sent
            for _ in 0..<2_000 { source.onNext(sent) }
        }
        #expect(done.wait())
        #expect(await eventually { captured == nil && element == nil })
        #expect(count == 10)
        #expect(!source.hasObservers)
    }

    @Test("At most the event under way follows a disposal by another thread", arguments: ThreadedScheduler.allCases)
    func otherThreadDisposes(kind: ThreadedScheduler) async {
        for _ in 0..<10 {
            let source = PublishSubject<Int>()
            let begun = OneShot()
            let count = AtomicCounter(0)
            nonisolated(unsafe) weak var captured: ReleaseToken?
            var subscription: (any Disposable)!
            do {
                let token = ReleaseToken()
                captured = token
                subscription = source.observe(on: kind.make()).subscribe(onNext: { _ in
                    withExtendedLifetime(token) { count.increment() }
                    begun.fire()
                })
            }
            for element in 0..<1_000 { source.onNext(element) }
            #expect(begun.wait())
            subscription.dispose()
            let after = count.value
            #expect(await eventually { captured == nil })
            #expect(count.value <= after + 1)
        }
    }

    // These run in processes of their own, because other tests enqueue on the main scheduler, too.

    @Test("Events come at once on the main thread when no other is queued") func inlineOnMain() async {
        await #expect(processExitsWith: .success) {
            await onMainQueue {
                let log = EventLog()
                let source = PublishSubject<Int>()
                let subscription = log.observe(source.observe(on: MainScheduler.instance))
                source.onNext(1)
                log.note("returned")
                source.onCompleted()
                log.note("returned")
                precondition(log.text == "1 returned completed returned", log.text)
                subscription.dispose()
            }
        }
    }

    @Test("Events emitted inside an observer on the main thread are queued") func nestedOnMain() async {
        await #expect(processExitsWith: .success) {
            let log = EventLog()
            nonisolated(unsafe) var subscriptions: [any Disposable] = []
            await onMainQueue {
                let source = PublishSubject<Int>()
                let other = PublishSubject<Int>()
                subscriptions.append(log.observe(other.observe(on: MainScheduler.instance)))
                subscriptions.append(
                    source.observe(on: MainScheduler.instance).subscribe(onNext: { _ in
                        log.note("(")
                        other.onNext(2)
                        _ = MainScheduler.instance.schedule(()) { _ in
                            log.note("action")
                            return Disposables.create()
                        }
                        log.note(")")
                    }))
                source.onNext(1)
                log.note("returned")
            }
            // The queue runs work submitted inside the observer before this body.
            await onMainQueue {}
            precondition(log.text == "( ) returned 2 action", log.text)
            for subscription in subscriptions { subscription.dispose() }
        }
    }

    @Test("Events come later on `MainScheduler.asyncInstance`") func asyncMain() async {
        let log = EventLog()
        nonisolated(unsafe) var subscription: (any Disposable)?
        await onMainQueue {
            subscription = log.observe(Observable.of(1, 2).observe(on: MainScheduler.asyncInstance))
            log.note("subscribed")
        }
        #expect(await eventually { log.text == "subscribed 1 2 completed" })
        subscription?.dispose()
    }

    @Test("Events come after the subscription on the trampoline") func trampoline() {
        let log = EventLog()
        _ = CurrentThreadScheduler.instance.schedule(()) { _ in
            let subscription = log.observe(Observable.of(1, 2, 3).observe(on: CurrentThreadScheduler.instance))
            log.note("subscribed")
            return subscription
        }
        #expect(log.text == "subscribed 1 2 3 completed")
    }

    @Test("Events come in order on a user's inline scheduler") func usersScheduler() {
        let log = EventLog()
        let source = PublishSubject<Int>()
        let subscription = log.observe(source.observe(on: InlineScheduler()))
        for element in 1...3 { source.onNext(element) }
        source.onError(NumberedFailure(4))
        #expect(log.text == "1 2 3 error(4)")
        subscription.dispose()
    }

    @Test("Each event takes a tick of virtual time") func virtualTime() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable([
            .next(210, 1), .next(212, 2), .next(213, 3), .next(213, 4), .next(220, 5), .completed(220),
        ])
        let result = scheduler.start { source.observe(on: scheduler) }
        #expect(
            result.events == [
                .next(211, 1), .next(213, 2), .next(214, 3), .next(215, 4), .next(221, 5), .completed(222),
            ])
        #expect(source.subscriptions == [Subscription(200, 220)] || source.subscriptions == [Subscription(200, 222)])
    }

    @Test("Disposal in virtual time releases all without the scheduler's help") func virtualRelease() {
        let scheduler = HistoricalScheduler()
        let source = PublishSubject<ReleaseToken>()
        weak var captured: ReleaseToken?
        weak var element: ReleaseToken?
        do {
            let token = ReleaseToken()
            captured = token
            let subscription = source.observe(on: scheduler).subscribe(onNext: { _ in withExtendedLifetime(token) {} })
            let sent = ReleaseToken()
            element = sent
            for _ in 0..<5 { source.onNext(sent) }
            #expect(scheduler.debugDescription != "[]")
            subscription.dispose()
        }
        // Disposal releases both, because the scheduler may never run again.
        #expect(captured == nil && element == nil)
        #expect(scheduler.debugDescription == "[]")
    }

    @Test("The end of `take` ends the ticks") func take() {
        let scheduler = TestScheduler(initialClock: 0)
        let log = EventLog()
        let subscription = log.observe(Observable.range(start: 1, count: 100).observe(on: scheduler).take(3))
        scheduler.start()
        #expect(log.text == "1 2 3 completed")
        #expect(scheduler.clock <= 4)
        subscription.dispose()
    }

    @Test("The hook reports a growing queue") func backlog() async {
        await #expect(processExitsWith: .success) {
            nonisolated(unsafe) var reports: [Int] = []
            Hooks.backlogThreshold = 1_000
            Hooks.backlogHandler = { name, count in
                precondition(name == "observe(on:)")
                reports.append(count)
            }
            let queue = DispatchQueue(label: "busy")
            let scheduler = SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "test")
            queue.suspend()
            let source = PublishSubject<Int>()
            let subscription = source.observe(on: scheduler).subscribe()
            for element in 0..<3_500 { source.onNext(element) }
            queue.resume()
            precondition(reports.count == 3, "\(reports)")
            subscription.dispose()
        }
    }
}

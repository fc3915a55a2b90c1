// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import RxPrimitives
import RxSwift
import TestSupport
import Testing

/// Several hops and actions on one serial scheduler.
@Suite struct ObserveOnSinkTests {
    @Test("Hops and actions of one scheduler run in the order of submission") func submissionOrder() {
        let scheduler = SerialDispatchQueueScheduler(internalSerialQueueName: "test")
        let log = EventLog()
        let done = OneShot()
        let gate = OneShot()
        let x = PublishSubject<String>()
        let y = PublishSubject<String>()
        let subscriptions = [x, y].map { log.observe($0.observe(on: scheduler)) }
        _ = scheduler.schedule(()) { _ in
            _ = gate.wait()
            return Disposables.create()
        }
        x.onNext("x1")
        y.onNext("y1")
        x.onNext("x2")
        _ = scheduler.schedule(()) { _ in
            log.note("job")
            return Disposables.create()
        }
        y.onNext("y2")
        y.onNext("y3")
        x.onNext("x3")
        _ = scheduler.schedule(()) { _ in
            done.fire()
            return Disposables.create()
        }
        gate.fire()
        #expect(done.wait())
        #expect(log.text == "x1 y1 x2 job y2 y3 x3")
        for subscription in subscriptions { subscription.dispose() }
    }

    /// The race: a hop asks whether its turn is still the last, while another hop, an action and the worker move on.
    @Test(
        "Hops and actions keep their causal order across threads",
        arguments: [ThreadedScheduler.serialDispatch, .uring, .epoll])
    func causalOrder(kind: ThreadedScheduler) {
        let scheduler = kind.make()
        let threads = 4
        let subjects = (0..<threads).map { _ in PublishSubject<Int>() }
        let ticket = AtomicCounter(0)
        let done = OneShot()
        nonisolated(unsafe) var seen: [Int] = []
        let subscriptions = subjects.map { subject in
            subject.observe(on: scheduler).subscribe(onNext: { seen.append($0) })
        }
        let rounds = 20_000
        // The threads take turns in submitting: each submission happens after the previous one, mostly on another thread.
        let turn = AtomicCounter(0)
        race(
            (0..<threads).map { thread in
                {
                    var random = UInt64(thread) &+ 1
                    while true {
                        let current = turn.value
                        if current >= rounds { return }
                        if current % threads != thread {
                            sched_yield()
                            continue
                        }
                        random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                        for _ in 0...(random >> 62) {
                            let number = ticket.value
                            ticket.increment()
                            if random & 0x10_0000_0000 == 0 {
                                subjects[thread].onNext(number)
                            } else {
                                _ = scheduler.schedule(number) {
                                    seen.append($0)
                                    return Disposables.create()
                                }
                            }
                        }
                        turn.increment()
                    }
                }
            })
        _ = scheduler.schedule(()) { _ in
            done.fire()
            return Disposables.create()
        }
        #expect(done.wait())
        #expect(seen == Array(0..<ticket.value))
        for subscription in subscriptions { subscription.dispose() }
    }

    @Test("Concurrent submission loses no event") func concurrentSubmission() {
        let scheduler = SerialDispatchQueueScheduler(internalSerialQueueName: "test")
        let threads = 4
        let each = 30_000
        let subjects = (0..<threads).map { _ in PublishSubject<Int>() }
        let overlap = OverlapDetector()
        let left = AtomicCounter(2 * threads)
        let done = OneShot()
        nonisolated(unsafe) var next = Array(repeating: 0, count: threads)
        nonisolated(unsafe) var actions = 0
        nonisolated(unsafe) var faults = 0
        let subscriptions = (0..<threads).map { thread in
            subjects[thread].observe(on: scheduler).subscribe(
                onNext: { element in
                    overlap.enter()
                    if element != next[thread] { faults += 1 }
                    next[thread] += 1
                    overlap.leave()
                }, onCompleted: { if left.decrement() == 0 { done.fire() } })
        }
        race(
            (0..<threads).map { thread in
                {
                    for element in 0..<each {
                        subjects[thread].onNext(element)
                        if element % 100 == 99 {
                            _ = scheduler.schedule(()) { _ in
                                overlap.enter()
                                actions += 1
                                overlap.leave()
                                return Disposables.create()
                            }
                        }
                    }
                    subjects[thread].onCompleted()
                    _ = scheduler.schedule(()) { _ in
                        if left.decrement() == 0 { done.fire() }
                        return Disposables.create()
                    }
                }
            })
        #expect(done.wait())
        #expect(next == Array(repeating: each, count: threads))
        #expect(actions == threads * each / 100 && faults == 0 && !overlap.overlapped)
        for subscription in subscriptions { subscription.dispose() }
    }

    @Test("Two alternating hops over a long queue take linear time") func alternatingHops() {
        let queue = DispatchQueue(label: "busy")
        let scheduler = SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "test")
        queue.suspend()
        let x = PublishSubject<Int>()
        let y = PublishSubject<Int>()
        let done = OneShot()
        nonisolated(unsafe) var next = 0
        nonisolated(unsafe) var faults = 0
        let count = 100_000
        let take: @Sendable (Int) -> Void = { element in
            if element != next { faults += 1 }
            next += 1
            if next == 2 * count { done.fire() }
        }
        let subscriptions = [x, y].map { $0.observe(on: scheduler).subscribe(onNext: take) }
        for element in 0..<count { (element & 1 == 0 ? x : y).onNext(element) }
        queue.resume()
        for element in count..<2 * count { (element & 1 == 0 ? x : y).onNext(element) }
        #expect(done.wait())
        #expect(faults == 0)
        for subscription in subscriptions { subscription.dispose() }
    }

    @Test("Other blocks of the queue get their turn within a long stream") func queueFairness() {
        nonisolated(unsafe) var queue: DispatchQueue!
        let scheduler = SerialDispatchQueueScheduler(
            internalSerialQueueName: "shared", serialQueueConfiguration: { queue = $0 })
        let source = PublishSubject<Int>()
        let done = OneShot()
        nonisolated(unsafe) var delivered = 0
        nonisolated(unsafe) var deliveredBefore = -1
        let subscription = source.observe(on: scheduler).subscribe(
            onNext: { _ in
                delivered += 1
                if delivered == 10 { queue.async { deliveredBefore = delivered } }
            }, onCompleted: { done.fire() })
        queue.suspend()
        for element in 0..<50_000 { source.onNext(element) }
        source.onCompleted()
        queue.resume()
        #expect(done.wait())
        queue.sync {}
        #expect(deliveredBefore > 0 && deliveredBefore <= 512, "\(deliveredBefore)")
        subscription.dispose()
    }

    @Test("Sources, hops and timers share the turns") func sharedTurns() {
        let scheduler = SerialDispatchQueueScheduler(internalSerialQueueName: "test")
        let log = EventLog()
        let done = OneShot()
        _ = scheduler.schedule(()) { _ in
            _ = Observable.just("a", scheduler: scheduler).subscribe(onNext: { log.note($0) })
            _ = scheduler.schedule(()) { _ in
                log.note("b")
                return Disposables.create()
            }
            _ = Observable.just("c").observe(on: scheduler).subscribe(onNext: { log.note($0) })
            _ = scheduler.scheduleRelative((), dueTime: .milliseconds(1)) { _ in
                log.note("d")
                done.fire()
                return Disposables.create()
            }
            return Disposables.create()
        }
        #expect(done.wait())
        #expect(log.text == "a b c d")
    }

    @Test("A disposed hop releases its pending events in its turn") func disposedHop() async {
        let queue = DispatchQueue(label: "busy")
        let scheduler = SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "test")
        let source = PublishSubject<ReleaseToken>()
        weak var element: ReleaseToken?
        queue.suspend()
        let subscription = source.observe(on: scheduler).subscribe(onNext: { _ in Issue.record("disposed of") })
        do {
            let token = ReleaseToken()
            element = token
            for _ in 0..<100 { source.onNext(token) }
        }
        subscription.dispose()
        queue.resume()
        #expect(await eventually { element == nil })
    }

    @Test("A chain of hops over all schedulers keeps the order") func chainOfHops() {
        let done = OneShot()
        nonisolated(unsafe) var next = 0
        nonisolated(unsafe) var faults = 0
        var chain = Observable.range(start: 0, count: 20_000)
        for kind in ThreadedScheduler.allCases + ThreadedScheduler.allCases where kind != .users {
            chain = chain.observe(on: kind.make())
        }
        let subscription = chain.subscribe(
            onNext: {
                if $0 != next { faults += 1 }
                next += 1
            }, onCompleted: { done.fire() })
        #expect(done.wait())
        #expect(next == 20_000 && faults == 0)
        subscription.dispose()
    }

    /// The terminal event has been submitted, and arrives when the scheduler runs it.
    @Test("A hop disposes of its source after the closures of the do above it") func disposeOrder() {
        let log = EventLog()
        let source = PublishSubject<Int>()
        let scheduler = HistoricalScheduler()
        _ = log.observe(
            source.do(onDispose: { log.note("dispose") }).do(afterCompleted: { log.note("after") })
                .observe(on: scheduler))
        source.onCompleted()
        #expect(log.text == "after dispose")
        scheduler.start()
        #expect(log.text == "after dispose completed")
    }
}

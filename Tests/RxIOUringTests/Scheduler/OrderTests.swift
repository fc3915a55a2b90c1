// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxIOUring
import RxPrimitives
import RxSwift
import TestSupport
import Testing

/// A loop runs all kinds of work of all threads in the order of submission (law L4).
@Suite struct OrderTests {
    @Test("Hops, actions and jobs share one order", arguments: Backend.built)
    func oneOrder(_ backend: Backend) {
        let scheduler = IOUringScheduler(backend: backend)
        let log = EventLog()
        let gate = OneShot()
        let begun = OneShot()
        let first = PublishSubject<Int>()
        let second = PublishSubject<Int>()
        let bag = DisposeBag()
        log.observe(first.observe(on: scheduler), "a").disposed(by: bag)
        log.observe(second.observe(on: scheduler), "b").disposed(by: bag)
        let job = scheduler.makeJob { log.note("j") }
        scheduler.run {
            begun.fire()
            _ = gate.wait()
        }
        #expect(begun.wait())
        first.onNext(1)
        first.onNext(2)
        scheduler.run { log.note("x") }
        second.onNext(3)
        job.post()
        first.onNext(4)
        job.post()
        second.onNext(5)
        scheduler.run { log.note("y") }
        second.onCompleted()
        first.onNext(6)
        gate.fire()
        scheduler.shutdown()
        #expect(log.text == "a1 a2 x b3 j a4 b5 y bcompleted a6")
    }

    @Test("Work of the loop follows the submissions that the loop has seen", arguments: Backend.built)
    func ownWork(_ backend: Backend) {
        let scheduler = IOUringScheduler(backend: backend)
        let log = EventLog()
        let subject = PublishSubject<Int>()
        let subscription = log.observe(subject.observe(on: scheduler))
        let (begun, submitted, seen) = (OneShot(), OneShot(), OneShot())
        scheduler.run {
            scheduler.run { log.note("own before") }
            begun.fire()
            _ = submitted.wait()
            scheduler.run { log.note("own between") }
            seen.fire()
            _ = submitted.wait()
            scheduler.run { log.note("own behind") }
        }
        #expect(begun.wait())
        scheduler.run { log.note("action") }
        subject.onNext(1)
        submitted.fire()
        #expect(seen.wait())
        // The submission for the first event is no longer the last one, so the second event needs another.
        subject.onNext(2)
        submitted.fire()
        usleep(1_000)
        scheduler.shutdown()
        #expect(log.text == "own before action 1 own between 2 own behind")
        subscription.dispose()
    }

    /// The observer of the hop submits an action and emits the next event.
    @Test("An event emitted on the loop follows the work submitted there before", arguments: Backend.built)
    func ownEvent(_ backend: Backend) {
        let scheduler = IOUringScheduler(backend: backend)
        let log = EventLog()
        let subject = PublishSubject<Int>()
        let done = OneShot()
        let subscription = subject.observe(on: scheduler).subscribe(onNext: { number in
            log.note("\(number)")
            if number == 1 {
                scheduler.run { log.note("action") }
                subject.onNext(2)
                scheduler.run { log.note("action") }
                subject.onNext(3)
            }
            if number == 3 { done.fire() }
        })
        // The loop emits the first event. If another thread did, that thread would deliver the others, too.
        scheduler.run { subject.onNext(1) }
        #expect(done.wait())
        #expect(log.text == "1 action 2 action 3")
        subscription.dispose()
        scheduler.shutdown()
    }

    /// The threads submit through actions and through hops.
    @Test("The work of each thread keeps its order", arguments: Backend.built)
    func perThread(_ backend: Backend) {
        let scheduler = IOUringScheduler(backend: backend)
        let threads = 4
        let count = stepCount(20_000, debug: 4_000)
        nonisolated(unsafe) var next = [Int](repeating: 0, count: threads)
        nonisolated(unsafe) var wrong = 0
        let subjects = (0..<threads).map { _ in PublishSubject<Int>() }
        let bag = DisposeBag()
        func check(_ thread: Int, _ number: Int) {
            if next[thread] != number { wrong += 1 }
            next[thread] = number + 1
        }
        for thread in 0..<threads {
            subjects[thread].observe(on: scheduler).subscribe(onNext: { check(thread, $0) }).disposed(by: bag)
        }
        race(
            (0..<threads).map { thread in
                {
                    for number in 0..<count {
                        if number % 3 == thread % 3 {
                            scheduler.run { check(thread, number) }
                        } else {
                            subjects[thread].onNext(number)
                        }
                    }
                }
            })
        scheduler.shutdown()
        #expect(wrong == 0 && next == [Int](repeating: count, count: threads))
    }

    @Test("An action without a delay keeps its place among the work submitted", arguments: Backend.built)
    func actionWithoutDelay(_ backend: Backend) {
        let scheduler = IOUringScheduler(backend: backend)
        let log = EventLog()
        let done = OneShot()
        scheduler.run {
            for number in [1, 2] {
                _ = scheduler.scheduleRelative((), dueTime: .nanoseconds(number - 2)) { _ in
                    log.note("t\(number)")
                    if number == 2 { done.fire() }
                    return Disposables.create()
                }
                scheduler.run { log.note("a\(number)") }
            }
        }
        #expect(done.wait())
        scheduler.shutdown()
        #expect(log.text == "t1 a1 t2 a2")
    }

    @Test("A million recursive steps fit in the stack (law L8)", arguments: Backend.built)
    func recursion(_ backend: Backend) {
        let scheduler = IOUringScheduler(backend: backend)
        let count = stepCount(1_000_000, debug: 200_000)
        let done = OneShot()
        _ = scheduler.scheduleRecursive(0) { number, again in
            if number == count { done.fire() } else { again(number + 1) }
        }
        #expect(done.wait(seconds: 60))
        let timed = OneShot()
        @Sendable func step(_ number: Int) {
            _ = scheduler.scheduleRelative(number, dueTime: .nanoseconds(0)) { number in
                if number == count / 10 { timed.fire() } else { step(number + 1) }
                return Disposables.create()
            }
        }
        step(0)
        #expect(timed.wait(seconds: 60))
        scheduler.shutdown()
    }
}

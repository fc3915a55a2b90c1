// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import RxPrimitives
import RxSwift
import TestSupport
import Testing

@Suite struct ObserveOnBoundedTests {
    private func text(_ numbers: [Int]) -> [String] { numbers.map(String.init) }

    @Test(
        "No more elements wait than the bound allows",
        arguments: [
            (BackpressureOverflow.dropOldest, Array(16...20), Array(1...15)),
            (.dropNewest, Array(1...5), Array(6...20)),
            (.latest, [20], Array(1...19)),
            (.suspend, Array(1...20), []),
        ])
    func policies(overflow: BackpressureOverflow, kept: [Int], dropped: [Int]) async {
        let gated = GatedScheduler()
        let subject = PublishSubject<Int>()
        let log = EventLog()
        nonisolated(unsafe) var droppedElements: [Int] = []
        let subscription = log.observe(
            subject.observe(on: gated.scheduler, buffer: 5, overflow: overflow) { droppedElements.append($0) })
        for number in 1...20 { subject.onNext(number) }
        subject.onCompleted()
        #expect(droppedElements == dropped)
        gated.open()
        #expect(await eventually { log.lines == text(kept) + ["completed"] })
        subscription.dispose()
    }

    @Test("With .error the elements that wait come before the error, and the source is cancelled at once")
    func fails() async {
        let gated = GatedScheduler()
        let probe = PausableProbe()
        let log = EventLog()
        nonisolated(unsafe) var dropped: [Int] = []
        let subscription = log.observe(
            probe.observable.observe(on: gated.scheduler, buffer: 3, overflow: .error) { dropped.append($0) })
        for _ in 0..<3 { probe.emit() }
        #expect(!probe.isStopped)
        probe.emit()
        #expect(probe.isStopped && dropped == [4])
        gated.open()
        let error = "error(observe(on:buffer:overflow:): the buffer of 3 elements is full)"
        #expect(await eventually { log.lines == ["1", "2", "3", error] })
        subscription.dispose()
    }

    @Test(
        "With .suspend the source pauses at the bound, and goes on when half is delivered", arguments: [1, 2, 5, 100])
    func suspends(buffer: Int) async {
        let gated = GatedScheduler()
        let probe = PausableProbe()
        let subscription = probe.observable.observe(on: gated.scheduler, buffer: buffer, overflow: .suspend).subscribe()
        #expect(probe.emitUntilPaused(limit: 1_000) == buffer)
        #expect(probe.resumeCount == 0)
        gated.open()
        #expect(await eventually { probe.resumeCount == 1 })
        #expect(!probe.ask())
        subscription.dispose()
    }

    @Test(
        "The elements that are delivered keep their places among the other work of the scheduler",
        arguments: [
            (BackpressureOverflow.dropOldest, "A 2 B 3"), (.dropNewest, "1 A 2 B"), (.suspend, "1 A 2 B 3"),
            (.latest, "A B 3"),
        ])
    func order(overflow: BackpressureOverflow, expected: String) async {
        let gated = GatedScheduler()
        let subject = PublishSubject<Int>()
        let log = EventLog()
        let subscription = log.observe(subject.observe(on: gated.scheduler, buffer: 2, overflow: overflow))
        func work(_ name: String) {
            _ = gated.scheduler.schedule(name) { name in
                log.note(name)
                return Disposables.create()
            }
        }
        subject.onNext(1)
        work("A")
        subject.onNext(2)
        work("B")
        subject.onNext(3)
        gated.open()
        gated.finish()
        #expect(log.text == expected)
        subscription.dispose()
    }

    @Test(
        "A hop that the downstream pauses keeps the bound, and delivers when it is resumed",
        arguments: [
            BackpressureOverflow.dropOldest, .dropNewest, .latest, .suspend,
        ])
    func paused(overflow: BackpressureOverflow) async {
        let free = SerialDispatchQueueScheduler(internalSerialQueueName: "free")
        let gated = GatedScheduler()
        let subject = PublishSubject<Int>()
        let log = EventLog()
        nonisolated(unsafe) var dropped = 0
        let subscription = log.observe(
            subject.observe(on: free, buffer: 50, overflow: overflow) { _ in dropped += 1 }
                .observe(on: gated.scheduler, buffer: 10, overflow: .suspend))
        for number in 1...10_000 { subject.onNext(number) }
        subject.onCompleted()
        if overflow != .suspend { #expect(dropped > 5_000) }
        gated.open()
        #expect(await eventually { log.lines.last == "completed" })
        #expect(log.lines.count - 1 + dropped == 10_000)
        subscription.dispose()
    }

    /// The fault: the newest element waited behind the places of all that were dropped. A sender without a pause made them grow, and it never came.
    @Test("Several hops on one scheduler deliver while the source floods them")
    func flood() {
        let scheduler = SerialDispatchQueueScheduler(internalSerialQueueName: "flooded")
        let subject = PublishSubject<Int>()
        let counts = (0..<5).map { _ in AtomicCounter(0) }
        let bag = DisposeBag()
        for count in counts {
            subject.observe(on: scheduler, buffer: 1, overflow: .latest).subscribe(onNext: { _ in
                usleep(100)
                count.increment()
            }).disposed(by: bag)
        }
        let end = MonotonicClock.now() + 2_000_000_000
        var number = 0
        while MonotonicClock.now() < end {
            subject.onNext(number)
            number += 1
        }
        #expect(counts.allSatisfy { $0.value > 20 }, "\(counts.map(\.value)) of \(number) elements")
    }

    @Test("A disposal releases the elements that wait")
    func dispose() async {
        let released = AtomicCounter(0)
        let probe = PausableProbe { _ in ReleaseToken { released.increment() } }
        let gated = GatedScheduler()
        let subscription = probe.observable.observe(on: gated.scheduler, buffer: 10, overflow: .dropOldest).subscribe()
        for _ in 0..<30 { probe.emit() }
        #expect(released.value == 20)
        subscription.dispose()
        #expect(released.value == 30)
        gated.open()
    }

    @Test("onDropped may dispose of the subscription")
    func disposeInDrop() {
        let gated = GatedScheduler()
        let subject = PublishSubject<Int>()
        let subscription = SingleAssignmentDisposable()
        nonisolated(unsafe) var dropped = 0
        subscription.setDisposable(
            subject.observe(on: gated.scheduler, buffer: 1, overflow: .dropOldest) { _ in
                dropped += 1
                subscription.dispose()
            }.subscribe())
        for number in 0..<100 { subject.onNext(number) }
        #expect(dropped == 1)
        #expect(!subject.hasObservers)
        gated.open()
    }

    @Test("On the main queue events pass at once")
    func main() async {
        nonisolated(unsafe) var text = ""
        await onMainQueue {
            let subject = PublishSubject<Int>()
            let log = EventLog()
            let subscription = log.observe(
                subject.observe(on: MainScheduler.instance, buffer: 1, overflow: .dropNewest))
            for number in 1...5 { subject.onNext(number) }
            subject.onCompleted()
            text = log.text
            subscription.dispose()
        }
        #expect(text == "1 2 3 4 5 completed")
    }

    @Test(
        "A source that races with the scheduler loses nothing but what is dropped",
        arguments: [
            BackpressureOverflow.suspend, .dropOldest, .dropNewest, .latest,
        ], [ThreadedScheduler.serialDispatch, .boundedPool, .concurrentDispatch])
    func race(overflow: BackpressureOverflow, kind: ThreadedScheduler) {
        let count = stepCount(200_000, debug: 50_000)
        for round in 0..<3 {
            let worker = kind.make()
            let subject = PublishSubject<Int>()
            nonisolated(unsafe) var received: [Int] = []
            nonisolated(unsafe) var dropped = 0
            let done = OneShot()
            let subscription = subject.observe(on: worker, buffer: 1 + round * 20, overflow: overflow) { _ in
                dropped += 1
            }
            .subscribe(onNext: { received.append($0) }, onCompleted: { done.fire() })
            for number in 0..<count { subject.onNext(number) }
            subject.onCompleted()
            #expect(done.wait())
            #expect(received.count + dropped == count)
            #expect(zip(received, received.dropFirst()).allSatisfy { $0 < $1 })
            if overflow != .dropNewest { #expect(received.last == count - 1) }
            subscription.dispose()
        }
    }

    @Test("In virtual time an element comes a tick later", arguments: BackpressureOverflow.allCases)
    func virtualTime(overflow: BackpressureOverflow) throws {
        try expectMarbles(
            source: "^--1---2---3---|",
            result: "^---1---2---3---|", ticks: 1
        ) { source, scheduler in source.observe(on: scheduler, buffer: 1, overflow: overflow) }
    }

    @Test("A bound that is not positive stops the program", arguments: [0, -1])
    func badBound(buffer: Int) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [buffer] in
            _ = Observable<Int>.never().observe(on: MainScheduler.instance, buffer: buffer, overflow: .dropOldest)
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("observe(on:buffer:overflow:): buffer must be positive, is \(buffer)"))
    }
}

// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import RxSwift
import TestSupport
import Testing

/// Pressure (law L13): which stage pauses a source, and who resumes it.
@Suite struct PausableSourceTests {
    @Test("observe(on:) pauses its source at 8,192 elements or a few more, and resumes it when half are delivered")
    func hopPauses() async {
        let probe = PausableProbe()
        let gated = GatedScheduler()
        let received = AtomicCounter(0)
        let subscription = probe.observable.map { $0 }.observe(on: gated.scheduler).subscribe(onNext: { _ in
            received.increment()
        })
        let sent = probe.emitUntilPaused(limit: 20_000)
        #expect((7_000...8_192).contains(sent))
        #expect(probe.resumeCount == 0)
        gated.open()
        #expect(await eventually { probe.resumeCount == 1 })
        #expect(!probe.ask())
        gated.finish()
        #expect(await eventually { received.value == sent })
        subscription.dispose()
    }

    @Test("observe(on:) counts the memory that elements hold: 1 MiB pauses the source")
    func hopWeighs() async {
        let probe = PausableProbe { _ in String(repeating: "x", count: 100_000) }
        let gated = GatedScheduler()
        let subscription = probe.observable.observe(on: gated.scheduler).subscribe()
        #expect((9...17).contains(probe.emitUntilPaused(limit: 10_000)))
        gated.open()
        #expect(await eventually { probe.resumeCount == 1 })
        #expect(!probe.ask())
        subscription.dispose()
    }

    @Test(
        "observe(on:) resumes a source of elements that fill its queue each: the last one does not keep the source waiting"
    )
    func hopOfHeavyElements() async {
        let probe = PausableProbe { _ in String(repeating: "x", count: 2_000_000) }
        let gated = GatedScheduler()
        let subscription = probe.observable.observe(on: gated.scheduler).subscribe()
        #expect(probe.emitUntilPaused(limit: 100) == 2)
        gated.open()
        #expect(await eventually { probe.resumeCount == 1 })
        #expect(!probe.ask())
        subscription.dispose()
    }

    @Test(
        "A hop to the main queue that is paused delivers an event of the main thread behind those that it has postponed"
    )
    func inlineBehindPostponed() async {
        let probe = PausableProbe()
        let gated = GatedScheduler()
        let received = Guarded<[Int]>([])
        let hasCompleted = Guarded(false)
        let subscription = probe.observable.observe(on: MainScheduler.instance).observe(on: gated.scheduler)
            .subscribe(
                onNext: { element in received.change { $0.append(element) } },
                onCompleted: { hasCompleted.value = true })
        for _ in 0..<20_000 { probe.emit() }
        // Behind the batches that the elements lie in.
        for _ in 0..<200 { await MainActor.run {} }
        await MainActor.run {
            for _ in 0..<10 { probe.emit() }
            probe.complete()
        }
        gated.open()
        #expect(await eventually { hasCompleted.value })
        #expect(received.value == Array(1...20_010))
        subscription.dispose()
    }

    /// Says that it weighs as much as it was told to.
    private struct Claim: Weighted {
        let weightInBytes: Int
    }

    @Test("A greatest weight behind a small one overflows nothing")
    func greatestWeights() {
        let gated = GatedScheduler()
        let probe = PausableProbe { [Claim(weightInBytes: $0 == 1 ? 1 : .max), Claim(weightInBytes: .max)] }
        let subscription = probe.observable.observe(on: gated.scheduler).subscribe()
        probe.emitUntilPaused(limit: 100)
        #expect(probe.isPaused)
        let (first, second) = (PausableProbe { Claim(weightInBytes: $0 == 1 ? 1 : .max) }, PausableProbe())
        let zipped = Observable.zip(first.observable, second.observable).subscribe()
        #expect(first.emitUntilPaused(limit: 100) == 2)
        gated.open()
        subscription.dispose()
        zipped.dispose()
    }

    @Test("A stage that pauses its source accepts, in order, all that comes nevertheless")
    func adviceOnly() async {
        let probe = PausableProbe()
        let gated = GatedScheduler()
        let received = Guarded<[Int]>([])
        let hasCompleted = Guarded(false)
        let subscription = probe.observable.observe(on: gated.scheduler)
            .subscribe(
                onNext: { element in received.change { $0.append(element) } },
                onCompleted: { hasCompleted.value = true })
        for _ in 0..<30_000 { probe.emit() }
        #expect(probe.isPaused)
        probe.complete()
        gated.open()
        gated.finish()
        #expect(await eventually { hasCompleted.value })
        #expect(received.value == Array(1...30_000))
        subscription.dispose()
    }

    @Test("A hop is paused by the hop below it: both together hold a bounded number of elements")
    func hopPausesHop() async {
        let probe = PausableProbe()
        let gated = GatedScheduler()
        let free = SerialDispatchQueueScheduler(internalSerialQueueName: "free")
        let received = AtomicCounter(0)
        let subscription = probe.observable.observe(on: free).map { $0 }.observe(on: gated.scheduler)
            .subscribe(onNext: { _ in received.increment() })
        var sent = 0
        // The hop above may be about to fill the one below.
        for _ in 0..<100 where sent < 100_000 {
            sent += probe.emitUntilPaused(limit: 100_000)
            usleep(2_000)
        }
        #expect(probe.ask())
        // Hops count chunks of 512 elements, the first of 64, from their first element on. 16 chunks pause: 7,233 elements at least. The upper
        // hop keeps its source paused until 8 are left: 9 hold 3,585 at least, as the oldest may be used up and the newest just begun.
        #expect((10_818...26_000).contains(sent))
        gated.open()
        #expect(
            await eventually {
                if probe.ask() { return false }
                gated.finish()
                return received.value == sent
            })
        subscription.dispose()
    }

    @Test("A dispose below a paused source resumes it, as it may serve others")
    func disposeResumes() {
        let probe = PausableProbe()
        let gated = GatedScheduler()
        let shared = probe.observable.publish()
        let connection = shared.connect()
        let subscription = shared.observe(on: gated.scheduler).subscribe()
        #expect(probe.emitUntilPaused(limit: 20_000) < 20_000)
        subscription.dispose()
        #expect(probe.resumeCount >= 1)
        #expect(!probe.ask())
        gated.open()
        connection.dispose()
    }

    @Test("A fan-out pauses its source only while all subscribers do, and a new subscriber resumes it")
    func fanOut() {
        let probe = PausableProbe()
        let gated = GatedScheduler()
        let shared = probe.observable.share()
        let slow = shared.observe(on: gated.scheduler).subscribe()
        let fast = shared.subscribe()
        #expect(probe.emitUntilPaused(limit: 20_000) == 20_000)
        fast.dispose()
        #expect(probe.ask())
        let another = shared.subscribe()
        #expect(probe.resumeCount == 1)
        #expect(!probe.ask())
        gated.open()
        slow.dispose()
        another.dispose()
    }

    @Test("zip pauses the source that is ahead, and resumes it when the other one has caught up")
    func zip() {
        let (first, second) = (PausableProbe(), PausableProbe())
        let subscription = Observable.zip(first.observable, second.observable).subscribe()
        #expect(first.emitUntilPaused(limit: 1_000) == 256)
        #expect(second.emitUntilPaused(limit: 100) == 100)
        #expect(first.ask() && first.resumeCount == 0)
        second.emitUntilPaused(limit: 28)
        #expect(first.resumeCount == 1 && !first.ask())
        subscription.dispose()
    }

    @Test("zip of three sources that pause at different times does not stand still")
    func zipOfThree() {
        let probes = (0..<3).map { _ in PausableProbe() }
        var count = 0
        let subscription = Observable.zip(probes.map(\.observable)).subscribe(onNext: { _ in count += 1 })
        probes[0].emitUntilPaused(limit: 1_000)
        probes[1].emitUntilPaused(limit: 200)
        for _ in 0..<130 { probes[2].emit() }
        // The first slot has come to its low mark while the second is above it.
        for _ in 0..<56 { probes[1].emit() }
        #expect(probes[0].resumeCount == 1)
        for _ in 0..<2_000 { for probe in probes where !probe.ask() { probe.emit() } }
        #expect(count > 1_000)
        subscription.dispose()
    }

    @Test("zip of three sources on schedulers of their own comes to its end")
    func zipOfScheduledSources() {
        for _ in 0..<3 {
            let done = OneShot()
            nonisolated(unsafe) var count = 0
            let sources = (0..<3).map { number in
                Observable.range(
                    start: 0, count: 50_000,
                    scheduler: SerialDispatchQueueScheduler(internalSerialQueueName: "zip.\(number)"))
            }
            let subscription = Observable.zip(sources).subscribe(
                onNext: { _ in count += 1 }, onCompleted: { done.fire() })
            #expect(done.wait(seconds: 20))
            #expect(count == 50_000)
            subscription.dispose()
        }
    }

    @Test("delay lets its source pause while the stages below are full, also when its timer is never idle")
    func delayPauses() {
        let gated = GatedScheduler()
        let made = AtomicCounter(0)
        let subscription = Observable.generate(
            initialState: 0, condition: { _ in true },
            scheduler: SerialDispatchQueueScheduler(internalSerialQueueName: "delay.source"),
            iterate: {
                made.increment()
                return $0 + 1
            }
        ).delay(.milliseconds(1), scheduler: SerialDispatchQueueScheduler(internalSerialQueueName: "delay.timer"))
            .observe(on: gated.scheduler).subscribe()
        Thread.sleep(forTimeInterval: 0.7)
        let before = made.value
        Thread.sleep(forTimeInterval: 0.7)
        let more = made.value - before
        #expect(more < 10_000, "made \(before), then \(more) more")
        gated.open()
        subscription.dispose()
    }

    @Test("zip of a shared source with a later part of itself does not stand still")
    func diamond() {
        let probe = PausableProbe()
        let shared = probe.observable.share()
        var count = 0
        let subscription = Observable.zip(shared, shared.skip(20_000)).subscribe(onNext: { _ in count += 1 })
        #expect(probe.emitUntilPaused(limit: 30_000) == 30_000)
        #expect(count == 10_000)
        subscription.dispose()
    }

    @Test("groupBy with fewer slots than groups does not stand still")
    func groups() {
        let probe = PausableProbe()
        var count = 0
        let subscription = probe.observable.groupBy { $0 % 8 }.merge(maxConcurrent: 2).subscribe(onNext: { _ in
            count += 1
        })
        #expect(probe.emitUntilPaused(limit: 8_000) == 8_000)
        #expect(count == 2_000)
        subscription.dispose()
    }

    @Test("merge(maxConcurrent:) pauses the outer source while 16 inner ones wait")
    func limitedMerge() {
        let inner = PublishSubject<Int>()
        let probe = PausableProbe { _ in inner.take(1) }
        let subscription = probe.observable.merge(maxConcurrent: 2).subscribe()
        #expect(probe.emitUntilPaused(limit: 1_000) == 18)
        // Each element ends two of them.
        inner.onNext(1)
        #expect(probe.resumeCount == 0 && probe.ask())
        for _ in 0..<3 { inner.onNext(1) }
        #expect(probe.resumeCount == 1 && !probe.ask())
        subscription.dispose()
    }

    @Test("A trigger is never paused")
    func trigger() {
        let (source, trigger) = (PausableProbe(), PausableProbe())
        let gated = GatedScheduler()
        let subscription = source.observable.take(until: trigger.observable.filter { $0 > 1_000_000 })
            .observe(on: gated.scheduler).subscribe()
        source.emitUntilPaused(limit: 20_000)
        #expect(source.isPaused)
        #expect(!trigger.emit())
        gated.open()
        subscription.dispose()
    }

    @Test("A source that a scheduler runs pauses: a slow consumer bounds what an endless one makes")
    func scheduledSource() {
        let gated = GatedScheduler()
        let made = AtomicCounter(0)
        let pool = ConcurrentDispatchQueueScheduler(qos: .default)
        let done = OneShot()
        nonisolated(unsafe) var received = 0
        let subscription = Observable.generate(
            initialState: 0, condition: { _ in true }, scheduler: pool,
            iterate: {
                made.increment()
                return $0 + 1
            }
        ).observe(on: gated.scheduler).subscribe(onNext: { element in
            if element != received { Issue.record("\(element) instead of \(received)") }
            received += 1
            if received == 100_000 { done.fire() }
        })
        usleep(100_000)
        #expect((7_000...9_000).contains(made.value))
        gated.open()
        #expect(done.wait())
        subscription.dispose()
    }

    @Test("A source on the trampoline runs to its end inside subscribe, as in RxSwift")
    func trampoline() {
        let gated = GatedScheduler()
        var mapped = 0
        let subscription = Observable.from(Array(0..<50_000)).map {
            mapped += 1
            return $0
        }.observe(on: gated.scheduler).subscribe()
        #expect(mapped == 50_000)
        gated.open()
        subscription.dispose()
    }

    @Test("On the main queue an event does not overtake those that wait because the downstream has paused the hop")
    func mainQueue() async {
        let gated = GatedScheduler()
        let subject = PublishSubject<Int>()
        let log = EventLog()
        let subscription = log.observe(
            subject.observe(on: MainScheduler.instance).observe(on: gated.scheduler, buffer: 10, overflow: .suspend))
        for number in 1...2_000 { subject.onNext(number) }
        await onMainQueue {}
        await quiet { 0 }
        await onMainQueue {
            subject.onNext(2_001)
            subject.onCompleted()
        }
        gated.open()
        #expect(await eventually { log.lines.last == "completed" })
        #expect(log.lines == (1...2_001).map(String.init) + ["completed"])
        subscription.dispose()
    }

    @Test("A hop that delivers at once, on the main queue, passes the question on")
    func inlineHop() async {
        let gated = GatedScheduler()
        nonisolated(unsafe) var sent = 0
        await onMainQueue {
            let probe = PausableProbe()
            let subscription = probe.observable.observe(on: MainScheduler.instance).observe(on: gated.scheduler)
                .subscribe()
            sent = probe.emitUntilPaused(limit: 20_000)
            subscription.dispose()
        }
        #expect((7_000...8_200).contains(sent))
        gated.open()
    }
}

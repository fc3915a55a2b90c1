// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct OnBackpressureTests {
    /// A zip that pauses the operator under test at 256 elements, and resumes it when 128 of them are combined.
    private final class PausingZip: @unchecked Sendable {
        let probe = PausableProbe()
        let other = PublishSubject<Int>()
        let log = EventLog()
        nonisolated(unsafe) var dropped: [Int] = []

        init(_ overflow: BackpressureOverflow, buffer: Int) {
            let source = probe.observable.onBackpressure(buffer: buffer, overflow: overflow) { [unowned self] in
                dropped.append($0)
            }
            subscription = log.observe(Observable.zip(source, other) { first, _ in first })
        }

        private(set) var subscription: any Disposable = Disposables.create()

        /// Lets `count` more elements through.
        func combine(_ count: Int) { for number in 0..<count { other.onNext(number) } }
    }

    private func text(_ numbers: [Int]) -> [String] { numbers.map(String.init) }

    @Test(
        "Elements that come while the buffer is full are dropped as the policy says",
        arguments: [
            (BackpressureOverflow.dropOldest, Array(263...266), Array(257...262)),
            (.dropNewest, Array(257...260), Array(261...266)),
            (.latest, [266], Array(257...265)),
            (.suspend, Array(257...266), []),
        ])
    func policies(overflow: BackpressureOverflow, kept: [Int], dropped: [Int]) async {
        let zip = PausingZip(overflow, buffer: 4)
        for _ in 0..<266 { zip.probe.emit() }
        #expect(zip.dropped == dropped)
        zip.combine(256 + kept.count)
        let expected = text(Array(1...256) + kept)
        #expect(await eventually { zip.log.lines == expected })
        zip.subscription.dispose()
    }

    @Test("With .suspend the source pauses while the buffer is full, and goes on when half of it is empty")
    func suspends() async {
        let zip = PausingZip(.suspend, buffer: 4)
        #expect(zip.probe.emitUntilPaused(limit: 1_000) == 260)
        #expect(zip.probe.resumeCount == 0)
        zip.combine(128)
        #expect(await eventually { zip.probe.resumeCount == 1 })
        #expect(await eventually { !zip.probe.ask() })
        zip.subscription.dispose()
    }

    @Test(
        "A policy that drops elements never pauses the source",
        arguments: [
            BackpressureOverflow.dropOldest, .dropNewest, .latest,
        ])
    func neverPauses(overflow: BackpressureOverflow) {
        let zip = PausingZip(overflow, buffer: 4)
        #expect(zip.probe.emitUntilPaused(limit: 1_000) == 1_000)
        zip.subscription.dispose()
    }

    @Test("With .error the elements in the buffer come before the error, and the source is cancelled at once")
    func fails() async {
        let probe = PausableProbe()
        let gated = GatedScheduler()
        let log = EventLog()
        nonisolated(unsafe) var dropped: [Int] = []
        let subscription = log.observe(
            probe.observable.onBackpressure(buffer: 4, overflow: .error) { dropped.append($0) }
                .observe(on: gated.scheduler, buffer: 16, overflow: .suspend))
        for _ in 0..<20 { probe.emit() }
        #expect(!probe.isStopped)
        probe.emit()
        #expect(probe.isStopped)
        #expect(dropped == [21])
        gated.open()
        let error = "error(onBackpressure(buffer:overflow:): the buffer of 4 elements is full)"
        #expect(await eventually { log.lines == text(Array(1...20)) + [error] })
        subscription.dispose()
    }

    @Test("A terminal event comes behind the elements that are kept", arguments: [false, true])
    func end(fails: Bool) async {
        let probe = PausableProbe()
        let gated = GatedScheduler()
        let log = EventLog()
        let subscription = log.observe(
            probe.observable.onBackpressure(overflow: .dropOldest)
                .observe(on: gated.scheduler, buffer: 16, overflow: .suspend))
        for _ in 0..<50 { probe.emit() }
        if fails { probe.fail(Failure.expected) } else { probe.complete() }
        #expect(probe.isStopped)
        gated.open()
        let end = fails ? "error(expected)" : "completed"
        #expect(await eventually { log.lines == text(Array(1...50)) + [end] })
        #expect(!log.hasOverlapped)
        subscription.dispose()
    }

    @Test("A disposal while the operator is paused releases what it keeps")
    func disposeWhilePaused() {
        let released = AtomicCounter(0)
        let probe = PausableProbe { _ in ReleaseToken { released.increment() } }
        let gated = GatedScheduler()
        let subscription = probe.observable.onBackpressure(overflow: .suspend)
            .observe(on: gated.scheduler, buffer: 16, overflow: .suspend).subscribe()
        for _ in 0..<50 { probe.emit() }
        #expect(released.value == 0)
        subscription.dispose()
        #expect(probe.isStopped)
        #expect(released.value == 50)
        gated.open()
    }

    @Test("A source that was paused goes on when the operator is disposed of, as it may serve others")
    func disposeResumes() {
        let probe = PausableProbe()
        let gated = GatedScheduler()
        let shared = probe.observable.publish()
        let connection = shared.connect()
        let subscription = shared.onBackpressure(buffer: 4, overflow: .suspend)
            .observe(on: gated.scheduler, buffer: 16, overflow: .suspend).subscribe()
        #expect(probe.emitUntilPaused(limit: 1_000) < 1_000)
        subscription.dispose()
        #expect(probe.resumeCount >= 1 && !probe.ask())
        connection.dispose()
        gated.open()
    }

    @Test("onDropped may dispose of the subscription")
    func disposeInDrop() {
        let gated = GatedScheduler()
        let subject = PublishSubject<Int>()
        let subscription = SingleAssignmentDisposable()
        nonisolated(unsafe) var dropped = 0
        subscription.setDisposable(
            subject.onBackpressure(buffer: 1, overflow: .dropNewest) { _ in
                dropped += 1
                subscription.dispose()
            }.observe(on: gated.scheduler, buffer: 1, overflow: .suspend).subscribe())
        for number in 0..<100 { subject.onNext(number) }
        #expect(dropped == 1)
        #expect(!subject.hasObservers)
        gated.open()
    }

    @Test(
        "A slow subscriber of a fan-out that drops elements slows down neither the source nor the others",
        arguments: [
            BackpressureOverflow.dropOldest, .latest,
        ])
    func fanOut(overflow: BackpressureOverflow) async {
        let probe = PausableProbe()
        let gated = GatedScheduler()
        let shared = probe.observable.share()
        let log = EventLog()
        nonisolated(unsafe) var fast = 0
        let subscriptions = [
            log.observe(shared.onBackpressure(buffer: 10, overflow: overflow).observe(on: gated.scheduler)),
            shared.subscribe(onNext: { _ in fast += 1 }),
        ]
        #expect(probe.emitUntilPaused(limit: 50_000) == 50_000)
        #expect(fast == 50_000)
        gated.open()
        #expect(await eventually { log.lines.last == "50000" })
        #expect(log.lines.count < 8_192 + 16 + 10 + 1)
        for subscription in subscriptions { subscription.dispose() }
    }

    @Test(
        "A source that races with a slower consumer loses nothing but what is dropped, and no resume",
        arguments: [
            BackpressureOverflow.suspend, .dropOldest, .dropNewest, .latest,
        ])
    func race(overflow: BackpressureOverflow) {
        let count = stepCount(200_000, debug: 50_000)
        for round in 0..<5 {
            let worker = SerialDispatchQueueScheduler(internalSerialQueueName: "worker")
            let subject = PublishSubject<Int>()
            nonisolated(unsafe) var received: [Int] = []
            nonisolated(unsafe) var dropped = 0
            let done = OneShot()
            let subscription = subject.onBackpressure(buffer: 1 + round * 20, overflow: overflow) { _ in dropped += 1 }
                .observe(on: worker, buffer: 1 + round * 7, overflow: .suspend)
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

    @Test("Without a stage that pauses it, every event passes at once", arguments: BackpressureOverflow.allCases)
    func transparent(overflow: BackpressureOverflow) throws {
        try expectMarbles(
            source: "1-^2-34----5---#",
            result: "  ^2-34----5---#",
            active: "  ^------------!"
        ) { source, _ in source.onBackpressure(buffer: 1, overflow: overflow) }
    }

    @Test("A bound that is not positive stops the program", arguments: [0, -1])
    func badBound(buffer: Int) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [buffer] in
            _ = Observable<Int>.never().onBackpressure(buffer: buffer, overflow: .dropOldest)
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("onBackpressure(buffer:overflow:): buffer must be positive, is \(buffer)"))
    }
}

// SPDX-License-Identifier: Apache-2.0

import RxPrimitives
import RxSwift
import TestSupport
import Testing

/// Tasks that wait while the stages below pause them (law L13).
@Suite struct PausableTaskTests {
    /// A sequence of numbers that counts those which were asked for.
    private struct Numbers: AsyncSequence, Sendable {
        let end: Int
        let asked: AtomicCounter
        let ended: AtomicCounter

        final class Iterator: AsyncIteratorProtocol {
            private let numbers: Numbers
            private var latest = 0

            init(_ numbers: Numbers) { self.numbers = numbers }

            deinit { numbers.ended.increment() }

            func next() async throws -> Int? {
                try Task.checkCancellation()
                if latest == numbers.end { return nil }
                numbers.asked.increment()
                latest += 1
                return latest
            }
        }

        func makeAsyncIterator() -> Iterator { Iterator(self) }
    }

    @Test("A slow consumer bounds the elements that are asked for, and gets all of them")
    func pauses() async throws {
        let numbers = Numbers(end: 30_000, asked: AtomicCounter(0), ended: AtomicCounter(0))
        let gated = GatedScheduler()
        let received = AtomicCounter(0)
        nonisolated(unsafe) var isInOrder = true
        let done = OneShot()
        let subscription = numbers.asObservable().observe(on: gated.scheduler).subscribe(
            onNext: {
                received.increment()
                if $0 != received.value { isInOrder = false }
            }, onCompleted: { done.fire() })
        #expect(await eventually { numbers.asked.value > 7_000 })
        await quiet { numbers.asked.value }
        #expect(numbers.asked.value <= 8_192 + 16)
        gated.open()
        #expect(await eventually { received.value == 30_000 })
        #expect(done.wait())
        #expect(isInOrder)
        subscription.dispose()
    }

    @Test("A disposal ends a task that is paused")
    func dispose() async {
        let numbers = Numbers(end: .max, asked: AtomicCounter(0), ended: AtomicCounter(0))
        let gated = GatedScheduler()
        let subscription = numbers.asObservable().observe(on: gated.scheduler, buffer: 10, overflow: .suspend)
            .subscribe()
        #expect(await eventually { numbers.asked.value >= 16 })
        await quiet { numbers.asked.value }
        #expect(numbers.ended.value == 0)
        subscription.dispose()
        #expect(await eventually { numbers.ended.value == 1 })
        gated.open()
    }

    @Test("A disposal that races with a resume ends the task")
    func race() async {
        for round in 0..<stepCount(300, debug: 100) {
            let numbers = Numbers(end: .max, asked: AtomicCounter(0), ended: AtomicCounter(0))
            let gated = GatedScheduler()
            let subscription = numbers.asObservable().observe(on: gated.scheduler, buffer: 16, overflow: .suspend)
                .subscribe()
            _ = await eventually { numbers.asked.value >= 16 }
            gated.open()
            jitter(round)
            subscription.dispose()
            guard await eventually({ numbers.ended.value == 1 }) else {
                Issue.record("round \(round)")
                return
            }
        }
    }
}

extension PausableTaskTests {
    @Test("A stream pauses its source while 8,192 elements wait, until half of them are taken")
    func stream() async {
        let probe = PausableProbe()
        var iterator = Infallible<Int>(raw: probe.observable).values.makeAsyncIterator()
        #expect(probe.emitUntilPaused(limit: 20_000) == 8_192)
        // Advice only: the elements that come nevertheless are kept.
        for _ in 0..<1_000 { probe.emit() }
        var received: [Int] = []
        while received.count < 5_095, let element = await iterator.next() { received.append(element) }
        #expect(probe.resumeCount == 0)
        if let element = await iterator.next() { received.append(element) }
        #expect(probe.resumeCount == 1 && !probe.ask())
        probe.complete()
        while let element = await iterator.next() { received.append(element) }
        #expect(received == Array(1...9_192))
    }

    @Test("A stream counts the memory that its elements hold")
    func weight() async {
        let probe = PausableProbe { _ in String(repeating: "x", count: 1 << 17) }
        var iterator = Infallible<String>(raw: probe.observable).values.makeAsyncIterator()
        #expect(probe.emitUntilPaused(limit: 1_000) == 8)
        for _ in 0..<3 { _ = await iterator.next() }
        #expect(probe.resumeCount == 0)
        _ = await iterator.next()
        #expect(probe.resumeCount == 1 && !probe.ask())
    }

    @Test("The release of a stream resumes a source that it had paused, as that may serve others")
    func streamIsReleased() {
        let probe = PausableProbe()
        let shared = probe.observable.publish()
        let connection = shared.connect()
        do {
            let stream = Infallible<Int>(raw: shared).values
            #expect(probe.emitUntilPaused(limit: 20_000) == 8_192)
            withExtendedLifetime(stream) {}
        }
        #expect(probe.resumeCount >= 1 && !probe.ask())
        connection.dispose()
    }

    @Test("A stream loses nothing that a source on another thread sends")
    func streamRace() async {
        let count = stepCount(200_000, debug: 50_000)
        let source = Observable.range(
            start: 0, count: count, scheduler: ConcurrentDispatchQueueScheduler(qos: .default))
        var next = 0
        for await element in Infallible<Int>(raw: source).values {
            if element != next { Issue.record("\(element) instead of \(next)") }
            next = element + 1
        }
        #expect(next == count)
    }
}

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

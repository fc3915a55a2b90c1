// SPDX-License-Identifier: Apache-2.0

import Glibc
import RxPrimitives
import RxSwift
import TestSupport
import Testing

/// The bound of `values` of a sequence that may fail (law L13).
@Suite struct ThrowingValuesTests {
    @Test("A stream pauses its source when many elements wait, and gets all of them")
    func pauses() async throws {
        let probe = PausableProbe()
        var iterator = probe.observable.values.makeAsyncIterator()
        #expect(probe.emitUntilPaused(limit: 20_000) == 512 + 1 + 8_192)
        // Advice only: the elements that come nevertheless are kept.
        for _ in 0..<1_000 { probe.emit() }
        #expect(probe.resumeCount == 0)
        var received: [Int] = []
        while received.count < 6_000, let element = try await iterator.next() { received.append(element) }
        #expect(await eventually { probe.resumeCount == 1 })
        #expect(!probe.ask())
        probe.complete()
        while let element = try await iterator.next() { received.append(element) }
        #expect(received == Array(1...9_705))
    }

    @Test("A stream that no task reads bounds the elements that an endless source makes")
    func unread() async throws {
        let made = AtomicCounter(0)
        let scheduler = ConcurrentDispatchQueueScheduler(qos: .default)
        let stream = Observable.range(start: 0, count: .max, scheduler: scheduler)
            .do(onNext: { _ in made.increment() }).values
        #expect(await eventually { made.value > 8_192 })
        await quiet { made.value }
        #expect(made.value <= 512 + 1 + 8_192 + 512)
        var next = 0
        for try await element in stream {
            if element != next { Issue.record("\(element) instead of \(next)") }
            next += 1
            if next == 100_000 { break }
        }
    }

    @Test("A stream counts the memory that its elements hold")
    func weight() async throws {
        let probe = PausableProbe { _ in String(repeating: "x", count: 1 << 17) }
        var iterator = probe.observable.values.makeAsyncIterator()
        #expect(probe.emitUntilPaused(limit: 1_000) == 16 + 1 + 8)
        // Nothing more while no task reads.
        usleep(300_000)
        #expect(probe.ask())
        for _ in 0..<probe.count { _ = try await iterator.next() }
        #expect(await eventually { probe.resumeCount == 1 && !probe.ask() })
    }

    @Test("The end follows behind the elements that wait", arguments: [true, false])
    func end(fails: Bool) async {
        let probe = PausableProbe()
        let stream = probe.observable.values
        for _ in 0..<3_000 { probe.emit() }
        if fails { probe.fail(Failure.expected) } else { probe.complete() }
        var count = 0
        do {
            for try await _ in stream { count += 1 }
            #expect(!fails)
        } catch {
            #expect(fails && error as? Failure == .expected)
        }
        #expect(count == 3_000)
    }

    @Test("The release of a stream resumes its source, and releases the elements that wait")
    func release() async {
        let released = AtomicCounter(0)
        let probe = PausableProbe { _ in ReleaseToken { released.increment() } }
        let shared = probe.observable.publish()
        let connection = shared.connect()
        do {
            let stream = shared.values
            #expect(probe.emitUntilPaused(limit: 20_000) == 512 + 1 + 8_192)
            withExtendedLifetime(stream) {}
        }
        #expect(probe.resumeCount >= 1 && !probe.ask())
        #expect(await eventually { released.value == probe.count })
        connection.dispose()
    }

    @Test("A cancelled task gets its error, and its source is disposed of")
    func cancellation() async {
        let probe = PausableProbe()
        let stream = probe.observable.values
        for _ in 0..<3_000 { probe.emit() }
        let (count, isCancelled) = await Task {
            var count = 0
            do {
                for try await _ in stream {
                    count += 1
                    withUnsafeCurrentTask { $0?.cancel() }
                }
            } catch { return (count, error is CancellationError) }
            return (count, false)
        }.value
        #expect(isCancelled && (512...1_024).contains(count))
        #expect(probe.isStopped)
    }

    @Test("A stream loses nothing that a source on another thread sends, in order")
    func race() async throws {
        let count = stepCount(500_000, debug: 100_000)
        let source = Observable.range(
            start: 0, count: count, scheduler: ConcurrentDispatchQueueScheduler(qos: .default))
        var next = 0
        for try await element in source.values {
            if element != next { Issue.record("\(element) instead of \(next)") }
            next = element + 1
            if next % 5_000 == 0 { jitter(next) }
        }
        #expect(next == count)
    }
}

// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct AsyncMapTests {
    /// Subscribes, waits for the end, and returns the events as text.
    private func text<Element>(of source: Observable<Element>) async -> String {
        let log = EventLog(source.map { "\($0)" })
        _ = await eventually { log.lines.last.map { $0 == "completed" || $0.hasPrefix("error") } ?? false }
        #expect(!log.hasOverlapped)
        return log.text
    }

    @Test("One task after the other transforms the elements, in order", arguments: [1, 0, .min]) func oneAtATime(
        limit: Int
    )
        async
    {
        let running = OverlapDetector()
        let source = Observable.from(1...100).asyncMap(maxConcurrent: limit) { element in
            running.enter()
            await Task.yield()
            running.leave()
            return element
        }
        #expect(await text(of: source) == (1...100).map { "\($0) " }.joined() + "completed")
        #expect(!running.overlapped)
    }

    @Test("Several tasks run at a time, and no more", arguments: [true, false]) func several(keepsOrder: Bool) async {
        let running = AtomicCounter(0)
        let most = AtomicCounter(0)
        let source = Observable.from(1...200).asyncMap(maxConcurrent: 3, keepsOrder: keepsOrder) { element in
            running.increment()
            if running.value > 3 { most.increment() }
            for _ in 0..<element % 5 { await Task.yield() }
            running.decrement()
            return element
        }
        let seen = await text(of: source).split(separator: " ")
        #expect(seen.last == "completed")
        let numbers = seen.dropLast().compactMap { Int($0) }
        #expect((keepsOrder ? numbers : numbers.sorted()) == Array(1...200))
        #expect(most.value == 0)
    }

    @Test("An error of the closure comes behind the results before it, and ends the rest") func failure() async {
        let begun = AtomicCounter(0)
        let source = Observable.from(1...100).asyncMap(maxConcurrent: 4) { element in
            begun.increment()
            if element == 3 { throw Failure.expected }
            for _ in 0..<20 { await Task.yield() }
            return element
        }
        #expect(await text(of: source) == "1 2 error(expected)")
        #expect(begun.value <= 6)
    }

    @Test("An error of the source ends the result at once, and cancels the tasks") func sourceFailure() async {
        let subject = PublishSubject<Int>()
        let (begun, cancelled) = (AtomicCounter(0), AtomicCounter(0))
        let log = EventLog(
            subject.asyncMap(maxConcurrent: 2) { element in
                begun.increment()
                try? await Task.sleep(for: .seconds(100))
                if Task.isCancelled { cancelled.increment() }
                return element
            })
        subject.onNext(1)
        subject.onNext(2)
        subject.onNext(3)
        #expect(await eventually { begun.value == 2 })
        subject.onError(Failure.expected)
        #expect(log.text == "error(expected)")
        #expect(await eventually { cancelled.value == 2 })
        #expect(log.text == "error(expected)")
    }

    @Test("A disposal cancels the tasks, drops what waits, and lets nothing through") func disposal() async {
        let subject = PublishSubject<ReleaseToken>()
        let released = AtomicCounter(0)
        let (begun, ended) = (AtomicCounter(0), AtomicCounter(0))
        let log = EventLog(
            subject.asyncMap { token in
                begun.increment()
                try? await Task.sleep(for: .seconds(100))
                ended.increment()
                return token.number
            })
        for number in 0..<3 { subject.onNext(ReleaseToken(number) { released.increment() }) }
        #expect(await eventually { begun.value == 1 })
        log.dispose()
        #expect(!subject.hasObservers)
        #expect(await eventually { ended.value == 1 && released.value == 3 })
        #expect(log.text == "")
    }

    @Test("The closure runs on the actor in whose code it is written") @MainActor func isolation() async {
        final class Model {
            var seen: [Int] = []
        }
        let model = Model()
        let source = Observable.from(1...3).asyncMap { element in
            model.seen.append(element)
            return element
        }
        #expect(await text(of: source) == "1 2 3 completed")
        #expect(model.seen == [1, 2, 3])
    }

    @Test("A source that can pause does so while 16 elements wait") func pressure() async {
        let probe = PausableProbe<Int>()
        let gate = AtomicCounter(0)
        let log = EventLog(
            probe.observable.asyncMap { element in
                while gate.value == 0 { try await Task.sleep(for: .milliseconds(1)) }
                return element
            })
        #expect(probe.emitUntilPaused(limit: 100) == 17)
        #expect(probe.resumeCount == 0)
        gate.increment()
        #expect(await eventually { log.lines.count == 17 })
        #expect(probe.resumeCount == 1)
        log.dispose()
    }

    @Test("A slow stage below pauses the source") func pressureFromBelow() async {
        let probe = PausableProbe<Int>()
        let gated = GatedScheduler()
        let log = EventLog(probe.observable.asyncMap { $0 }.observe(on: gated.scheduler, buffer: 4, overflow: .suspend))
        var sent = 0
        _ = await eventually {
            sent += probe.emitUntilPaused(limit: 1)
            return probe.isPaused
        }
        #expect(sent < 60)
        gated.open()
        #expect(await eventually { log.lines.count == sent })
        log.dispose()
    }

    @Test("Singles, maybes and infallibles have it, too") func traits() async throws {
        #expect(try await Single.just(1).asyncMap { $0 + 1 }.value == 2)
        #expect(try await Maybe.just(1).asyncMap { "\($0)" }.value == "1")
        #expect(try await Maybe<Int>.empty().asyncMap { "\($0)" }.value == nil)
        await #expect(throws: Failure.expected) {
            _ = try await Single.just(1).asyncMap { _ -> Int in throw Failure.expected }.value
        }
        var seen: [Int] = []
        for await element in Infallible.of(1, 2, 3).asyncMap({ $0 * 2 }).values { seen.append(element) }
        #expect(seen == [2, 4, 6])
    }

    @Test("flatMap merges the sequences that an asynchronous closure returns") func flatMap() async {
        let running = AtomicCounter(0)
        let source = Observable.from(1...20).flatMap(maxConcurrent: 2) { element -> Observable<Int> in
            running.increment()
            await Task.yield()
            return .of(element, -element)
        }
        let seen = await text(of: source).split(separator: " ")
        #expect(seen.last == "completed")
        #expect(seen.dropLast().compactMap { Int($0) }.sorted() == Array(-20 ... -1) + Array(1...20))
        let failing = Observable.from(1...3).flatMap(maxConcurrent: 1) { element -> Single<Int> in
            if element == 2 { throw Failure.expected }
            return .just(element)
        }
        #expect(await text(of: failing) == "1 error(expected)")
    }

    @Test("A closure that cancels its own task does not harm the elements behind it") func ownCancellation() async {
        let source = Observable.from(1...20).asyncMap(maxConcurrent: 2) { element in
            if Task.isCancelled { throw CancellationError() }
            withUnsafeCurrentTask { $0?.cancel() }
            return element
        }
        #expect(await text(of: source) == (1...20).map { "\($0) " }.joined() + "completed")
    }

    /// What races with a task that ends.
    enum Rival: CaseIterable { case completed, error, disposal }

    @Test("What races with the end of a task leaves nothing behind", arguments: Rival.allCases) func races(rival: Rival)
        async
    {
        for round in 0..<stressRounds(3_000, debug: 500) {
            let subject = PublishSubject<ReleaseToken>()
            let released = AtomicCounter(0)
            let log = EventLog(subject.asyncMap(maxConcurrent: 2) { $0 })
            race(
                {
                    for _ in 0..<3 {
                        jitter(round)
                        subject.onNext(ReleaseToken { released.increment() })
                    }
                },
                {
                    jitter(round / 64)
                    switch rival {
                    case .completed: subject.onCompleted()
                    case .error: subject.onError(Failure.expected)
                    case .disposal: log.dispose()
                    }
                })
            let isOver = await eventually { released.value == 3 }
            let hasEnded = await eventually { rival == .disposal || log.lines.last != nil && log.lines.last != "0" }
            guard isOver, hasEnded, !subject.hasObservers, !log.hasOverlapped else {
                Issue.record("\(rival), round \(round): \(released.value) released, \(log.text)")
                return
            }
        }
    }
}

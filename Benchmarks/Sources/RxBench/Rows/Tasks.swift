// SPDX-License-Identifier: Apache-2.0

import AsyncAlgorithms
import Foundation
import RxSwift

/// Between observables and tasks: `values(buffering:)`, asynchronous sequences there and back, `asyncMap`.
extension Row {
    static var tasks: [Row] {
        [
            Row(
                .tasks, "values.suspend.besideProducer.throughput", vs: "AsyncStream", bar: 2, events: 100_000,
                expected: triangle,
                ours: { events in
                    let subject = PublishSubject<Int>()
                    let values = subject.values(buffering: .suspend)
                    produce {
                        for value in 0..<events { subject.onNext(value) }
                        subject.onCompleted()
                    }
                    return sum(of: values)
                },
                peer: { events in
                    let (stream, continuation) = AsyncStream<Int>.makeStream()
                    produce {
                        for value in 0..<events { continuation.yield(value) }
                        continuation.finish()
                    }
                    return sum(of: stream)
                }),
            Row(
                .tasks, "values.suspend.oneByOne", vs: "AsyncStream", bar: 2, events: 100_000, expected: triangle,
                ours: { events in
                    inTask {
                        let subject = PublishSubject<Int>()
                        var iterator = subject.values(buffering: .suspend).makeAsyncIterator()
                        var sum = 0
                        for value in 0..<events {
                            subject.onNext(value)
                            sum &+= try await iterator.next() ?? 0
                        }
                        return sum
                    }
                },
                peer: { events in
                    inTask {
                        let (stream, continuation) = AsyncStream<Int>.makeStream()
                        var iterator = stream.makeAsyncIterator()
                        var sum = 0
                        for value in 0..<events {
                            continuation.yield(value)
                            sum &+= await iterator.next() ?? 0
                        }
                        return sum
                    }
                }),
            Row(
                .tasks, "values.suspend.pingpong", vs: "AsyncStream", mallocLimit: nil, events: 20_000,
                expected: { $0 },
                ours: { events in
                    inTask {
                        let (ping, pong) = (PublishSubject<Int>(), PublishSubject<Int>())
                        let (pings, pongs) = (ping.values(buffering: .suspend), pong.values(buffering: .suspend))
                        let other = Task { for try await value in pings { pong.onNext(value + 1) } }
                        var iterator = pongs.makeAsyncIterator()
                        var value = 0
                        for _ in 0..<events {
                            ping.onNext(value)
                            value = try await iterator.next() ?? 0
                        }
                        ping.onCompleted()
                        try await other.value
                        return value
                    }
                },
                peer: { events in
                    inTask {
                        let (pings, ping) = AsyncStream<Int>.makeStream()
                        let (pongs, pong) = AsyncStream<Int>.makeStream()
                        let other = Task { for await value in pings { pong.yield(value + 1) } }
                        var iterator = pongs.makeAsyncIterator()
                        var value = 0
                        for _ in 0..<events {
                            ping.yield(value)
                            value = await iterator.next() ?? 0
                        }
                        ping.finish()
                        await other.value
                        return value
                    }
                }),
            Row(
                .tasks, "asyncSequence.roundTrip", vs: "async-algorithms buffer", bar: 3, mallocLimit: nil,
                events: 100_000, expected: triangle,
                ours: { events in sum(of: Numbers(count: events).asObservable().values(buffering: .suspend)) },
                peer: { events in sum(of: Numbers(count: events).buffer(policy: .bounded(8_192))) }),
            Row(
                .tasks, "asyncSequence.roundTrip", vs: "async-algorithms AsyncChannel", bar: 3, mallocLimit: nil,
                events: 20_000, expected: triangle,
                ours: { events in sum(of: Numbers(count: events).asObservable().values(buffering: .suspend)) },
                peer: { events in
                    let channel = AsyncChannel<Int>()
                    Task {
                        for await value in Numbers(count: events) { await channel.send(value) }
                        channel.finish()
                    }
                    return sum(of: channel)
                }),
            Row(
                .tasks, "asyncMap.fourAtATime", vs: "task group, a task per element", mallocLimit: nil, events: 20_000,
                expected: triangle,
                ours: { events in
                    let sum = Sum()
                    let done = Completion()
                    let subscription = Numbers(count: events).asObservable().asyncMap(maxConcurrent: 4) { $0 }
                        .subscribe(onNext: { sum.value &+= $0 }, onCompleted: { done.signal() })
                    done.wait("asyncMap")
                    subscription.dispose()
                    return sum.value
                },
                peer: { events in
                    inTask {
                        await withTaskGroup(of: Int.self) { group in
                            var sum = 0
                            for value in 0..<events {
                                if value >= 4 { sum &+= await group.next() ?? 0 }
                                group.addTask { value }
                            }
                            while let value = await group.next() { sum &+= value }
                            return sum
                        }
                    }
                }),
        ]
    }

    /// Runs asynchronous code in a task, and waits for its result.
    fileprivate static func inTask(_ body: @escaping @Sendable () async throws -> Int) -> Int {
        let result = Sum()
        let done = Completion()
        Task.detached {
            do { result.value = try await body() } catch { fail("tasks: \(error)") }
            done.signal()
        }
        done.wait("tasks")
        return result.value
    }

    private static func sum<Values: AsyncSequence & Sendable>(of values: Values) -> Int where Values.Element == Int {
        inTask {
            var sum = 0
            for try await value in values { sum &+= value }
            return sum
        }
    }

    /// Runs a producer on a thread of its own.
    private static func produce(_ body: @escaping @Sendable () -> Void) { Thread(block: body).start() }
}

/// The numbers from 0 as an asynchronous sequence that never waits.
private struct Numbers: AsyncSequence, Sendable {
    let count: Int

    struct Iterator: AsyncIteratorProtocol {
        let count: Int
        var next = 0

        mutating func next() async -> Int? {
            if next == count { return nil }
            defer { next += 1 }
            return next
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(count: count) }
}

extension Figure {
    /// Memory while a slow task takes many megabytes.
    static func slowTask(_ extent: Extent) -> [Figure] {
        let chunks = extent.of(65_536, quick: 8_192)
        return [
            Figure(
                area: .tasks, name: "values.suspend.slowTask.memory",
                unit: "MB of resident memory more at most, \(chunks) chunks of 16 KiB, a pause of 2 ms every 64",
                limit: 32,
                ours: { PeakMemory.growth { take(chunks) { $0.values(buffering: .suspend) } } },
                peerName: "values(buffering: .unbounded)",
                peer: { PeakMemory.growth { take(min(chunks, 16_384)) { $0.values(buffering: .unbounded) } } })
        ]
    }

    private static func take(
        _ chunks: Int, _ values: @escaping @Sendable (Observable<[UInt8]>) -> ObservableValues<[UInt8], any Error>
    ) {
        let taken = Row.inTask {
            let source = Numbers(count: chunks).asObservable().map {
                [UInt8](repeating: UInt8($0 & 255), count: 1 << 14)
            }
            var count = 0
            for try await chunk in values(source) {
                count += chunk.count >> 14
                if count & 63 == 0 { try await Task.sleep(for: .milliseconds(2)) }
            }
            return count
        }
        if taken != chunks { fail("values: \(taken) chunks of \(chunks)") }
    }
}

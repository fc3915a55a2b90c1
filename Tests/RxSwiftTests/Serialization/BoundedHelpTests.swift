// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import RxPrimitives
import RxSwift
import TestSupport
import Testing

#if canImport(Glibc)
    import Glibc
#endif

/// Law L12: a call delivers few events of other threads, and no event is lost.
@Suite struct BoundedHelpTests {
    /// Threads that do something over and over, until told to stop.
    private final class Producers: @unchecked Sendable {
        private let isStopped = AtomicCounter(0)
        private let group = DispatchGroup()
        private let lock = NSLock()
        /// Under the lock.
        private(set) var calls: [Int]
        private(set) var worstCPU: UInt64 = 0

        init(_ count: Int, _ body: @escaping @Sendable (_ thread: Int, _ number: Int) -> Void) {
            calls = Array(repeating: 0, count: count)
            for index in 0..<count {
                group.enter()
                Thread.detachNewThread { [self] in
                    var number = 0
                    var worst: UInt64 = 0
                    while isStopped.value == 0 {
                        let start = BoundedHelpTests.threadCPU()
                        body(index, number)
                        worst = max(worst, BoundedHelpTests.threadCPU() - start)
                        number += 1
                    }
                    lock.withLock {
                        calls[index] = number
                        worstCPU = max(worstCPU, worst)
                    }
                    group.leave()
                }
            }
        }

        func stop() {
            isStopped.increment()
            group.wait()
        }
    }

    /// Nanoseconds of processor time that the calling thread has used.
    private static func threadCPU() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    @Test("Other producers do not capture a call") func boundedCall() {
        let subject = BehaviorSubject(value: 0)
        let received = AtomicCounter(0)
        _ = subject.subscribe(onNext: { _ in received.increment() })
        let producers = Producers(2) { _, number in subject.onNext(number) }
        var worst: UInt64 = 0
        var worstCPU: UInt64 = 0
        func measure(_ body: () -> Void) {
            let (start, startCPU) = (MonotonicClock.now(), Self.threadCPU())
            body()
            worst = max(worst, MonotonicClock.now() - start)
            worstCPU = max(worstCPU, Self.threadCPU() - startCPU)
        }
        for _ in 0..<20 {
            measure { subject.onNext(-1) }
            var subscription: (any Disposable)?
            measure { subscription = subject.subscribe(onNext: { _ in }) }
            measure { subscription?.dispose() }
            Thread.sleep(forTimeInterval: 0.02)
        }
        producers.stop()
        // A debug build under a sanitizer takes its time; captured threads took seconds.
        #expect(worst < 500_000_000)
        #expect(worstCPU < 50_000_000)
    }

    /// The fault: the thread that emits looked at all of them before its next event, 200 ns for each. How many it looks at shows in who gets an event that
    /// was queued before them.
    @Test("Of the subscriptions that another thread makes during a callback, the emitting thread looks at few")
    func churnDuringCallback() async {
        let subject = PublishSubject<Int>()
        let (began, subscribed) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let first = subject.subscribe(onNext: { number in
            if number != 1 { return }
            began.signal()
            subscribed.wait()
        })
        let sender = Thread { subject.onNext(1) }
        sender.start()
        began.wait()
        subject.onNext(2)
        let (early, order) = (AtomicCounter(0), Guarded<[Int]>([]))
        let others = (0..<3_000).map { place in
            subject.subscribe(onNext: { number in
                if number == 2 { early.increment() } else { order.change { $0.append(place) } }
            })
        }
        subscribed.signal()
        #expect(await eventually { sender.isFinished })
        subject.onNext(3)
        #expect(await eventually { order.value.count == 3_000 })
        #expect(order.value == Array(0..<3_000))
        #expect(early.value > 0)
        #expect(early.value < 1_100)
        for other in others { other.dispose() }
        first.dispose()
    }

    enum Callback: CaseIterable, Sendable {
        case slow, slower
        /// The event of another thread leads to a slower one that the drainer sends itself.
        case nested
    }

    /// The faults: the time of slow callbacks renewed the budget for the next one, and what a thread had queued in earlier calls had no limit.
    @Test("Slow callbacks do not capture a call", arguments: Callback.allCases)
    func slowCallbacks(callback: Callback) async {
        let microseconds = callback == .slow ? 1_000 : 6_000
        let subject = PublishSubject<Int>()
        let (sent, received) = (AtomicCounter(0), AtomicCounter(0))
        let delivered = Guarded<[UInt: Int]>([:])
        let worst = Guarded(0)
        _ = subject.subscribe(onNext: { number in
            delivered.change { $0[CurrentThread.identity]? += 1 }
            // Long enough to use up the budget: what leads to more is an event of the drainer's own, as many as the budget lets through.
            usleep(callback == .nested && number >= 0 ? 1_000 : UInt32(microseconds))
            if callback == .nested, number >= 0 { subject.onNext(-1) }
            if number >= 0 { received.increment() }
        })
        let producers = Producers(2) { _, number in
            // As much as is delivered within the test's time.
            if sent.value >= 1_500_000 / microseconds { return Thread.sleep(forTimeInterval: 0.001) }
            sent.increment()
            delivered.change { $0[CurrentThread.identity] = 0 }
            subject.onNext(number)
            let count = delivered.value[CurrentThread.identity] ?? 0
            worst.change { $0 = max($0, count) }
        }
        Thread.sleep(forTimeInterval: 1)
        producers.stop()
        #expect(worst.value < 10, "one call has delivered \(worst.value) events")
        #expect(await eventually { received.value == sent.value })
    }

    @Test("Producers share the work, and no event is lost") func fairShare() async {
        let subject = PublishSubject<(thread: Int, number: Int)>()
        let overlap = OverlapDetector()
        nonisolated(unsafe) var next = Array(repeating: 0, count: 8)
        nonisolated(unsafe) var faults = 0
        let received = AtomicCounter(0)
        _ = subject.subscribe(onNext: { thread, number in
            overlap.enter()
            if next[thread] != number { faults += 1 }
            next[thread] = number + 1
            overlap.leave()
            received.increment()
        })
        let producers = Producers(8) { subject.onNext(($0, $1)) }
        Thread.sleep(forTimeInterval: 1)
        producers.stop()
        let sent = producers.calls.reduce(0, +)
        // A deputy delivers the events that the last producers left pending.
        #expect(await eventually { received.value == sent })
        #expect(!overlap.overlapped && faults == 0)
        #expect(next == producers.calls)
        let slowest = producers.calls.min() ?? 0
        #expect(slowest * 8 * 8 > sent, "\(producers.calls)")
    }

    /// No other thread could deliver these events, so a wait for one would cost a millisecond each.
    @Test("A thread does not wait for itself") func nestedEvents() {
        let subject = PublishSubject<Int>()
        let received = AtomicCounter(0)
        _ = subject.subscribe(onNext: { number in
            received.increment()
            if number < 0 { for nested in 0..<12_000 { subject.onNext(nested) } }
        })
        let start = MonotonicClock.now()
        race({ subject.onNext(-1) })
        #expect(received.value == 12_001)
        #expect(MonotonicClock.now() - start < 4_000_000_000)
    }

    /// Producers that are faster than the observer would fill the memory: 270 MB a second.
    @Test("Producers wait for a slower observer") func slowObserver() async {
        let subject = PublishSubject<Int>()
        let (sent, received) = (AtomicCounter(0), AtomicCounter(0))
        _ = subject.subscribe(onNext: { _ in
            jitter(63)
            received.increment()
        })
        let producers = Producers(3) { _, number in
            subject.onNext(number)
            sent.increment()
        }
        var maxPending = 0
        for _ in 0..<500 {
            Thread.sleep(forTimeInterval: 0.001)
            maxPending = max(maxPending, sent.value - received.value)
        }
        producers.stop()
        #expect(await eventually { received.value == sent.value })
        // The limit is 4,096, and more arrive while a producer that found the subject idle is preempted.
        #expect(maxPending < 200_000, "\(maxPending) of \(sent.value) events were pending")
    }

    /// The fault: a deputy, once it drained, kept the producer from delivering its events itself. A million waited, and the backlog only grew.
    @Test("A producer that may not wait delivers its own events") func crowdedDeputy() async {
        let subject = PublishSubject<Int>()
        let received = AtomicCounter(0)
        let sent = AtomicCounter(0)
        let isInside = DispatchSemaphore(value: 0)
        _ = subject.subscribe(onNext: { number in
            if number < 0 {
                isInside.signal()
                while sent.value < 20_000 { usleep(100) }
            }
            // Takes more time than to hand over an event does.
            for _ in 0..<4 { jitter(63) }
            received.increment()
        })
        Thread.detachNewThread { subject.onNext(-1) }
        isInside.wait()
        let hasEnded = DispatchSemaphore(value: 0)
        nonisolated(unsafe) var maxPending = 0
        // Inside an action, as on the main queue, a producer never waits.
        let action = SerialDispatchQueueScheduler(qos: .default).schedule(()) { _ in
            let start = MonotonicClock.now()
            while MonotonicClock.now() - start < 1_000_000_000 {
                subject.onNext(sent.value)
                sent.increment()
                if sent.value > 40_000 { maxPending = max(maxPending, sent.value - received.value) }
            }
            hasEnded.signal()
            return Disposables.create()
        }
        race({ hasEnded.wait() })
        action.dispose()
        #expect(maxPending < 100_000, "\(maxPending) of \(sent.value) events were pending")
        #expect(await eventually { received.value == sent.value + 1 })
    }

    @Test("A deputy delivers pending events without another producer") func pendingEvents() async {
        let subject = PublishSubject<Int>()
        let received = AtomicCounter(0)
        let isInside = DispatchSemaphore(value: 0)
        let mayLeave = DispatchSemaphore(value: 0)
        _ = subject.subscribe(onNext: {
            if $0 == 0 {
                isInside.signal()
                mayLeave.wait()
            }
            received.increment()
        })
        let hasReturned = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            subject.onNext(0)
            hasReturned.signal()
        }
        isInside.wait()
        for number in 1...3_000 { subject.onNext(number) }
        #expect(received.value == 0)
        mayLeave.signal()
        hasReturned.wait()
        #expect(await eventually { received.value == 3_001 })
    }

    /// A deputy is inside a callback that does not return; another serializer is drained all the same.
    @Test("A deputy stuck in a callback is replaced") func stuckDeputy() {
        let blocked = DispatchSemaphore(value: 0)
        nonisolated(unsafe) var subjects: [PublishSubject<Int>] = []
        let received = AtomicCounter(0)
        for index in 0..<2 {
            let subject = PublishSubject<Int>()
            subjects.append(subject)
            let isInside = DispatchSemaphore(value: 0)
            let mayLeave = DispatchSemaphore(value: 0)
            _ = subject.subscribe(onNext: { number in
                if number == 0 {
                    isInside.signal()
                    mayLeave.wait()
                }
                if index == 0, number == 1_000 { blocked.wait() }
                if index == 1 { received.increment() }
            })
            let hasReturned = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                subject.onNext(0)
                hasReturned.signal()
            }
            isInside.wait()
            for number in 1...1_000 { subject.onNext(number) }
            mayLeave.signal()
            hasReturned.wait()
        }
        // On a thread of its own: other tests wait until no deputy is at work, and occupy the threads that a task of this test would need.
        let isOver = OneShot()
        Thread.detachNewThread {
            for _ in 0..<20_000 where received.value < 1_001 { usleep(500) }
            blocked.signal()
            isOver.fire()
        }
        #expect(isOver.wait(seconds: 20))
        #expect(received.value == 1_001)
    }

    @Test("A program of one thread has all events delivered when its call returns") func singleThread() {
        let (a, b) = (PublishSubject<Int>(), PublishSubject<Int>())
        var received = 0
        _ = a.subscribe(onNext: { number in
            if number < 5_000 { a.onNext(number + 1) }
            b.onNext(number)
        })
        _ = b.subscribe(onNext: { _ in received += 1 })
        a.onNext(1)
        #expect(received == 5_000)
    }
}

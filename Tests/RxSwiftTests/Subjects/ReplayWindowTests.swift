// SPDX-License-Identifier: Apache-2.0

import Glibc
import RxPrimitives
import RxSwift
import TestSupport
import Testing

/// Large bounds: subscribers share the remembered elements instead of copying them.
@Suite struct ReplayWindowTests {
    @Test("A late subscriber receives the last elements at any moment", arguments: [129, 130, 200, 1_000, 5_000])
    func lastElements(bound: Int) {
        let subject = ReplaySubject<Int>.create(bufferSize: bound)
        var seen: [Int] = []
        for number in 0..<bound * 4 {
            subject.onNext(number)
            if number % 97 != 0 { continue }
            seen = []
            subject.subscribe(onNext: { seen.append($0) }).dispose()
            if seen != Array(max(0, number + 1 - bound)...number) {
                Issue.record("wrong after \(number): \(seen.count) elements from \(seen.first ?? -1)")
                return
            }
        }
    }

    @Test("A forgotten element is released at once if no subscriber can read it") func forgottenElement() {
        let subject = ReplaySubject<ReleaseToken>.create(bufferSize: 1_000)
        var live = 0
        func send(_ count: Int) {
            for _ in 0..<count {
                live += 1
                subject.onNext(ReleaseToken(onRelease: { live -= 1 }))
            }
        }
        send(5_000)
        #expect(live == 1_000)
        subject.subscribe().dispose()
        // The elements that the subscriber has read are released with their chunks.
        send(999)
        #expect(live <= 1_000 + 2 * 128)
        send(1_000 + 128)
        #expect(live == 1_000)
        subject.dispose()
        #expect(live == 0)
    }

    /// A reader retains the first elements of a chunk, the later ones are free, and then the next reader arrives.
    @Test("Each element is released once however subscribers have read it", arguments: [1, 7, 50, 100, 129, 300])
    func releasedOnce(between subscriptions: Int) {
        let subject = ReplaySubject<ReleaseToken>.create(bufferSize: 200)
        var live = 0
        for number in 0..<5_000 {
            live += 1
            subject.onNext(ReleaseToken(onRelease: { live -= 1 }))
            if number % (3 * subscriptions) % subscriptions == 0 { subject.subscribe().dispose() }
            if live < min(200, number + 1) || live > 200 + 2 * 128 {
                Issue.record("\(live) are alive after \(number)")
                return
            }
        }
        subject.dispose()
        #expect(live == 0)
    }

    @Test("A slow reader retains at most the bound and two chunks") func slowReader() {
        let subject = ReplaySubject<ReleaseToken>.create(bufferSize: 2_000)
        var live = 0
        func send(_ count: Int) {
            for _ in 0..<count {
                live += 1
                subject.onNext(ReleaseToken(onRelease: { live -= 1 }))
            }
        }
        send(3_000)
        // The events sent inside wait for this subscriber. The reader does not retain them.
        var maxLive = 0
        let core = subject.take(1).subscribe(onNext: { _ in
            for _ in 0..<20 {
                send(500)
                maxLive = max(maxLive, live)
            }
        })
        core.dispose()
        #expect(maxLive <= 2 * 2_000 + 3 * 128 + 10_000)
        send(2_000 + 128)
        #expect(live == 2_000)
    }

    @Test("Emitting at the bound races with subscribers that read forgotten elements")
    func readRace() {
        let subject = ReplaySubject<[Int]>.create(bufferSize: 300)
        let failures = AtomicCounter(0)
        let isDone = AtomicWord(0)
        let reader: @Sendable () -> Void = {
            while isDone.loadAcquiring() == 0 {
                nonisolated(unsafe) var last = -1
                let count = AtomicCounter(0)
                let subscription = subject.subscribe(onNext: { element in
                    let number = element[0]
                    if last >= 0, number != last + 1 { failures.increment() }
                    last = number
                    count.increment()
                })
                // A thread that has done enough for others leaves the rest to a deputy (law L12).
                if count.value < 300, !settles({ count.value >= 300 }) { failures.increment() }
                subscription.dispose()
            }
        }
        for number in 0..<300 { subject.onNext([number]) }
        race(
            {
                for number in 300..<30_000 { subject.onNext([number]) }
                isDone.storeReleasing(1)
            }, reader, reader)
        #expect(failures.value == 0)
    }

    @Test("An emitter does not pay for subscriptions") func emitterCost() {
        let bound = 100_000
        let subject = ReplaySubject<Int>.create(bufferSize: bound)
        for number in 0..<bound { subject.onNext(number) }
        let isDone = AtomicWord(0)
        nonisolated(unsafe) var costs: [UInt64] = []
        race(
            {
                for number in 0..<20_000 {
                    let start = threadNanoseconds()
                    subject.onNext(number)
                    costs.append(threadNanoseconds() - start)
                }
                isDone.storeReleasing(1)
            },
            {
                while isDone.loadAcquiring() == 0 {
                    subject.take(1).subscribe().dispose()
                }
            })
        // All but the ten worst: other processes and the kernel cost a thread now and then.
        #expect(costs.sorted().suffix(11).first! < 1_000_000)
    }
}

/// Returns the processor time of the calling thread.
private func threadNanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

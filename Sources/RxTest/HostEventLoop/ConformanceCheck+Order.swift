// SPDX-License-Identifier: Apache-2.0

import Dispatch
import RxPrimitives
import RxSwift

extension ConformanceCheck {
    /// Each body runs once, in order, on the loop.
    func checkBodiesOfOneThread() {
        let count = 1_000
        let isReturned = onThread("enqueue") { [log] in
            for number in 0..<count { log.enqueue(number) }
        }
        guard isReturned, allRun("once") else { return }
        // Behind this body no second run of the others is likely to come.
        onThread("enqueue") { [log] in log.enqueue(count) }
        allRun("once")
        expectOrder("order of one thread", of: count)
        let isCurrent = SharedAnswer()
        onThread("isCurrent") { [loop] in isCurrent.value = loop.isCurrent }
        if isCurrent.value == true { report(ConformanceCheck.notCurrent) }
    }

    /// Two threads that wait for each other enqueue in turns.
    func checkThreadsThatTakeTurns() {
        let rounds = 200
        let turns = [DispatchSemaphore(value: 1), DispatchSemaphore(value: 0)]
        let threads = (0..<2).map { thread -> @Sendable () -> Void in
            { [log] in
                for round in 0..<rounds {
                    turns[thread].wait()
                    log.enqueue(2 * round + thread)
                    turns[1 - thread].signal()
                }
            }
        }
        if onThreads("enqueue", threads) { allRun("once") }
        expectOrder("order of two threads that take turns", of: 2 * rounds)
    }

    /// A body enqueues others, after those that wait.
    func checkBodiesFromInside() {
        let isWaiting = DispatchSemaphore(value: 0)
        let (hasBegun, hasReturned) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let limit = limits.waiting
        let isReturned = onThread("enqueue") { [log] in
            log.enqueue(
                0,
                then: {
                    hasBegun.signal()
                    _ = isWaiting.wait(timeout: .now() + .nanoseconds(Int(limit)))
                    for number in 2..<5 { log.enqueue(number) }
                    hasReturned.signal()
                })
            log.enqueue(1)
            isWaiting.signal()
        }
        guard isReturned else { return }
        if hasBegun.wait(timeout: .now() + .nanoseconds(Int(limit))) == .timedOut {
            allRun("once")
        } else if hasReturned.wait(timeout: .now() + .nanoseconds(Int(limit))) == .timedOut {
            report("enqueue: must return when a body calls it; it did not within \(limits.waitingText)")
        } else {
            allRun("enqueue in a body")
            expectOrder("order of bodies that a body enqueues", of: 5)
        }
    }

    /// A thread that enqueues does not wait for the body that runs, and does not count as the loop.
    func checkBusyLoop() {
        let (hasBegun, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let limit = limits.waiting
        onThread("enqueue") { [log] in
            log.enqueue(
                0,
                then: {
                    hasBegun.signal()
                    // Longer than the check waits for `enqueue`.
                    _ = mayEnd.wait(timeout: .now() + .nanoseconds(3 * Int(limit)))
                })
        }
        if hasBegun.wait(timeout: .now() + .nanoseconds(Int(limit))) == .success {
            let isCurrent = SharedAnswer()
            onThread("enqueue while the loop runs a body") { [log, loop] in
                isCurrent.value = loop.isCurrent
                log.enqueue(1)
            }
            if isCurrent.value == true { report(ConformanceCheck.notCurrent) }
        }
        mayEnd.signal()
        allRun("once")
    }

    /// Several threads enqueue at the same time.
    func checkConcurrentThreads() {
        let (threads, count) = (4, 2_500)
        let missing = AtomicWordBox(UInt(threads))
        let isReturned = onThreads(
            "enqueue from several threads",
            (0..<threads).map { thread -> @Sendable () -> Void in
                { [log] in
                    // They begin together: a thread that was merely started comes late.
                    missing.decrement()
                    while missing.value != 0 { spinHint() }
                    for number in 0..<count {
                        log.enqueue(
                            thread * count + number,
                            then: {
                                // Now and then one lasts long enough for another one to overlap with it.
                                if number % 250 == 0 {
                                    _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .microseconds(200))
                                }
                            })
                    }
                }
            })
        if isReturned { allRun("several threads") }
        let ran = log.ran
        for thread in 0..<threads {
            let own = ran.filter { $0 / count == thread }
            if zip(own, own.dropFirst()).contains(where: { $0 > $1 }) {
                report("order of several threads: the bodies of each must run in the order of enqueue; some did not")
                break
            }
        }
    }

    private static let notCurrent =
        "isCurrent: must be false on a thread that is not the loop; it was true"
}

/// The answer of another thread, nil until that thread gives it.
private final class SharedAnswer: @unchecked Sendable {
    private let lock = Mutex()
    private var given: Bool?

    var value: Bool? {
        get { lock.withLock { given } }
        set { lock.withLock { given = newValue } }
    }
}

/// A count that several threads share.
private final class AtomicWordBox: Sendable {
    private let word: AtomicWord

    init(_ value: UInt) { word = AtomicWord(value) }

    var value: UInt { word.loadAcquiring() }

    func decrement() { _ = word.fetchAdd(0 &- 1) }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import RxPrimitives
import RxSwift

/// A loop as an embedding program may have one: a thread with a queue. It ends by `end()`, or when it is released.
package final class ThreadHostLoop: HostEventLoop {
    private let state: State

    /// - Parameter name: the name of the thread, at most 15 bytes long.
    package init(name: String = "rx.host") {
        let state = State()
        self.state = state
        Thread.detachNewThread {
            nameThread(name)
            state.run()
        }
    }

    deinit { state.end() }

    package func enqueue(_ body: @escaping @Sendable () -> Void) { state.add(body) }

    package func enqueue(afterNanoseconds delay: Int64, _ body: @escaping @Sendable () -> Void) {
        state.add(body, at: MonotonicClock.deadline(after: delay, from: MonotonicClock.now()))
    }

    package var isCurrent: Bool { state.thread.loadRelaxed() == CurrentThread.identity }

    /// Ends the loop behind the body that is running, and releases the bodies that wait.
    package func end() { state.end() }

    /// True from the start of the thread until it has released the bodies that it had taken and not run.
    package var isRunning: Bool { state.thread.loadAcquiring() != 0 }

    /// The number of bodies that wait, with and without a delay.
    package var waitingCount: Int { state.waitingCount }

    /// The number of bodies that were enqueued.
    package var enqueuedCount: Int { state.enqueued.value }

    /// What the thread uses, so that it does not hold the loop.
    private final class State: @unchecked Sendable {
        typealias Body = @Sendable () -> Void

        let thread = AtomicWord(0)
        let enqueued = AtomicCounter(0)
        private let condition = NSCondition()
        // Under the condition's lock.
        private var bodies: [Body] = []
        /// Latest first.
        private var delayed: [(deadline: UInt64, body: Body)] = []
        private var hasEnded = false

        var waitingCount: Int {
            condition.lock()
            defer { condition.unlock() }
            return bodies.count + delayed.count
        }

        func add(_ body: @escaping Body) {
            condition.lock()
            defer { condition.unlock() }
            if hasEnded { return }
            enqueued.increment()
            bodies.append(body)
            condition.signal()
        }

        func add(_ body: @escaping Body, at deadline: UInt64) {
            condition.lock()
            defer { condition.unlock() }
            if hasEnded { return }
            enqueued.increment()
            var (low, high) = (0, delayed.count)
            while low < high {
                let middle = (low + high) / 2
                if delayed[middle].deadline > deadline { low = middle + 1 } else { high = middle }
            }
            delayed.insert((deadline, body), at: low)
            condition.signal()
        }

        func end() {
            condition.lock()
            hasEnded = true
            let released = (bodies, delayed)
            (bodies, delayed) = ([], [])
            condition.signal()
            condition.unlock()
            withExtendedLifetime(released) {}
        }

        func run() {
            thread.storeRelaxed(CurrentThread.identity)
            while let batch = nextBatch() {
                for body in batch {
                    if isOver { break }
                    body()
                }
            }
            // Releasing: paired with the load in `isRunning`.
            thread.storeReleasing(0)
        }

        private var isOver: Bool {
            condition.lock()
            defer { condition.unlock() }
            return hasEnded
        }

        /// Waits for bodies. Returns nil at the end.
        private func nextBatch() -> [Body]? {
            condition.lock()
            defer { condition.unlock() }
            while true {
                if hasEnded { return nil }
                let now = MonotonicClock.now()
                while let last = delayed.last, last.deadline <= now { bodies.append(delayed.removeLast().body) }
                if !bodies.isEmpty {
                    defer { bodies = [] }
                    return bodies
                }
                if let last = delayed.last {
                    // Until later than the deadline, as the clock of `Date` has other steps.
                    let seconds = Double(last.deadline - now) / 1e9 + 1e-6
                    _ = condition.wait(until: Date(timeIntervalSinceNow: min(seconds, 86_400)))
                } else {
                    condition.wait()
                }
            }
        }
    }
}

/// Names the calling thread.
private func nameThread(_ name: String) {
    guard let file = fopen("/proc/thread-self/comm", "w") else { return }
    fputs(name, file)
    fclose(file)
}

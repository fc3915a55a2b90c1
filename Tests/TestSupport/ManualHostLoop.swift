// SPDX-License-Identifier: Apache-2.0

import RxPrimitives
import RxSwift

/// A loop that runs its bodies when a test says so, on the test's thread. Delayed bodies run as the test chooses, too.
package final class ManualHostLoop: HostEventLoop, @unchecked Sendable {
    package typealias Body = @Sendable () -> Void

    private let lock = Mutex()
    // Under the lock.
    private var bodies: [Body] = []
    private var delayed: [(delay: Int64, body: Body)] = []
    private var isRunning = false
    private var hasEnded = false
    private var counts = (enqueued: 0, delayed: 0)

    package init() {}

    package func enqueue(_ body: @escaping Body) {
        lock.withLock {
            if hasEnded { return }
            counts.enqueued += 1
            bodies.append(body)
        }
    }

    package func enqueue(afterNanoseconds delay: Int64, _ body: @escaping Body) {
        lock.withLock {
            if hasEnded { return }
            counts.delayed += 1
            delayed.append((delay, body))
        }
    }

    /// True in bodies. The test uses one thread.
    package var isCurrent: Bool { lock.withLock { isRunning } }

    /// The number of bodies that wait.
    package var waitingCount: Int { lock.withLock { bodies.count } }

    /// The delays of the bodies that wait, in order of enqueue.
    package var delays: [Int64] { lock.withLock { delayed.map(\.delay) } }

    /// The number of bodies that were ever enqueued without a delay, and with one.
    package var enqueuedCounts: (enqueued: Int, delayed: Int) { lock.withLock { counts } }

    /// Runs the oldest body. Returns false if there is none.
    @discardableResult
    package func runNext() -> Bool {
        guard let body = lock.withLock({ bodies.isEmpty ? nil : bodies.removeFirst() }) else { return false }
        run(body)
        return true
    }

    /// Runs bodies until none waits.
    package func runAll() {
        while runNext() {}
    }

    /// Runs the delayed body that was enqueued last, or first, however long it should wait.
    package func fireDelayed(first: Bool = false) {
        let body = lock.withLock {
            delayed.isEmpty ? nil : first ? delayed.removeFirst().body : delayed.removeLast().body
        }
        if let body { run(body) }
    }

    /// Releases all bodies that wait, and those that come.
    package func end() {
        let released = lock.withLock {
            hasEnded = true
            defer { (bodies, delayed) = ([], []) }
            return (bodies, delayed)
        }
        withExtendedLifetime(released) {}
    }

    private func run(_ body: Body) {
        lock.withLock { isRunning = true }
        body()
        lock.withLock { isRunning = false }
    }
}

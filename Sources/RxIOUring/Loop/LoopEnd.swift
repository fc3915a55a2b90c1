// SPDX-License-Identifier: Apache-2.0

import Dispatch
import RxPrimitives

/// The end of a loop's thread, for those who wait for it, and what runs after it. Threads: any.
///
/// What waits here occupies no thread: those on which it then runs are shared by all loops that have ended.
final class LoopEnd: @unchecked Sendable {
    private let thread = DispatchGroup()
    private let lock = Mutex()
    /// What is to run after the end, oldest first (under the lock).
    @exclusivity(unchecked) private var waiting: [() -> Void] = []
    /// True once the end was reached, and all that waited is on its way (under the lock).
    @exclusivity(unchecked) private var isOver = false

    init() { thread.enter() }

    func wait() { thread.wait() }

    /// Runs closures after the end, one at a time, in the order in which they came: on a thread of `BlockingPool.actors`, or, if the system has had none for
    /// a second, on the calling thread or that of the loop.
    func run(_ body: @escaping () -> Void) {
        let isNow = lock.withLock {
            if !isOver { waiting.append(body) }
            return isOver
        }
        if isNow { PoolFeeder.run(body, in: .actors) }
    }

    /// Called once, by the thread that ends.
    func reach() {
        thread.leave()
        while let bodies = takeWaiting() {
            for body in bodies { PoolFeeder.run(body, in: .actors) }
        }
    }

    private func takeWaiting() -> [() -> Void]? {
        lock.withLock {
            isOver = waiting.isEmpty
            if isOver { return nil }
            defer { waiting = [] }
            return waiting
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// Submits closures to a pool by one of the pool's threads.
///
/// For a thread that submits many of them: at the pool's own lock it would wait each time, behind all threads of the pool. This lock is shared by that
/// thread and one of the pool's.
final class PoolFeeder: @unchecked Sendable {
    private let pool: BlockingPool
    private let lock = Mutex()
    /// The closures that the pool has not got yet (under the lock).
    @exclusivity(unchecked) private var waiting: [() -> Void] = []
    /// True while a thread of the pool is to take them (under the lock).
    @exclusivity(unchecked) private var isFeeding = false

    init(_ pool: BlockingPool) { self.pool = pool }

    /// Runs a closure soon on a thread of the pool, or on the calling thread if the system has had none for a second.
    func run(_ body: @escaping () -> Void) {
        let isFirst = lock.withLock {
            waiting.append(body)
            defer { isFeeding = true }
            return !isFeeding
        }
        if isFirst { PoolFeeder.run(feed, in: pool) }
    }

    private func feed() {
        while let taken = take() {
            for body in taken { PoolFeeder.run(body, in: pool) }
        }
    }

    private func take() -> [() -> Void]? {
        lock.withLock {
            isFeeding = !waiting.isEmpty
            if !isFeeding { return nil }
            defer { waiting = [] }
            return waiting
        }
    }

    /// Runs a closure in a pool, or on the calling thread if the system has had no thread for a second.
    static func run(_ body: @escaping () -> Void, in pool: BlockingPool) {
        if !pool.run(body) { body() }
    }
}

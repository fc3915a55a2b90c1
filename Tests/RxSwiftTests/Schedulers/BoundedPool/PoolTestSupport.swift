// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxPrimitives
import RxSwift
import TestSupport

extension BoundedPoolScheduler {
    /// Schedules a body that returns nothing.
    @discardableResult
    func run(_ body: @escaping @Sendable () -> Void) -> any Disposable {
        schedule(()) { _ in
            body()
            return Disposables.create()
        }
    }

    /// Occupies workers until the result is fired, once for each of them. Returns as soon as all of them are occupied.
    func occupy(_ workers: Int = 1) -> OneShot {
        let gate = OneShot()
        let begun = OneShot()
        for _ in 0..<workers {
            run {
                begun.fire()
                _ = gate.wait()
            }
        }
        for _ in 0..<workers { precondition(begun.wait(), "a worker did not begin") }
        return gate
    }
}

/// Counts the jobs that schedulers reject, by the name of the scheduler, until `end()`.
final class RejectionLog: @unchecked Sendable {
    private let lock = Mutex()
    private var counts: [String: Int] = [:]
    private let before = Hooks.workRejectedHandler

    init() {
        Hooks.workRejectedHandler = { [unowned self] name, count in lock.withLock { counts[name, default: 0] += count }
        }
    }

    func end() { Hooks.workRejectedHandler = before }

    subscript(name: String) -> Int { lock.withLock { counts[name, default: 0] } }
}

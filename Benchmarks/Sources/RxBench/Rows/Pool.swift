// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxSwift
import Synchronization

/// Short jobs on a pool of threads. A call lasts until the last of them has run.
extension Row {
    static var pool: [Row] {
        let scheduler = BoundedPoolScheduler(maxConcurrentOperationCount: 2)
        return [
            Row(
                .pool, "pool.2workers.schedule", vs: "OperationQueue, 2 at a time", bar: 15, mallocLimit: nil,
                unit: "job", events: 100_000, expected: triangle,
                ours: { jobs in
                    let tally = Tally(jobs)
                    for value in 0..<jobs {
                        _ = scheduler.schedule(value) { value in
                            tally.add(value)
                            return Disposables.create()
                        }
                    }
                    return tally.wait("BoundedPoolScheduler")
                },
                peer: { jobs in
                    let tally = Tally(jobs)
                    let queue = OperationQueue()
                    queue.maxConcurrentOperationCount = 2
                    for value in 0..<jobs {
                        queue.addOperation { tally.add(value) }
                    }
                    return tally.wait("OperationQueue")
                })
        ]
    }
}

/// A sum to which several threads add, and which signals when the last value has been added.
private final class Tally: Sendable {
    private let sum = Atomic<Int>(0)
    private let left: Atomic<Int>
    private let done = Completion()

    init(_ count: Int) {
        left = Atomic(count)
    }

    func add(_ value: Int) {
        sum.wrappingAdd(value, ordering: .relaxed)
        // Releasing this thread's values, acquiring those of the other threads.
        if left.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0 { done.signal() }
    }

    func wait(_ what: StaticString) -> Int {
        done.wait(what)
        return sum.load(ordering: .relaxed)
    }
}

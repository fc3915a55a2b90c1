// SPDX-License-Identifier: Apache-2.0

import Dispatch
import RxSwift

/// A serial scheduler that runs nothing until it is opened.
package final class GatedScheduler: @unchecked Sendable {
    private let queue = DispatchQueue(label: "gated")
    private let gate = DispatchSemaphore(value: 0)
    package let scheduler: SerialDispatchQueueScheduler

    package init() {
        scheduler = SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "gated.target")
        queue.async { [gate] in gate.wait() }
    }

    package func open() { gate.signal() }

    /// Waits for the work that was submitted before.
    package func finish() {
        let done = DispatchSemaphore(value: 0)
        _ = scheduler.schedule(()) { _ in
            done.signal()
            return Disposables.create()
        }
        done.wait()
    }
}

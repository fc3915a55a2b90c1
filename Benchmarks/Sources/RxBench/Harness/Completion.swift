// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// Lets the benchmark's thread wait until another thread has handled the last event.
final class Completion: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func signal() {
        semaphore.signal()
    }

    /// Waits for `signal`, for at most a minute: a workload that loses its last event would otherwise hang the run.
    func wait(_ what: StaticString) {
        guard semaphore.wait(timeout: .now() + .seconds(60)) == .success else {
            fail("\(what): the last event has not arrived within 60 s")
        }
    }
}

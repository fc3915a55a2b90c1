// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// Declared in the module, it takes the place of Dispatch's, with as many threads that wait at once as the scenario has.
final class DispatchSemaphore {
    /// Protects the number of signals that have come and were not taken, and the waiters.
    private let lock = Mutex()
    private var value: Int
    private var waiters: [Parker] = []

    init(value: Int) { self.value = value }

    func signal() {
        let waiter = lock.withLock { () -> Parker? in
            if waiters.isEmpty {
                value += 1
                return nil
            }
            return waiters.removeFirst()
        }
        waiter?.unpark()
    }

    func wait() {
        let parker = lock.withLock { () -> Parker? in
            if value > 0 {
                value -= 1
                return nil
            }
            let parker = Parker()
            waiters.append(parker)
            return parker
        }
        parker?.park(until: .max)
    }
}

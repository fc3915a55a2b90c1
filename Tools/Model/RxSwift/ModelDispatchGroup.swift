// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// Declared in the module, it takes the place of Dispatch's, for one that is entered once.
final class DispatchGroup {
    private let parker = Parker()

    func enter() {}

    func leave() { parker.unpark() }

    func wait() {
        parker.park(until: .max)
        parker.unpark()
    }
}

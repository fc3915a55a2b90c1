// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// A value that may be replaced while other threads read it.
package final class LockedBox<Value> {
    private let lock = Mutex()
    /// The value, touched under the lock only.
    private var stored: Value

    package init(_ value: Value) { stored = value }

    package var value: Value {
        get { lock.withLock { stored } }
        set {
            var old = newValue
            lock.withLock { swap(&old, &stored) }
            // The old handler is released here, outside the lock.
            withExtendedLifetime(old) {}
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A value that several threads read and write.
package final class Guarded<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var stored: Value

    package init(_ value: Value) { stored = value }

    package var value: Value {
        get { lock.withLock { stored } }
        set { lock.withLock { stored = newValue } }
    }

    package func exchange(_ value: Value) -> Value {
        change { stored in
            let before = stored
            stored = value
            return before
        }
    }

    @discardableResult
    package func change<Result>(_ body: (inout Value) -> Result) -> Result { lock.withLock { body(&stored) } }
}

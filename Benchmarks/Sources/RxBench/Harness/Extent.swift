// SPDX-License-Identifier: Apache-2.0

/// The amount of work of a run, for rows whose size cannot follow from the duration of a call.
enum Extent {
    case full, quick

    /// Returns one of two sizes.
    func of<Value>(_ full: Value, quick: Value) -> Value {
        self == .full ? full : quick
    }
}

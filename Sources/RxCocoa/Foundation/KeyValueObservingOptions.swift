// SPDX-License-Identifier: Apache-2.0

/// Options for what key-value observing delivers.
public struct KeyValueObservingOptions: OptionSet, Sendable {
    /// The options as bits of an integer.
    public let rawValue: UInt

    /// Creates options from the bits of an integer.
    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }

    /// The value at the time of the subscription.
    public static let initial = KeyValueObservingOptions(rawValue: 1 << 0)

    /// Each value that is set from then on.
    public static let new = KeyValueObservingOptions(rawValue: 1 << 1)
}

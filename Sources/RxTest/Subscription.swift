// SPDX-License-Identifier: Apache-2.0

/// The times at which a subscription to a test observable began and ended.
public struct Subscription: Hashable, Sendable {
    /// The time at which it began, on the test scheduler's clock.
    public let subscribe: Int

    /// The time at which it ended; `Int.max` if it has not.
    public let unsubscribe: Int

    /// A subscription that has not ended.
    ///
    /// - Parameter subscribe: the time at which it began.
    public init(_ subscribe: Int) {
        self.init(subscribe, .max)
    }

    /// A subscription that has ended.
    ///
    /// - Parameters:
    ///   - subscribe: the time at which it began.
    ///   - unsubscribe: the time at which it ended.
    public init(_ subscribe: Int, _ unsubscribe: Int) {
        self.subscribe = subscribe
        self.unsubscribe = unsubscribe
    }
}

extension Subscription {
    /// Tells whether both times are equal.
    public static func == (lhs: Subscription, rhs: Subscription) -> Bool {
        lhs.subscribe == rhs.subscribe && lhs.unsubscribe == rhs.unsubscribe
    }

    /// Feeds both times into a hash.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(subscribe)
        hasher.combine(unsubscribe)
    }
}

extension Subscription: CustomDebugStringConvertible {
    /// Describes both times: `(subscribe: unsubscribe)`.
    public var debugDescription: String {
        "(\(subscribe): \(unsubscribe == .max ? "Infinity" : "\(unsubscribe)"))"
    }
}

/// When a test observable was subscribed to, and when the subscription ended.
public struct Subscription: Hashable, Sendable {
    /// When it began, on the test scheduler's clock.
    public let subscribe: Int

    /// When it ended; `Int.max` if it has not.
    public let unsubscribe: Int

    /// A subscription that has not ended.
    ///
    /// - Parameter subscribe: when it began.
    public init(_ subscribe: Int) {
        self.init(subscribe, .max)
    }

    /// A subscription that has ended.
    ///
    /// - Parameters:
    ///   - subscribe: when it began.
    ///   - unsubscribe: when it ended.
    public init(_ subscribe: Int, _ unsubscribe: Int) {
        self.subscribe = subscribe
        self.unsubscribe = unsubscribe
    }
}

extension Subscription {
    /// Whether both times are equal.
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
    /// `(subscribe : unsubscribe)`.
    public var debugDescription: String {
        "(\(subscribe): \(unsubscribe == .max ? "Infinity" : "\(unsubscribe)"))"
    }
}

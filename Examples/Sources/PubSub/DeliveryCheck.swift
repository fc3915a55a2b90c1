// SPDX-License-Identifier: Apache-2.0

/// Checks that one subscriber receives everything of each publisher, in order, except the messages that the server reported as dropped.
public struct DeliveryCheck: Sendable {
    /// The sequence number that comes next, by publisher.
    private var next: [Int: Int] = [:]
    private var missing = 0

    /// The number of messages received.
    public private(set) var received = 0
    /// The number of messages that the server reported as dropped.
    public private(set) var dropped = 0
    /// The number of messages that came after a later one of the same publisher, or twice.
    public private(set) var outOfOrder = 0

    public init() {}

    public mutating func receive(publisher: Int, sequence: Int) {
        received += 1
        let expected = next[publisher, default: 0]
        if sequence < expected {
            outOfOrder += 1
        } else {
            missing += sequence - expected
            next[publisher] = sequence + 1
        }
    }

    public mutating func serverDropped(_ count: Int) { dropped += count }

    /// Returns the number of messages that were neither received nor reported as dropped. Negative if more were dropped than are
    /// missing.
    /// - Parameter sent: the number of messages that each publisher sent.
    public func lost(of sent: [Int: Int]) -> Int {
        let tails = sent.reduce(0) { $0 + $1.value - next[$1.key, default: 0] }
        return missing + tails - dropped
    }
}

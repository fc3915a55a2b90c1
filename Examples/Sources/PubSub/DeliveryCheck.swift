/// Checks what one subscriber receives: of each publisher everything, in order, but for what the server said it dropped.
public struct DeliveryCheck: Sendable {
    /// The sequence number that comes next, by publisher.
    private var next: [Int: Int] = [:]
    private var missing = 0

    /// How many messages came.
    public private(set) var received = 0
    /// How many the server said it dropped.
    public private(set) var dropped = 0
    /// How many came behind a later one of the same publisher, or twice.
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

    /// How many messages were neither received nor said to be dropped. Negative if more were dropped than are missing.
    /// - Parameter sent: how many each publisher sent.
    public func lost(of sent: [Int: Int]) -> Int {
        let tails = sent.reduce(0) { $0 + $1.value - next[$1.key, default: 0] }
        return missing + tails - dropped
    }
}

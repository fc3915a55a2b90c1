/// What becomes of messages for a client that reads more slowly than they come.
///
/// While less than `room` bytes wait for the client, messages pass. The first one that does not fit begins a gap: from here on
/// all are dropped, and counted, until the client has taken everything that waits. Then it is told the count, in the place of
/// the gap, and messages pass again.
/// A client whose gap exceeds `mostDropped` is of no use to anybody, and is disconnected.
public struct DeliveryGate: Sendable {
    public enum Verdict: Equatable, Sendable {
        case send
        /// - beginsGap: the caller has to say when the client has taken what waits.
        case drop(beginsGap: Bool)
        /// Once.
        case disconnect
    }

    private let room: Int
    private let mostDropped: Int

    /// How many messages the gap has so far; 0 while there is none.
    public private(set) var dropped = 0

    /// - Parameters:
    ///   - room: how many bytes may wait.
    ///   - mostDropped: how many messages a gap may have.
    public init(room: Int, mostDropped: Int) {
        self.room = room
        self.mostDropped = mostDropped
    }

    /// - Parameters:
    ///   - bytes: the message's.
    ///   - queued: how many bytes wait for the client.
    public mutating func offer(_ bytes: Int, queued: Int) -> Verdict {
        if dropped == 0, queued == 0 || queued + bytes <= room { return .send }
        return rejected()
    }

    /// A message that was to be sent was not taken after all.
    public mutating func rejected() -> Verdict {
        dropped += 1
        return dropped == mostDropped + 1 ? .disconnect : .drop(beginsGap: dropped == 1)
    }

    /// The client was told of that many. Returns whether the gap is over; if not, more were dropped meanwhile.
    public mutating func told(_ count: Int) -> Bool {
        dropped -= count
        return dropped == 0
    }
}

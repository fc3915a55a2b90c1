// SPDX-License-Identifier: Apache-2.0

/// The identity of a message, which the load client puts into its payload: the publisher, the sequence number, and the time of sending.
public struct Stamp: Equatable, Sendable {
    public var publisher: Int
    public var sequence: Int
    /// Nanoseconds of the monotonic clock, which all processes of a machine share.
    public var time: UInt64

    public init(publisher: Int, sequence: Int, time: UInt64) {
        self.publisher = publisher
        self.sequence = sequence
        self.time = time
    }

    /// Returns the payload, filled up to `size` bytes if it is shorter.
    public func payload(size: Int) -> String {
        let text = "\(publisher) \(sequence) \(time) "
        return text + String(repeating: "x", count: max(0, size - text.utf8.count))
    }

    /// Reads a payload. Returns nil if it has another form.
    public init?(payload: Substring) {
        let (publisher, behindPublisher) = Command.split(payload)
        let (sequence, behindSequence) = Command.split(behindPublisher ?? "")
        let (time, _) = Command.split(behindSequence ?? "")
        guard let publisher = Int(publisher), let sequence = Int(sequence), let time = UInt64(time) else { return nil }
        self.init(publisher: publisher, sequence: sequence, time: time)
    }
}

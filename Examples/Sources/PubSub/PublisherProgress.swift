// SPDX-License-Identifier: Apache-2.0

/// Computes the number of messages that a publisher sends at each event. Finished when the time is over and everything was
/// acknowledged.
public struct PublisherProgress: Sendable {
    public enum Event: Equatable, Sendable {
        /// The number of messages that are due by now, counted from the beginning.
        case due(Int)
        /// The server took one message.
        case acknowledged
        /// Nothing more is to be sent.
        case timeIsOver
    }

    /// True if each acknowledgement makes the next message due.
    private let isWindowed: Bool
    private var isOver = false
    private var acknowledged = 0

    public private(set) var sent = 0

    /// The number of messages that the last event made due: the publisher sends them now.
    public private(set) var batch = 0

    public var isFinished: Bool { isOver && acknowledged == sent }

    public init(isWindowed: Bool) { self.isWindowed = isWindowed }

    public mutating func handle(_ event: Event) {
        batch = 0
        switch event {
        case .due(let count): batch = isOver ? 0 : max(0, count - sent)
        case .timeIsOver: isOver = true
        case .acknowledged:
            acknowledged += 1
            if isWindowed, !isOver { batch = 1 }
        }
        sent += batch
    }
}

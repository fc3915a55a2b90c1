// SPDX-License-Identifier: Apache-2.0

/// Decides when a connectable sequence is connected and disconnected for its subscribers.
package struct RefCountStateMachine {
    private var count = 0
    /// The number of those counted that are bound to leave: see `Stage.abandonSubscription`.
    private var abandoned = 0
    /// The number of subscribers that are being subscribed. Meanwhile the sequence is not disconnected, because they would wait at
    /// a subject that is no longer connected.
    private var joining = 0
    private var phase = Phase.idle
    /// The number of the subject that is connected, or for which a connection is being made.
    private var subject = 0
    /// The number of connections so far, to detect a call that belongs to a former one.
    private var generation = 0

    private enum Phase {
        case idle
        /// A subscriber is connecting: its call has not returned.
        case connecting
        case connected
    }

    /// A subscriber's part in the count.
    package enum Membership: Equatable {
        /// The subscriber is not counted yet.
        case pending
        /// The subscriber is counted for a connection.
        case counted(generation: Int)
        /// The subscriber left while it was being subscribed.
        case left
        /// The subscriber left, or was told that the sequence has ended.
        case ended
    }

    package init() {}

    /// The duty of a subscriber after it was subscribed.
    package enum Action: Equatable {
        case none
        /// Connect, and then call `connected` with this generation, or `notConnected`.
        case connect(generation: Int)
        /// Dispose of the connection, as all subscribers have left.
        case disconnect
    }

    /// Announces a subscriber that is about to be subscribed. A call of `join` or `joinNothing` follows.
    package mutating func beginJoining() { joining += 1 }

    /// Counts a subscriber that was subscribed.
    ///
    /// - Parameter subject: the number of the subject at which it waits.
    package mutating func join(_ member: inout Membership, subject: Int) -> Action {
        joining -= 1
        guard member == .pending || member == .left else { return afterLastLeft() }
        if phase != .idle, subject != self.subject {
            if subject < self.subject {
                // The connection of that subject has ended, which the subscriber learns from the subject.
                member = .ended
                return afterLastLeft()
            }
            // The connection has ended by itself. Its subscribers may have yet to be told; this one is not among them.
            startAnew()
        }
        // One that has left connects nevertheless, and disconnects at once, because RxSwift does not know yet that it has left (law L11).
        if member == .pending {
            member = .counted(generation: generation)
            count += 1
        }
        guard phase == .idle else { return afterLastLeft() }
        phase = .connecting
        self.subject = subject
        return .connect(generation: generation)
    }

    /// Removes a subscriber that was not subscribed, because the sequence has ended.
    package mutating func joinNothing() -> Action {
        joining -= 1
        return afterLastLeft()
    }

    private mutating func afterLastLeft() -> Action { disconnects() ? .disconnect : .none }

    /// Ends the connection if it has no subscriber and none is being subscribed. Returns whether it did.
    private mutating func disconnects() -> Bool {
        guard count == 0, phase == .connected else { return false }
        if joining > 0 { return false }
        startAnew()
        return true
    }

    /// Notes that the subscriber has finished connecting.
    ///
    /// - Returns: whether the connection is wanted; if not, the caller has to dispose of it.
    package mutating func connected(_ generation: Int) -> Bool {
        guard generation == self.generation else { return false }
        if count == 0, joining == 0 {
            startAnew()
            return false
        }
        phase = .connected
        return true
    }

    /// Notes that the subject which a subscriber was to connect is out of use: its subscribers have been told, or will be.
    package mutating func notConnected(_ generation: Int) {
        if generation == self.generation { startAnew() }
    }

    /// Tells whether a connection that is being made has a subscriber.
    package func isWanted(_ generation: Int) -> Bool { generation == self.generation && count + joining > 0 }

    /// True if there is a connection, or one is being made, but no subscriber stays.
    package var isUnwanted: Bool { phase != .idle && joining == 0 && count == abandoned }

    /// Notes that a subscriber is bound to leave. Called at most once for each. Returns whether it is counted.
    package mutating func abandon(_ member: Membership) -> Bool {
        guard case .counted(generation) = member else { return false }
        abandoned += 1
        return true
    }

    /// Removes a subscriber that has left.
    ///
    /// - Parameter wasAbandoned: whether `abandon` has counted the subscriber.
    /// - Returns: whether the connection has to be disposed of.
    package mutating func leave(_ member: inout Membership, wasAbandoned: Bool = false) -> Bool {
        defer { member = member == .pending ? .left : .ended }
        guard case .counted(generation) = member else { return false }
        count -= 1
        if wasAbandoned { abandoned -= 1 }
        // While the connection is being made there is nothing to dispose of; `connected` will decide.
        return disconnects()
    }

    /// Ends the connection for all subscribers, because one was told that the sequence has ended.
    ///
    /// - Returns: whether the connection has to be disposed of.
    package mutating func terminated(_ member: inout Membership) -> Bool {
        defer { member = .ended }
        guard case .counted(generation) = member else { return false }
        let wasConnected = phase == .connected
        startAnew()
        return wasConnected
    }

    private mutating func startAnew() {
        (count, abandoned) = (0, 0)
        phase = .idle
        generation += 1
    }
}

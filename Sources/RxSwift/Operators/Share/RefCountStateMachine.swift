/// Decides when a connectable sequence is connected and disconnected for its subscribers.
package struct RefCountStateMachine {
    private var count = 0
    /// The subscribers that are being subscribed. Meanwhile the sequence is not disconnected: they would wait at a subject that is no
    /// longer connected.
    private var joining = 0
    private var phase = Phase.idle
    /// Whether all subscribers have left, and the connection is only there for those that are being subscribed.
    package private(set) var isKeptByNewcomers = false
    /// Counts the connections, so that what belongs to a former one is noticed.
    private var generation = 0

    private enum Phase {
        case idle
        /// A subscriber is connecting: its call has not returned.
        case connecting
        case connected
    }

    /// A subscriber's part in the count.
    package enum Membership: Equatable {
        /// Subscribed, not counted yet.
        case pending
        /// Counted for a connection.
        case counted(generation: Int)
        /// Left while it was being subscribed.
        case left
        /// Left, or told that the sequence has ended.
        case ended
    }

    package init() {}

    /// What a subscriber has to do when it was subscribed.
    package enum Action: Equatable {
        case none
        /// Connect, and then call `connected` with this generation.
        case connect(generation: Int)
        /// Dispose of the connection, as all subscribers have left.
        case disconnect
    }

    /// A subscriber is about to be subscribed. `join` or `joinNothing` follows.
    package mutating func beginJoining() { joining += 1 }

    /// A subscriber was subscribed.
    package mutating func join(_ member: inout Membership) -> Action {
        joining -= 1
        switch member {
        case .pending:
            member = .counted(generation: generation)
            count += 1
            isKeptByNewcomers = false
        // It connects all the same, and disconnects at once, as nothing is known of its leaving yet in RxSwift (law L11).
        case .left: break
        case .counted, .ended: return dutyOfLast()
        }
        guard phase == .idle else { return dutyOfLast() }
        phase = .connecting
        return .connect(generation: generation)
    }

    /// A subscriber was not subscribed, as the sequence has ended.
    package mutating func joinNothing() -> Action {
        joining -= 1
        return dutyOfLast()
    }

    private mutating func dutyOfLast() -> Action { disconnects() ? .disconnect : .none }

    /// Whether the connection has no subscriber, which it then has no longer.
    private mutating func disconnects() -> Bool {
        guard count == 0, phase == .connected else { return false }
        if joining > 0 {
            isKeptByNewcomers = true
            return false
        }
        startAnew()
        return true
    }

    /// Connecting is through.
    ///
    /// - Returns: whether the connection is wanted; if not, it has to be disposed of.
    package mutating func connected(_ generation: Int) -> Bool {
        guard generation == self.generation else { return false }
        if count == 0, joining == 0 {
            startAnew()
            return false
        }
        phase = .connected
        isKeptByNewcomers = count == 0
        return true
    }

    /// Whether a connection that is being made has a subscriber.
    package func isWanted(_ generation: Int) -> Bool { generation == self.generation && count + joining > 0 }

    /// Whether a connection is being made that has no subscriber.
    package var isUnwanted: Bool { phase == .connecting && count + joining == 0 }

    /// The connection has ended by itself, of which its subscribers may have yet to be told: the next newcomer connects.
    package mutating func connectionEnded() { startAnew() }

    /// A subscriber has left.
    ///
    /// - Returns: whether the connection has to be disposed of.
    package mutating func leave(_ member: inout Membership) -> Bool {
        defer { member = member == .pending ? .left : .ended }
        guard case .counted(generation) = member else { return false }
        count -= 1
        // While it is being connected there is nothing to dispose of: `connected` will tell.
        return disconnects()
    }

    /// A subscriber was told that the sequence has ended, which so it has for all.
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
        count = 0
        phase = .idle
        isKeptByNewcomers = false
        generation += 1
    }
}

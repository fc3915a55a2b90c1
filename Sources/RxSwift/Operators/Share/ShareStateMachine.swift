// SPDX-License-Identifier: Apache-2.0

/// Decides when a shared source is subscribed to and when that ends.
///
/// Methods return the objects that they drop, so that the caller acts on them and releases them outside its lock. Connections are
/// plain objects here: as a generic parameter their type would be looked up at each call, for some 650 instructions.
package struct ShareStateMachine {
    private var connection: AnyObject?
    /// The number of subscribers that joined `connection` and have not left.
    private var count = 0
    /// The number of those that are bound to leave: see `Stage.abandonSubscription`.
    private var abandoned = 0
    /// True while `connection` is being subscribed to the source.
    private var isConnecting = false

    package init() {}

    /// Adds a subscriber to the connection, if there is one.
    ///
    /// - Returns: the connection that it joined, or nil if there is none; the caller then has to `connect` a new one.
    package mutating func join() -> AnyObject? {
        guard let connection else { return nil }
        count += 1
        return connection
    }

    /// Adds a subscriber that found no connection to a new one, which it has to subscribe to the source after it has been
    /// subscribed itself.
    package mutating func connect(_ fresh: AnyObject) {
        connection = fresh
        count = 1
        abandoned = 0
        isConnecting = true
    }

    /// True if this is the connection in use, but no subscriber stays: if the last one has left, it is being subscribed to the source, and `connected`
    /// will decide.
    package func isUnwanted(_ known: AnyObject) -> Bool { connection === known && count == abandoned }

    /// Notes that a subscriber is bound to leave. Does nothing for a connection that has ended.
    package mutating func abandon(_ left: AnyObject) {
        if connection === left { abandoned += 1 }
    }

    /// Removes a subscriber that has left. Does nothing for a connection that has ended.
    ///
    /// - Parameter wasAbandoned: whether `abandon` was called for the subscriber.
    /// - Returns: the connection, if the caller has to cancel it because no subscriber is left.
    package mutating func leave(_ left: AnyObject, wasAbandoned: Bool = false) -> AnyObject? {
        guard connection === left else { return nil }
        if wasAbandoned { abandoned -= 1 }
        count -= 1
        return count == 0 && !isConnecting ? connection.take() : nil
    }

    /// Notes that the connection was subscribed to the source.
    ///
    /// - Returns: the connection, if the caller has to cancel it because no subscriber is left.
    package mutating func connected(_ made: AnyObject) -> AnyObject? {
        guard connection === made else { return nil }
        isConnecting = false
        return count == 0 ? connection.take() : nil
    }

    /// Drops a connection whose source has ended, so that the next subscriber gets a new one.
    package mutating func terminated(_ ended: AnyObject) -> AnyObject? {
        guard connection === ended else { return nil }
        (count, abandoned) = (0, 0)
        isConnecting = false
        return connection.take()
    }
}

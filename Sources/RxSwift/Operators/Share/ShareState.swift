/// Decides when a shared source is subscribed to and when that ends.
///
/// Methods return what they give up, so that the caller acts on it and releases it outside its lock.
package struct ShareState<Connection: AnyObject> {
    private var connection: Connection?
    /// The subscribers that joined `connection` and have not left.
    private var count = 0
    /// Whether `connection` is being subscribed to the source.
    private var isConnecting = false

    package init() {}

    /// A subscriber comes.
    ///
    /// - Returns: the connection it takes part in; nil if there is none: then offer one.
    package mutating func join() -> Connection? {
        guard let connection else { return nil }
        count += 1
        return connection
    }

    /// A subscriber comes who found no connection.
    ///
    /// - Returns: the connection it takes part in, and whether it has to subscribe that to the source, when it is
    ///   subscribed itself.
    package mutating func join(offering fresh: Connection) -> (Connection, mustConnect: Bool) {
        if let existing = join() { return (existing, false) }
        connection = fresh
        count = 1
        isConnecting = true
        return (fresh, true)
    }

    /// Whether the connection has no subscriber while it is being subscribed to the source: `connected` will tell what to do.
    package var isUnwanted: Bool { isConnecting && count == 0 }

    /// A subscriber has left. Means nothing for a connection that has ended.
    ///
    /// - Returns: the connection, if it is to be cancelled because no subscriber is left.
    package mutating func leave(_ left: Connection) -> Connection? {
        guard connection === left else { return nil }
        count -= 1
        return count == 0 && !isConnecting ? connection.take() : nil
    }

    /// The connection was subscribed to the source.
    ///
    /// - Returns: whether it is to be cancelled, because no subscriber is left. Then `abandon` comes next.
    package mutating func connected(_ made: Connection) -> Bool {
        guard connection === made else { return false }
        isConnecting = false
        return count == 0
    }

    /// Gives up a connection that no subscriber is left of.
    package mutating func abandon() -> Connection? { connection.take() }

    /// The source has ended: who comes now gets a connection of its own.
    package mutating func terminated(_ ended: Connection) -> Connection? {
        guard connection === ended else { return nil }
        count = 0
        isConnecting = false
        return connection.take()
    }
}

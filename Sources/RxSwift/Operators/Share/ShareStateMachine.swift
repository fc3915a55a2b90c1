/// Decides when a shared source is subscribed to and when that ends.
///
/// Methods return what they give up, so that the caller acts on it and releases it outside its lock. Connections are plain
/// objects here: as a generic parameter their type would be looked up at each call, for some 650 instructions.
package struct ShareStateMachine {
    private var connection: AnyObject?
    /// The subscribers that joined `connection` and have not left.
    private var count = 0
    /// Whether `connection` is being subscribed to the source.
    private var isConnecting = false

    package init() {}

    /// A subscriber comes.
    ///
    /// - Returns: the connection it takes part in; nil if there is none: then `connect` a new one.
    package mutating func join() -> AnyObject? {
        guard let connection else { return nil }
        count += 1
        return connection
    }

    /// A subscriber comes that found no connection. It takes part in a new one, which it has to subscribe to the source when it is
    /// subscribed itself.
    package mutating func connect(_ fresh: AnyObject) {
        connection = fresh
        count = 1
        isConnecting = true
    }

    /// Whether the connection has no subscriber while it is being subscribed to the source: `connected` will tell what to do.
    package var isUnwanted: Bool { isConnecting && count == 0 }

    /// A subscriber has left. Means nothing for a connection that has ended.
    ///
    /// - Returns: the connection, if it is to be cancelled because no subscriber is left.
    package mutating func leave(_ left: AnyObject) -> AnyObject? {
        guard connection === left else { return nil }
        count -= 1
        return count == 0 && !isConnecting ? connection.take() : nil
    }

    /// The connection was subscribed to the source.
    ///
    /// - Returns: the connection, if it is to be cancelled because no subscriber is left.
    package mutating func connected(_ made: AnyObject) -> AnyObject? {
        guard connection === made else { return nil }
        isConnecting = false
        return count == 0 ? connection.take() : nil
    }

    /// The source has ended: who comes now gets a connection of its own.
    package mutating func terminated(_ ended: AnyObject) -> AnyObject? {
        guard connection === ended else { return nil }
        count = 0
        isConnecting = false
        return connection.take()
    }
}

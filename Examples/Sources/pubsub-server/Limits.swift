import PubSub
import RxIOUring

/// What bounds the memory of a connection.
struct Limits {
    /// How many bytes of messages may wait for a client.
    var room: Int
    /// How many messages a client may miss in a row.
    var mostDropped: Int

    let longestLine = 64 * 1024
    let mostTopics = 1_000

    /// Messages leave room for answers: a client that is behind with its messages still gets those. One that sends commands and
    /// reads no answers fills that room, too, and is disconnected.
    var connectionOptions: ConnectionOptions {
        var options = ConnectionOptions()
        options.sendLimit = room + 256 * 1024
        return options
    }

    var gate: DeliveryGate { DeliveryGate(room: room, mostDropped: mostDropped) }
}

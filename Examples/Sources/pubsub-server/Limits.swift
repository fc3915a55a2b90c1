// SPDX-License-Identifier: Apache-2.0

import PubSub
import RxIOUring

/// The bounds on the memory of a connection.
struct Limits {
    /// The most bytes of messages that may wait for a client.
    var room: Int
    /// The most messages that a client may miss in a row.
    var mostDropped: Int

    let longestLine = 64 * 1024
    let mostTopics = 1_000

    /// Messages leave room for answers: a client that is behind with its messages still gets its answers. Of a client that sends commands
    /// and reads no answers the server reads no more.
    var connectionOptions: ConnectionOptions {
        var options = ConnectionOptions()
        options.sendLimit = room + 256 * 1024
        return options
    }

    var gate: DeliveryGate { DeliveryGate(room: room, mostDropped: mostDropped) }
}

// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The counts of the server's work, from all loops.
final class Statistics: Sendable {
    /// The current number.
    let connections = Atomic(0)
    let topics = Atomic(0)
    let subscriptions = Atomic(0)

    /// The number since the server began.
    let published = Atomic(0)
    let delivered = Atomic(0)
    let dropped = Atomic(0)
    let disconnected = Atomic(0)

    var line: String {
        "connections=\(connections.count) topics=\(topics.count) subscriptions=\(subscriptions.count) "
            + "published=\(published.count) delivered=\(delivered.count) dropped=\(dropped.count) "
            + "disconnected=\(disconnected.count)"
    }
}

extension Atomic where Value == Int {
    var count: Int { load(ordering: .relaxed) }

    // Relaxed: counts order nothing.
    func count(_ change: Int = 1) { add(change, ordering: .relaxed) }
}

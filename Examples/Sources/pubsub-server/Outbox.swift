// SPDX-License-Identifier: Apache-2.0

import PubSub
import RxIOUring
import RxSwift
import Synchronization

/// The messages for one client. May be used from any thread: a message comes on the loop of its publisher and is queued right there. A
/// hop to the client's loop would need a queue of its own, which nothing bounds.
final class Outbox: Sendable {
    private let connection: Connection
    private let gate: Mutex<DeliveryGate>
    private let statistics: Statistics

    init(_ connection: Connection, gate: DeliveryGate, statistics: Statistics) {
        self.connection = connection
        self.gate = Mutex(gate)
        self.statistics = statistics
    }

    func deliver(_ message: ByteChunk) {
        let queued = connection.queuedBytes
        var verdict = gate.withLock { $0.offer(message.count, queued: queued) }
        if verdict == .send {
            if connection.send(message) { return statistics.delivered.count() }
            // Other publishers filled the queue meanwhile, or the connection is closed.
            verdict = gate.withLock { $0.rejected() }
        }
        statistics.dropped.count()
        switch verdict {
        case .send, .drop(beginsGap: false): break
        case .drop(beginsGap: true): tellWhenDrained()
        case .disconnect: disconnect()
        }
    }

    private func tellWhenDrained() {
        // An empty write completes when the kernel has taken everything that was queued before it. It fails when the connection is
        // closed, and then no client is left to be told.
        _ = connection.write(.empty()).subscribe(onCompleted: tell, onError: { _ in })
    }

    /// Tells the client how many messages it missed. The gate stays shut until that line is queued, so the line stands where the gap
    /// is.
    private func tell() {
        var isOver = false
        while !isOver {
            let count = gate.withLock { $0.dropped }
            // If the connection rejects it, the client reads no answers either, and its session ends.
            connection.send(ServerLine.dropped(count).line)
            isOver = gate.withLock { $0.told(count) }
        }
    }

    private func disconnect() {
        statistics.disconnected.count()
        // Queued messages are dropped, since the client does not read them.
        connection.abort()
    }
}

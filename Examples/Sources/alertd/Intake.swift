// SPDX-License-Identifier: Apache-2.0

import Alerting
import Program
import RxIOUring
import RxSwift

/// The measurements that clients send.
struct Intake {
    let listener: Listener
    /// The number of clients served at a time. Further ones wait until one of these leaves, most of them unaccepted.
    let mostClients: Int
    /// A client has to complete a line within this time. Single bytes do not help it.
    let idle: RxTimeInterval

    private static let longestLine = 256

    /// The measurements of all clients, which pause while a stage below pauses.
    var measurements: Observable<Measurement> {
        listener.connections.map(measurements).merge(maxConcurrent: mostClients)
    }

    private func measurements(of connection: Connection) -> Observable<Measurement> {
        connection.received
            .lines(maximumLength: Intake.longestLine)
            .timeout(idle, scheduler: connection.scheduler)
            .map { line in try Measurement(line: line) }
            .catch { error in
                // A client with a defect learns of it, and does not end the server.
                connection.send("ERR \(error)\n")
                Console.report("\(connection.remoteAddress) disconnected: \(error)")
                return .empty()
            }
    }
}

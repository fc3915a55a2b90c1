// SPDX-License-Identifier: Apache-2.0

import Glibc
import RxIOUring
import RxSwift

/// The connections of a listener, each with its session.
struct Server {
    let listener: Listener
    let limits: Limits
    let statistics = Statistics()

    /// The time that clients have to take their queued messages when the server is to end.
    static let farewell = RxTimeInterval.seconds(5)

    /// Serves until `stop` emits; completes when all clients have taken their queued messages, or after a time.
    func run(until stop: Observable<CInt>) -> Completable {
        let topics = Topics(statistics: statistics)
        let statistics = statistics
        let limits = limits
        return listener.connections
            .take(until: stop)
            // Each session emits nothing and lives on its own loop; merging them costs nothing while they run.
            .flatMap { connection in
                Session(connection: connection, topics: topics, statistics: statistics, limits: limits)
                    .run(until: stop)
                    .catch { error in
                        // A lost client does not end the server.
                        fputs("\(connection.remoteAddress) lost: \(error)\n", stderr)
                        return .empty()
                    }
            }
            .take(until: stop.delay(Server.farewell, scheduler: listener.scheduler))
            .asCompletable()
    }
}

// SPDX-License-Identifier: Apache-2.0

import Glibc
import LogFollowing
import LogLines
import Program
import RxIOUring
import RxSwift

/// The log and the browsers that look at it. All of it runs on one loop.
struct DashboardServer {
    let listener: Listener
    let rates: LineRates
    /// The name that the page shows.
    let file: String
    let top: Int

    /// The number of connections served at a time: one for each browser, and now and then one for the page. Further ones wait.
    private static let mostConnections = 250

    /// Serves until `stop` emits. Fails when the log cannot be followed.
    func run(until stop: Observable<Void>) -> Completable {
        let snapshots = snapshots(until: stop).share(replay: 1, scope: .forever)
        let browsers = listener.connections
            .take(until: stop)
            .map { connection in
                // A browser that is gone, or has sent no request, does not end the server.
                BrowserSession(connection: connection, snapshots: snapshots).run().catch { _ in .empty() }
                    .asObservable()
            }
            .merge(maxConcurrent: DashboardServer.mostConnections)
            .take(until: stop.delay(.seconds(2), scheduler: listener.scheduler))
        // The log is followed also while no browser looks at it.
        return Completable.zip(snapshots.ignoreElements().asCompletable(), browsers.asCompletable())
    }

    private func snapshots(until stop: Observable<Void>) -> Observable<String> {
        rates.tables(until: stop)
            .retry(when: { (errors: Observable<any Error>) in errors.flatMap(resumption) })
            .scan(into: RateHistory()) { history, table in history.append(table) }
            .startWith(RateHistory())
            .map { history in history.json(file: file, most: top) }
    }

    /// Follows the log from its end again behind a line that is too long; other errors end the server.
    private func resumption(after error: any Error) -> Observable<Int> {
        guard (error as? IOError)?.code == EMSGSIZE else { return .error(error) }
        Console.report("\(error); what is in the log by now is skipped")
        return .timer(.seconds(1), scheduler: listener.scheduler)
    }
}

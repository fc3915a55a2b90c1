// SPDX-License-Identifier: Apache-2.0

import Alerting
import Program
import RxIOUring
import RxSwift

/// Prints alerts, and sends them to the sink in their order.
struct Delivery {
    let sink: Address?
    let scheduler: IOUringScheduler

    /// The most alerts that wait while the sink cannot be reached.
    private static let mostWaiting = 1_000
    /// Gives up after some five minutes.
    private static let backoff = Backoff(first: .milliseconds(200), longest: .seconds(30), attempts: 18)

    /// Completes when the alerts have ended and all that wait were sent, or were reported because the deadline has passed.
    func deliver(_ alerts: Observable<Alert>, until deadline: Observable<CInt>) -> Completable {
        alerts
            .do(onNext: { alert in print(alert.line, terminator: "") })
            // Alerts come when they come: the source cannot pause.
            .onBackpressure(buffer: Delivery.mostWaiting, overflow: .dropOldest) { alert in
                log(alert, "the sink is behind")
            }
            .concatMap { alert in send(alert, until: deadline) }
            .asCompletable()
    }

    private func send(_ alert: Alert, until deadline: Observable<CInt>) -> Observable<Never> {
        guard let sink else { return .empty() }
        return TCP.connect(host: sink.host, port: sink.port, timeout: .seconds(5), scheduler: scheduler)
            .flatMapCompletable { connection in connection.write(ByteChunk(alert.line)) }
            .asObservable()
            .retry(Delivery.backoff, scheduler: scheduler)
            .take(until: deadline.flatMap { _ in Observable<Never>.error(ServerEnded()) })
            .catch { error in
                log(alert, "\(error)")
                return .empty()
            }
    }

    private func log(_ alert: Alert, _ reason: String) {
        Console.report("not delivered: \(alert.line.dropLast()): \(reason)")
    }
}

private struct ServerEnded: Error, CustomStringConvertible {
    let description = "the server has ended"
}

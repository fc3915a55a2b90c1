// SPDX-License-Identifier: Apache-2.0

import Alerting
import RxIOUring
import RxSwift

/// The program as a whole: clients, journal, rule and sink. All of it runs on one loop.
struct AlertServer {
    let intake: Intake
    let journal: OpenFile
    let rule: AlertRule
    let delivery: Delivery

    /// The time that clients' last measurements and waiting alerts have when it ends.
    private static let farewell = RxTimeInterval.seconds(4)
    /// The time to report the alerts that still wait then.
    private static let lastReports = RxTimeInterval.seconds(1)

    /// Serves until `stop` emits; completes when the journal is written and the alerts are delivered, or after a time.
    func run(until stop: Observable<CInt>) -> Completable {
        let deadline = stop.delay(AlertServer.farewell, scheduler: journal.scheduler).share(replay: 1, scope: .forever)
        let measurements = PublishSubject<Measurement>()
        // The journal is the only subscriber of the clients: when the disk is slow, it makes all of them pause. A second subscriber
        // that keeps up, as the rule does, would prevent that; so the rule gets what passes by on the way to the journal.
        let journaling = journal.write(
            intake.measurements
                .take(until: stop)
                .do(onNext: measurements.onNext)
                .map { ByteChunk($0.line) }
        ).andThen(journal.close())
        // Windows that have not ended are not judged at the end: their metrics would seem to have fallen silent.
        let alerting = delivery.deliver(
            rule.alerts(of: measurements, scheduler: journal.scheduler).take(until: stop), until: deadline)
        return Completable.zip(alerting, journaling)
            .asObservable()
            .take(until: deadline.delay(AlertServer.lastReports, scheduler: journal.scheduler))
            .asCompletable()
    }
}

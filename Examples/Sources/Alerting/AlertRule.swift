// SPDX-License-Identifier: Apache-2.0

public import Dispatch
public import RxSwift

/// Decides when a metric raises an alert: measurements in, alerts out.
///
/// Knows no socket and no clock but that of the scheduler it is given, so its tests run in virtual time.
public struct AlertRule: Sendable {
    /// A metric is high while the mean of a window exceeds this.
    public var limit = 90.0
    /// A window ends after this time, or when it has `count` values.
    public var span = RxTimeInterval.seconds(10)
    public var count = 100
    /// A change is reported when it has lasted this long, so that a metric near its limit does not flap.
    public var settling = RxTimeInterval.seconds(20)
    /// A metric without a value for this long is normal again, and costs no more memory.
    public var silence = RxTimeInterval.seconds(60)
    /// The most metrics at a time. Names come from the network: without a limit they could fill the memory.
    public var mostNames = 10_000

    public init() {}

    /// Emits an alert when a metric becomes high, and when it becomes normal again.
    public func alerts(of measurements: Observable<Measurement>, scheduler: any SchedulerType) -> Observable<Alert> {
        .deferred {
            let names = NameLimit(mostNames)
            return
                measurements
                .filter { names.admit($0.name) }
                .groupBy({ $0.name }, idleTimeout: silence, scheduler: scheduler)
                .flatMap { group in
                    changes(of: group.key, values: group.map(\.value), scheduler: scheduler)
                        .do(onDispose: { names.remove(group.key) })
                }
        }
    }

    private func changes(
        of name: String, values: Observable<Double>, scheduler: any SchedulerType
    ) -> Observable<Alert> {
        values
            .buffer(timeSpan: span, count: count, scheduler: scheduler)
            .filter { !$0.isEmpty }
            .map { $0.reduce(0, +) / Double($0.count) }
            .map { mean in Alert(name: name, isHigh: mean > limit, mean: mean) }
            .concat(Observable.just(Alert(name: name, isHigh: false, mean: nil)))
            // Windows of the same state do not begin the settling anew.
            .distinctUntilChanged(at: \.isHigh)
            .debounce(settling, scheduler: scheduler)
            // A metric begins as a normal one. A change that did not last is no change.
            .startWith(Alert(name: name, isHigh: false, mean: nil))
            .distinctUntilChanged(at: \.isHigh)
            .skip(1)
    }
}

// SPDX-License-Identifier: Apache-2.0

#if TRACE_RESOURCES
    import Alerting
    import RxSwift
    import RxTest
    import Testing

    struct LeakTests {
        // In a process of its own, since other tests make observables, too.
        @Test("A metric that is silent leaves nothing behind") func silentMetrics() async {
            await #expect(processExitsWith: .success) {
                let scheduler = TestScheduler(initialClock: 0)
                let measurements = PublishSubject<Measurement>()
                let subscription = AlertRule().alerts(of: measurements, scheduler: scheduler).subscribe()
                let before = Resources.total
                for number in 1...1_000 { measurements.onNext(Measurement(name: "metric \(number)", value: 95)) }
                precondition(Resources.total > before + 1_000)
                scheduler.advanceTo(120)
                precondition(Resources.total == before, "\(Resources.census())")
                subscription.dispose()
            }
        }

        @Test("Alerts that are disposed of leave nothing behind") func disposal() async {
            await #expect(processExitsWith: .success) {
                let before = Resources.total
                do {
                    let scheduler = TestScheduler(initialClock: 0)
                    let measurements = PublishSubject<Measurement>()
                    let subscription = AlertRule().alerts(of: measurements, scheduler: scheduler).subscribe()
                    for number in 1...10 { measurements.onNext(Measurement(name: "metric \(number)", value: 95)) }
                    scheduler.advanceTo(15)
                    subscription.dispose()
                }
                precondition(Resources.total == before, "\(Resources.census())")
            }
        }
    }
#endif

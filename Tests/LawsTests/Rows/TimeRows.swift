// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport

extension Laws {
    /// Each operator with a time so long that nothing is due while the law runs, and with one so short that timers race with events.
    static let timeRows: [Row] = [
        Row("buffer(timeSpan:count:scheduler:)", "by count", keeps: .everything) { source, _ in
            source.buffer(timeSpan: long, count: 2, scheduler: Laws.scheduler).flatMap { Observable.from($0) }
        },
        timed("buffer(timeSpan:count:scheduler:)", "by time", keeps: .everything) {
            $0.buffer(timeSpan: short, count: 3, scheduler: Laws.scheduler).flatMap { Observable.from($0) }
        },
        Row("debounce(_:scheduler:)", "long") { source, _ in source.debounce(long, scheduler: Laws.scheduler) },
        timed("debounce(_:scheduler:)") { $0.debounce(short, scheduler: Laws.scheduler) },
        timed("debounce(_:scheduler:)", "zero") { $0.debounce(.nanoseconds(0), scheduler: Laws.scheduler) },
        timed("delay(_:scheduler:)", keeps: .everything) { $0.delay(short, scheduler: Laws.scheduler) },
        // The events that the source sends before the subscription are lost, its end included.
        timed("delaySubscription(_:scheduler:)", completes: false) {
            $0.delaySubscription(short, scheduler: Laws.scheduler)
        },
        Row("skip(_:scheduler:)", "long") { source, _ in source.skip(long, scheduler: Laws.scheduler) },
        timed("skip(_:scheduler:)") { $0.skip(short, scheduler: Laws.scheduler) },
        Row("take(for:scheduler:)", "long", keeps: .everything) { source, _ in
            source.take(for: long, scheduler: Laws.scheduler)
        },
        timed("take(for:scheduler:)") { $0.take(for: short, scheduler: Laws.scheduler) },
        // Completes when the interval is over, if an element waits for that.
        Row("throttle(_:latest:scheduler:)", "long", completes: false) { source, _ in
            source.throttle(long, scheduler: Laws.scheduler)
        },
        timed("throttle(_:latest:scheduler:)") { $0.throttle(short, scheduler: Laws.scheduler) },
        timed("throttle(_:latest:scheduler:)", "first") {
            $0.throttle(short, latest: false, scheduler: Laws.scheduler)
        },
        Row("timeout(_:scheduler:)", "long", keeps: .everything) { source, _ in
            source.timeout(long, scheduler: Laws.scheduler)
        },
        timed("timeout(_:scheduler:)") { $0.timeout(short, scheduler: Laws.scheduler) },
        Row("timeout(_:other:scheduler:)", sources: 2, isAsynchronous: true, completes: false) { sources, _, _ in
            sources[0].timeout(short, other: sources[1], scheduler: Laws.scheduler)
        },
        timed("timer(_:period:scheduler:)", keeps: .nothing) { source in
            source.flatMap { element in Observable<Int>.timer(short, scheduler: Laws.scheduler).map { _ in element } }
        },
        timed("interval(_:scheduler:)", keeps: .nothing) { source in
            source.flatMap { _ in Observable<Int>.interval(short, scheduler: Laws.scheduler).take(2) }
        },
    ]

    /// The same by a clock of Swift's concurrency: the operators above with a scheduler that keeps the time in another way.
    static let clockRows: [Row] = [
        clocked("buffer(for:count:clock:)", keeps: .everything) {
            $0.buffer(for: brief, count: 3, clock: clock).flatMap { Observable.from($0) }
        },
        clocked("window(for:count:clock:)", keeps: .everything) {
            $0.window(for: brief, count: 3, clock: clock).flatMap { $0 }
        },
        clocked("debounce(for:clock:)") { $0.debounce(for: brief, clock: clock) },
        clocked("delay(for:clock:)", keeps: .everything) { $0.delay(for: brief, clock: clock) },
        clocked("delaySubscription(for:clock:)", completes: false) { $0.delaySubscription(for: brief, clock: clock) },
        clocked("skip(for:clock:)") { $0.skip(for: brief, clock: clock) },
        clocked("take(for:clock:)") { $0.take(for: brief, clock: clock) },
        clocked("throttle(for:latest:clock:)") { $0.throttle(for: brief, clock: clock) },
        clocked("timeout(after:clock:)") { $0.timeout(after: brief, clock: clock) },
        Row(
            "timeout(after:other:clock:)", sources: 2, isAsynchronous: true, schedulers: clockThreads, completes: false
        ) { sources, _, _ in sources[0].timeout(after: .seconds(1_000), other: sources[1], clock: clock) },
        clocked("timer(after:period:clock:)", keeps: .nothing) { source in
            source.flatMap { element in Observable<Int>.timer(after: brief, clock: clock).map { _ in element } }
        },
        clocked("interval(_:clock:)", keeps: .nothing) { source in
            source.flatMap { _ in Observable<Int>.interval(brief, clock: clock).take(2) }
        },
    ]

    private static let clock = ContinuousClock()
    private static let brief = Duration.microseconds(500)
    /// A queue of the clock's scheduler, also if another thread of the system works for it.
    private static let clockThreads = [SchedulerThreads.queue("rx.clock")]

    private static func clocked(
        _ name: String, keeps: Keeps = .some, completes: Bool = true,
        _ build: @escaping @Sendable (Observable<Int>) -> Observable<Int>
    ) -> Row {
        Row(
            name, keeps: keeps, isAsynchronous: true, schedulers: clockThreads, completes: completes,
            passesErrors: false, chains: false
        ) { source, _ in build(source) }
    }

    private static let long = RxTimeInterval.seconds(1_000)
    private static let short = RxTimeInterval.microseconds(500)

    private static func timed(
        _ name: String, _ variant: String = "", keeps: Keeps = .some, completes: Bool = true,
        _ build: @escaping @Sendable (Observable<Int>) -> Observable<Int>
    ) -> Row {
        Row(
            name, variant, keeps: keeps, isAsynchronous: true, completes: completes, passesErrors: false, chains: false
        ) { source, _ in build(source) }
    }
}

// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct ActorSchedulerTests {
    private actor Ledger {
        private(set) var lines: [String] = []
        private let bag = DisposeBag()

        func follow(_ source: Observable<Int>) {
            source.observe(on: ActorScheduler(self)).subscribe(
                onNext: { [weak self] element in self?.assumeIsolated { $0.lines.append("\(element)") } },
                onCompleted: { [weak self] in self?.assumeIsolated { $0.lines.append("completed") } }
            ).disposed(by: bag)
        }

        func isolated(_ check: @Sendable (isolated Ledger) -> Void) { check(self) }
    }

    @Test("Events come on the actor, in order") func events() async {
        let ledger = Ledger()
        await ledger.follow(.range(start: 0, count: 2_000))
        var seen: [String] = []
        for _ in 0..<5_000 where seen.last != "completed" {
            try? await Task.sleep(for: .milliseconds(1))
            seen = await ledger.lines
        }
        #expect(seen == (0..<2_000).map { "\($0)" } + ["completed"])
    }

    @Test("Actions, delayed ones and periodic ones run on the actor") func actions() async {
        let ledger = Ledger()
        let scheduler = ActorScheduler(ledger)
        let log = EventLog()
        let subscriptions = [
            scheduler.schedule(1) { state in
                ledger.assumeIsolated { _ in log.note("\(state)") }
                return Disposables.create()
            },
            scheduler.scheduleRelative(2, dueTime: .milliseconds(1)) { state in
                ledger.assumeIsolated { _ in log.note("\(state)") }
                return Disposables.create()
            },
        ]
        #expect(await eventually { log.text == "1 2" })
        let ticks = AtomicCounter(0)
        let periodic = scheduler.schedulePeriodic(0, startAfter: .milliseconds(1), period: .milliseconds(1)) { state in
            ledger.assumeIsolated { _ in ticks.increment() }
            return state
        }
        #expect(await eventually { ticks.value > 2 })
        periodic.dispose()
        for subscription in subscriptions { subscription.dispose() }
    }

    @Test("An actor that holds a subscription on its own scheduler is released") func release() async {
        let subject = PublishSubject<Int>()
        var ledger: Ledger? = Ledger()
        weak let released = ledger
        await ledger!.follow(subject)
        subject.onNext(1)
        ledger = nil
        #expect(await eventually { released == nil })
        #expect(await eventually { !subject.hasObservers })
    }

    @Test("Work for an actor that is gone still runs") func actorGone() async {
        let scheduler: ActorScheduler
        do { scheduler = ActorScheduler(Ledger()) }
        let ran = AtomicCounter(0)
        _ = scheduler.schedule(()) {
            ran.increment()
            return Disposables.create()
        }
        #expect(await eventually { ran.value == 1 })
    }

    @Test("The main actor is an actor, too") func mainActor() async {
        let ran = AtomicCounter(0)
        _ = ActorScheduler(MainActor.shared).schedule(()) {
            MainActor.assumeIsolated { ran.increment() }
            return Disposables.create()
        }
        #expect(await eventually { ran.value == 1 })
    }
}

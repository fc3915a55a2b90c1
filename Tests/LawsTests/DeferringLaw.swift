// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxSwift
import RxTest
import TestSupport
import Testing

extension Laws {
    /// Laws L1, L4 and L6 above a stage that takes events now and delivers them later. Such a stage cancels the operator late, so
    /// the operator has to end by itself.
    @Suite struct DeferringLaw {
        /// A stage that defers events.
        enum Stage: Sendable { case stepped, hop, limitedMerge, concatMap, delay }

        @Test("An operator above a deferring stage ends by itself", arguments: Laws.cases)
        func operatorEndsByItselfAboveAStageThatDefers(_ subject: Case) {
            // Virtual time and steps belong to one thread.
            let stages: [Stage] = subject.row.isAsynchronous ? [.hop] : [.stepped, .delay]
            for stage in stages + [.limitedMerge] { play(subject, stage, .create, .completed) }
            for stage in stages + [.concatMap] { play(subject, stage, .subject, .error(LawError.source)) }
        }

        /// - Parameter attempt: a task may be about to call a closure when the end comes. That does not happen each time.
        private func play(
            _ subject: Case, _ stage: Stage, _ kind: Port.Kind, _ terminal: Event<Int>, attempt: Int = 1
        ) {
            let scenario = Scenario(subject, kind)
            scenario.script.isActive = true
            let (above, below) = (Tap(), Tap())
            let deferral = Deferral(stage)
            let end = End()
            below.onEvent = { [weak scenario, weak above] event in
                guard let scenario, let above else { return }
                if event.isStopEvent { end.note(above.calls, Laws.closureRuns(of: scenario, withoutEnds: true)) }
            }
            scenario.subscribe {
                above.tapped($0)
            } below: {
                deferral.add(to: below.tapped($0))
            }
            // Not every source is subscribed to at all.
            _ = scenario.eventually(seconds: 2) { scenario.tested.isObserved }
            scenario.round()
            scenario.round()
            deferral.deliverOne()
            scenario.round()
            scenario.round()
            scenario.end(terminal)
            scenario.settle()
            // The stage has yet to deliver.
            let comment = "\(stage), \(kind), \(terminal)"
            if let (calls, runs) = end.noted {
                #expect(above.calls == calls, "the `do` above ran after the end, \(comment)")
                let runsNow = Laws.closureRuns(of: scenario, withoutEnds: true)
                if runsNow != runs, subject.row.isAsynchronous, attempt < 3 {
                    scenario.dispose()
                    return play(subject, stage, kind, terminal, attempt: attempt + 1)
                }
                #expect(runsNow == runs, "closures ran after the end, \(comment)")
                let isUnsubscribed = scenario.eventually { !scenario.ports.contains(where: \.isObserved) }
                #expect(isUnsubscribed, "still subscribed above a stage that defers, \(comment)")
            }
            #expect(above.violation == nil, "above, \(comment)")
            #expect(below.violation == nil, "below, \(comment)")
            deferral.deliverAll()
            if below.hasEnded {
                let mayWait = subject.row.isAsynchronous || stage == .hop
                let ended = Laws.eventually(mayWait) {
                    deferral.deliverAll()
                    return scenario.record.hasEnded
                }
                #expect(ended, "not ended, \(comment): \(scenario.record.text)")
                let sent = below.records.first?.elements ?? []
                let isWhole = scenario.record.terminal?.error == nil || stage == .stepped || stage == .hop
                if isWhole { #expect(scenario.record.elements == sent, "\(comment)") }
                let isReleased = Laws.eventually(true) { scenario.probe == nil && scenario.witness == nil }
                #expect(isReleased, "not released, \(comment)")
            }
            #expect(scenario.record.violation == nil, "\(comment)")
            scenario.dispose()
        }

        /// The calls before the end of the operator.
        private final class End: @unchecked Sendable {
            private let lock = NSLock()
            private var found: (calls: Int, runs: [String: Int])?

            var noted: (calls: Int, runs: [String: Int])? { lock.withLock { found } }

            func note(_ calls: Int, _ runs: [String: Int]) { lock.withLock { found = found ?? (calls, runs) } }
        }

        /// A stage that defers, and a closure that makes it deliver.
        private final class Deferral: @unchecked Sendable {
            private let stage: Stage
            private let steps = StepScheduler()
            private let clock = TestScheduler(initialClock: 0)
            private let pulse = PublishSubject<Void>()

            init(_ stage: Stage) { self.stage = stage }

            func add(to source: Observable<Int>) -> Observable<Int> {
                let pulse = pulse
                let pulsed: @Sendable (Int) -> Observable<Int> = { element in pulse.take(1).map { element } }
                switch stage {
                case .stepped: return source.observe(on: steps)
                case .hop: return source.observe(on: Laws.scheduler)
                case .limitedMerge: return source.map(pulsed).merge(maxConcurrent: 1)
                case .concatMap: return source.concatMap(pulsed)
                case .delay: return source.delay(.seconds(1), scheduler: clock)
                }
            }

            func deliverOne() {
                switch stage {
                case .stepped: steps.step()
                case .hop: break
                case .limitedMerge, .concatMap: pulse.onNext(())
                case .delay: clock.advanceTo(clock.clock + 2)
                }
            }

            func deliverAll() {
                switch stage {
                case .stepped: while !steps.actions.isEmpty { steps.step() }
                case .hop: break
                case .limitedMerge, .concatMap: while pulse.hasObservers { pulse.onNext(()) }
                case .delay: clock.start()
                }
            }
        }
    }

    /// Returns the number of runs of the closures of an operator.
    ///
    /// - Parameter withoutEnds: leaves out those that run behind the terminal event by contract.
    static func closureRuns(of scenario: Scenario, withoutEnds: Bool) -> [String: Int] {
        let ends: Set = ["afterError", "afterCompleted", "onDispose", "onDisposed"]
        return scenario.script.visits.filter { !withoutEnds || !ends.contains($0.key) }
    }
}

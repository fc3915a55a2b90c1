// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxPrimitives
import RxSwift
import RxTest
import TestSupport
import Testing

extension Laws {
    /// Law L1 for closures that throw: a closure that has thrown does not run again, and one error comes out.
    @Suite struct ThrowOnceLaw {
        enum Situation: CaseIterable, Sendable {
            /// The closure sends from inside itself before it throws, and the observer sends in the error event.
            case reentrant
            /// Another thread is in the observer when the closure throws.
            case busy
            /// A hop below the operator delivers later.
            case hop
            /// A limited merge below the operator delivers later.
            case limitedMerge
            /// A timed operator below the operator delivers later.
            case delay
            /// The source has ten million elements.
            case endless
        }

        @Test("A closure that has thrown is not called again", arguments: Laws.cases) func throwsOnce(_ subject: Case) {
            let survey = Scenario(subject, .subject)
            survey.script.isActive = true
            survey.subscribe()
            for _ in 0..<4 { survey.round() }
            survey.end(.completed)
            survey.settle()
            survey.dispose()
            // Those run behind the terminal event.
            for site in survey.script.throwingSites.subtracting(subject.row.lateSites) {
                // In its first run, and with elements before it.
                for run in [0, 2] where run < survey.script.visits[site] ?? 0 {
                    let kind: Port.Kind = run == 0 ? .create : .subject
                    for situation in Situation.allCases { play(subject, situation, kind, site, run) }
                }
            }
        }

        private func play(_ subject: Case, _ situation: Situation, _ kind: Port.Kind, _ site: String, _ run: Int) {
            let scenario = Scenario(subject, kind)
            scenario.script.isActive = true
            scenario.script.throwing = (site, run)
            let below = Tap()
            let steps = StepScheduler()
            let clock = TestScheduler(initialClock: 0)
            let gate = OneShot()
            let busy = AtomicWord(0)
            switch situation {
            case .reentrant:
                let left = AtomicCounter(12)
                let react: () -> Void = { [weak scenario] in
                    guard let scenario else { return }
                    let number = left.decrement()
                    if number >= 0 { scenario.sendNext(from: number % scenario.ports.count) }
                }
                scenario.script.onVisit = { _ in react() }
                scenario.record.onEvent = { _, event in if event.isStopEvent { react() } }
            case .busy:
                scenario.record.onEvent = { [weak scenario] _, event in
                    guard let scenario else { return }
                    guard scenario.isSubscribed, !event.isStopEvent, busy.fetchAdd(1) == 0 else { return }
                    _ = gate.wait(seconds: 5)
                }
            default: break
            }
            let isDeferring = situation == .hop || situation == .delay
            // Virtual time and steps belong to one thread.
            if subject.row.isAsynchronous, isDeferring { return }
            let counted = AtomicCounter(0)
            scenario.subscribe { source in
                guard situation == .endless else { return source }
                return Observable.range(start: (subject.position + 1) * 100_000 + 1, count: 10_000_000).do(onNext: {
                    _ in
                    counted.increment()
                    // The sequence has to end, although the law is broken.
                    if counted.value > 10_000 { throw LawError.thrown("limit") }
                })
            } below: {
                let tapped = below.tapped($0)
                switch situation {
                case .hop: return tapped.observe(on: steps)
                case .limitedMerge:
                    return tapped.map { Observable.just($0, scheduler: CurrentThreadScheduler.instance) }.merge(
                        maxConcurrent: 1)
                case .delay: return tapped.delay(.seconds(1), scheduler: clock)
                default: return tapped
                }
            }
            // Not every source is subscribed to at all.
            _ = scenario.eventually(seconds: 2) { scenario.tested.isObserved || situation == .endless }
            let rounds: @Sendable () -> Void = {
                for _ in 0..<4 { scenario.round() }
                scenario.end(.completed)
            }
            if situation == .busy {
                let isThrough = AtomicWord(0)
                let group = DispatchGroup()
                group.enter()
                Thread.detachNewThread {
                    for _ in 0..<4 { scenario.round() }
                    isThrough.storeReleasing(1)
                    group.leave()
                }
                spin { busy.loadAcquiring() != 0 || isThrough.loadAcquiring() != 0 }
                rounds()
                gate.fire()
                group.wait()
            } else {
                rounds()
            }
            scenario.settle()
            while !steps.actions.isEmpty { steps.step() }
            clock.start()
            defer { scenario.dispose() }
            guard scenario.script.hasThrown else { return }
            let comment = "\(situation), \(kind), run \(run) of \(site)"
            let ended = Laws.eventually(true) { scenario.record.hasEnded }
            let text = "\(comment): \(scenario.record.text)"
            #expect(ended, "\(text)")
            #expect(scenario.record.violation == nil, "\(comment)")
            #expect(below.violation == nil, "below, \(comment)")
            #expect(scenario.record.terminal?.error as? LawError == .thrown(site), "\(text)")
            // A closure that sends into its own operator runs nested, and both runs may throw.
            #expect(scenario.script.visits[site] == run + 1, "ran after it had thrown, \(text)")
            let isReleased = Laws.eventually(true) { scenario.probe == nil && scenario.witness == nil }
            #expect(isReleased, "not released, \(text)")
        }
    }
}

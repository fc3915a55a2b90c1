// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

extension Laws {
    /// An error that a closure throws becomes an error event. No event follows it, and everything is released.
    @Suite struct ThrowingLaw {
        @Test("An error thrown in any closure ends the sequence", arguments: Laws.cases)
        func errorThrownInEachClosure(_ subject: Case) {
            for terminal in [Event<Int>.completed, .error(LawError.source)] {
                let survey = Scenario(subject, .subject)
                play(survey, terminal)
                for site in survey.script.throwingSites {
                    for run in 0..<min(3, survey.script.visits[site] ?? 0) {
                        for kind in Port.Kind.allCases {
                            let scenario = Scenario(subject, kind)
                            scenario.script.throwing = (site, run)
                            play(scenario, terminal)
                            let comment = "\(kind), \(terminal), run \(run) of \(site): \(scenario.record.text)"
                            guard scenario.script.hasThrown else { continue }
                            let ended = scenario.eventually { scenario.record.hasEnded }
                            #expect(ended, "\(comment)")
                            #expect(scenario.record.violation == nil, "\(comment)")
                            if !subject.row.lateSites.contains(site) {
                                #expect(scenario.record.terminal?.error as? LawError == .thrown(site), "\(comment)")
                            }
                            let isReleased = scenario.eventually { scenario.probe == nil && scenario.witness == nil }
                            #expect(isReleased, "not released: \(comment)")
                            let isUnsubscribed = scenario.eventually { !scenario.ports.contains(where: \.isObserved) }
                            #expect(isUnsubscribed, "still subscribed: \(comment)")
                        }
                    }
                }
            }
        }

        private func play(_ scenario: Scenario, _ terminal: Event<Int>) {
            scenario.script.isActive = true
            scenario.subscribe()
            for _ in 0..<4 { scenario.round() }
            scenario.end(terminal)
            scenario.settle()
        }
    }
}

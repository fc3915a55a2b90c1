// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

extension Laws {
    /// Law L3: an event sent from inside a callback is delivered after that callback, in order of acceptance.
    @Suite struct NestingLaw {
        @Test("Callbacks do not nest when the observer sends to every source", arguments: Laws.cases)
        func observerSendsToEverySource(_ subject: Case) {
            for kind in Port.Kind.allCases {
                let scenario = Scenario(subject, kind)
                var left = 12
                scenario.record.onEvent = { [weak scenario] _, event in
                    guard let scenario else { return }
                    guard left > 0, !event.isStopEvent else { return }
                    left -= 1
                    scenario.sendNext(from: left % scenario.ports.count)
                }
                // Elements that arrive on another thread would be numbered by two threads at once.
                check(scenario, kind, isComplete: !subject.row.isAsynchronous)
            }
        }

        @Test("Callbacks do not nest when the observer ends the source", arguments: Laws.cases)
        func observerEndsTheSource(_ subject: Case) {
            for kind in Port.Kind.allCases {
                for terminal in [Event<Int>.completed, .error(LawError.source)] {
                    let scenario = Scenario(subject, kind)
                    scenario.record.onEvent = { [weak scenario] index, event in
                        guard let scenario else { return }
                        guard index == 2, !event.isStopEvent else { return }
                        scenario.tested.send(terminal)
                        scenario.tested.send(.next((subject.position + 1) * 100_000 + 99_999))
                        scenario.end(.completed)
                    }
                    scenario.subscribe()
                    scenario.round()
                    scenario.round()
                    scenario.round()
                    scenario.end(.completed)
                    scenario.settle()
                    #expect(scenario.record.violation == nil, "\(kind), \(terminal)")
                    scenario.dispose()
                }
            }
        }

        @Test("Callbacks do not nest when closures send to every source", arguments: Laws.cases)
        func closuresSendToEverySource(_ subject: Case) {
            for kind in Port.Kind.allCases {
                let scenario = Scenario(subject, kind)
                scenario.script.isActive = true
                var left = 12
                scenario.script.onVisit = { [weak scenario] _ in
                    guard let scenario else { return }
                    guard left > 0 else { return }
                    left -= 1
                    scenario.sendNext(from: left % scenario.ports.count)
                }
                // A source drops the elements sent before the operator has subscribed to it, and an element sent by a closure
                // may overtake the element of the call.
                check(scenario, kind, isComplete: false)
            }
        }

        private func check(_ scenario: Scenario, _ kind: Port.Kind, isComplete: Bool) {
            let row = scenario.subject.row
            scenario.subscribe()
            for _ in 0..<3 { scenario.round() }
            scenario.end(.completed)
            if row.completes {
                let ended = scenario.eventually { scenario.record.hasEnded }
                #expect(ended, "\(kind): \(scenario.record.text)")
            }
            scenario.settle()
            #expect(scenario.record.violation == nil, "\(kind)")
            if row.keeps == .everything, isComplete {
                #expect(scenario.record.elements == scenario.sent, "\(kind)")
            }
            scenario.dispose()
        }
    }
}

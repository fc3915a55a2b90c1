// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxPrimitives
import RxSwift
import TestSupport
import Testing

extension Laws {
    /// Law L5: no event follows a dispose, at any step of the sequence's life.
    @Suite struct DisposeLaw {
        @Test("No event follows a dispose between two events", arguments: Laws.cases)
        func betweenEvents(_ subject: Case) {
            for kind in Port.Kind.allCases {
                let count = Scenario(subject, kind).steps.count
                for disposeAt in 0...count {
                    let scenario = Scenario(subject, kind)
                    scenario.subscribe()
                    for (index, step) in scenario.steps.enumerated() {
                        if index == disposeAt { scenario.dispose() }
                        step()
                    }
                    if disposeAt == count { scenario.dispose() }
                    scenario.end(.completed)
                    scenario.settle()
                    // Another thread may be delivering an event.
                    let allowed: UInt = subject.row.isAsynchronous ? 1 : 0
                    #expect(scenario.record.afterDispose <= allowed, "\(kind), before step \(disposeAt)")
                    expectUnsubscribed(scenario, "\(kind), before step \(disposeAt)")
                }
            }
        }

        @Test("No event follows a dispose inside the observer", arguments: Laws.cases)
        func insideTheObserver(_ subject: Case) {
            for kind in Port.Kind.allCases {
                for disposeAt in 0..<12 {
                    for terminal in [Event<Int>.completed, .error(LawError.source)] {
                        let scenario = Scenario(subject, kind)
                        scenario.record.onEvent = { [weak scenario] index, _ in
                            guard let scenario else { return }
                            // During `subscribe` there is nothing to dispose of yet.
                            if index >= disposeAt, scenario.isSubscribed { scenario.dispose() }
                        }
                        scenario.subscribe()
                        for _ in 0..<3 { scenario.round() }
                        scenario.end(terminal)
                        scenario.settle()
                        #expect(scenario.record.violation == nil, "\(kind)")
                        if scenario.record.events.count > disposeAt, scenario.isDisposed {
                            #expect(scenario.record.afterDispose == 0, "\(kind), in event \(disposeAt)")
                            expectUnsubscribed(scenario, "\(kind), in event \(disposeAt)")
                        }
                        scenario.dispose()
                    }
                }
            }
        }

        @Test("No event follows a dispose inside a closure", arguments: Laws.cases)
        func insideTheClosures(_ subject: Case) {
            for kind in Port.Kind.allCases {
                for terminal in [Event<Int>.completed, .error(LawError.source)] {
                    for disposeAt in 0..<20 {
                        let scenario = Scenario(subject, kind)
                        scenario.script.isActive = true
                        scenario.script.onVisit = { [weak scenario] run in
                            guard let scenario else { return }
                            // During `subscribe` there is nothing to dispose of yet.
                            if run >= disposeAt, scenario.isSubscribed { scenario.dispose() }
                        }
                        scenario.subscribe()
                        for _ in 0..<3 { scenario.round() }
                        scenario.end(terminal)
                        scenario.settle()
                        #expect(scenario.record.violation == nil, "\(kind)")
                        let allowed: UInt = subject.row.isAsynchronous ? 1 : 0
                        #expect(scenario.record.afterDispose <= allowed, "\(kind), in run \(disposeAt) of a closure")
                        let isOver = scenario.script.totalVisits <= disposeAt
                        scenario.dispose()
                        expectUnsubscribed(scenario, "\(kind), in run \(disposeAt) of a closure")
                        if isOver { break }
                    }
                }
            }
        }

        @Test("At most one event follows a dispose on another thread", arguments: Laws.racingCases)
        func fromAnotherThread(_ subject: Case) {
            for kind in Port.Kind.allCases {
                for attempt in 0..<4 {
                    let scenario = Scenario(subject, kind)
                    scenario.subscribe()
                    let ports = scenario.ports
                    let begun = AtomicWord(0)
                    race([
                        {
                            for number in 0..<60 {
                                begun.storeReleasing(UInt(number))
                                for (position, port) in ports.enumerated() {
                                    port.send(.next((position + 1) * 100_000 + number))
                                }
                            }
                            for port in ports { port.send(.completed) }
                        },
                        {
                            while begun.loadAcquiring() < UInt(attempt * attempt * 5) {}
                            scenario.dispose()
                        },
                    ])
                    scenario.settle()
                    #expect(scenario.record.violation == nil, "\(kind)")
                    #expect(scenario.record.afterDispose <= 1, "\(kind)")
                    expectUnsubscribed(scenario, "\(kind)")
                }
            }
        }

        private func expectUnsubscribed(_ scenario: Scenario, _ comment: String) {
            let isUnsubscribed = scenario.eventually { !scenario.ports.contains(where: \.isObserved) }
            #expect(isUnsubscribed, "still subscribed: \(comment)")
        }
    }
}

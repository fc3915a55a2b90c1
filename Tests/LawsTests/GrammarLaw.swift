// SPDX-License-Identifier: Apache-2.0

import RxPrimitives
import RxSwift
import TestSupport
import Testing

extension Laws {
    /// Law L1: no event follows a terminal event, even if the sources continue.
    @Suite struct GrammarLaw {
        @Test("The grammar holds for a source that continues after its terminal event", arguments: Laws.cases)
        func sourceGoesOnAfterItsTerminalEvent(_ subject: Case) {
            for kind in Port.Kind.allCases {
                for terminal in [Event<Int>.completed, .error(LawError.source)] {
                    let scenario = Scenario(subject, kind)
                    scenario.subscribe()
                    scenario.round()
                    scenario.round()
                    let accepted = scenario.sent
                    scenario.tested.send(terminal)
                    scenario.tested.send(.next(subject.position * 100_000 + 199_999))
                    scenario.tested.send(.error(LawError.thrown("late")))
                    scenario.tested.send(.completed)
                    scenario.tested.send(.next(subject.position * 100_000 + 199_999))
                    for (position, port) in scenario.ports.enumerated() where position != subject.position {
                        scenario.sendNext(from: position)
                        port.send(.completed)
                        scenario.sendNext(from: position)
                        port.send(.error(LawError.thrown("late")))
                    }
                    scenario.settle()
                    #expect(scenario.record.violation == nil, "\(kind), \(terminal)")
                    if subject.row.sources == 1, subject.row.passesErrors, subject.row.keeps == .everything,
                        subject.row.completes
                    {
                        let ended = scenario.eventually { scenario.record.hasEnded }
                        #expect(ended, "\(kind), \(terminal): \(scenario.record.text)")
                        #expect(scenario.record.terminal?.error as? LawError == terminal.error as? LawError)
                        if terminal.error == nil {
                            #expect(scenario.record.elements == accepted, "\(kind), \(terminal)")
                        }
                    }
                    scenario.dispose()
                }
            }
        }

        /// The operator above ends by itself, while its hot source continues.
        @Test("The grammar holds when the operator above ends by itself", arguments: Laws.cases)
        func operatorAboveEndsByItself(_ subject: Case) {
            for kind in Port.Kind.allCases {
                for throwing in [true, false] {
                    let scenario = Scenario(subject, kind)
                    let seen = AtomicWord(0)
                    scenario.subscribe { source in
                        if !throwing { return source.take(2) }
                        return source.map { element in
                            if seen.fetchAdd(1) == 2 { throw LawError.thrown("above") }
                            return element
                        }
                    }
                    for _ in 0..<2 { scenario.round() }
                    let accepted = scenario.sent
                    for _ in 0..<3 { scenario.sendNext(from: subject.position) }
                    scenario.tested.send(.error(LawError.source))
                    scenario.settle()
                    let comment: Comment = "\(kind), \(throwing ? "map throws" : "take(2)"): \(scenario.record.text)"
                    #expect(scenario.record.violation == nil, comment)
                    let row = subject.row
                    if row.keeps != .nothing, row.passesErrors || !throwing {
                        let own = { (elements: [Int]) in elements.filter { $0 / 100_000 == subject.position + 1 } }
                        let stray = Set(own(scenario.record.elements)).subtracting(own(accepted))
                        // A source may be subscribed to later, or several times: then it starts to count later.
                        #expect(stray.isEmpty || row.sources > 1 || !row.completes, comment)
                    }
                    if row.completes, row.passesErrors || !throwing {
                        let isUnsubscribed = scenario.eventually { !scenario.tested.isObserved }
                        #expect(isUnsubscribed, comment)
                    }
                    if row.passesErrors, row.sources == 1, row.keeps == .everything, row.completes {
                        let ended = scenario.eventually { scenario.record.hasEnded }
                        #expect(ended, comment)
                        let elements = scenario.record.elements
                        #expect(elements == Array(accepted.prefix(elements.count)), comment)
                        let error = scenario.record.terminal?.error as? LawError
                        #expect(
                            error == (throwing ? .thrown("above") : nil), "\(comment), then \(scenario.record.text)")
                    }
                    scenario.dispose()
                }
            }
        }

        @Test("The grammar holds for a source that continues inside subscribe", arguments: Laws.cases)
        func sourceGoesOnInsideSubscribe(_ subject: Case) {
            for terminal in [Event<Int>.completed, .error(LawError.source)] {
                let base = (subject.position + 1) * 100_000
                let rude = Port(.create) { observer, number in
                    // An operator that subscribes again and again gets a source that ends.
                    guard number <= 3 else { return observer.on(.completed) }
                    observer.on(.next(base + number * 10 + 1))
                    observer.on(.next(base + number * 10 + 2))
                    observer.on(terminal)
                    observer.on(.next(base + number * 10 + 3))
                    observer.on(.error(LawError.thrown("late")))
                    observer.on(.completed)
                    observer.on(.next(base + number * 10 + 4))
                }
                let scenario = Scenario(subject, .create, tested: rude)
                scenario.subscribe()
                scenario.round()
                for port in scenario.ports { port.send(.completed) }
                scenario.round()
                scenario.settle()
                #expect(scenario.record.violation == nil, "\(terminal)")
                if subject.row.keeps != .nothing {
                    let late = scenario.record.elements.filter { $0 - base > 10 && $0 - base < 40 && $0 % 10 > 2 }
                    #expect(late.isEmpty, "\(terminal)")
                }
                scenario.dispose()
            }
        }

        @Test("The grammar holds when two threads end the same source", arguments: Laws.racingCases)
        func twoThreadsEndTheSameSource(_ subject: Case) {
            for kind in Port.Kind.allCases {
                for _ in 0..<4 {
                    let scenario = Scenario(subject, kind)
                    scenario.subscribe()
                    scenario.round()
                    let port = scenario.tested
                    let base = (subject.position + 1) * 100_000
                    race(
                        [Event<Int>.completed, .error(LawError.source)].enumerated().map { thread, terminal in
                            {
                                for index in 0..<20 {
                                    port.send(.next(base + thread * 1_000 + index))
                                    if index == 10 { port.send(terminal) }
                                }
                            }
                        })
                    scenario.settle()
                    #expect(scenario.record.violation == nil, "\(kind)")
                    scenario.dispose()
                }
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

extension Laws {
    /// Laws L2 and L4: calls never overlap, nothing is lost or doubled, each source's order stays.
    @Suite struct SerialLaw {
        static let count = 300

        @Test("Events of two emitting threads arrive one at a time", arguments: Laws.racingCases)
        func twoThreadsEmit(_ subject: Case) {
            for kind in Port.Kind.allCases {
                for _ in 0..<3 {
                    let scenario = Scenario(subject, kind)
                    scenario.subscribe()
                    let ports = scenario.ports
                    // With one source both threads use it; with several each has its own.
                    let emit: @Sendable (Int) -> Void = { thread in
                        for number in 0..<Self.count {
                            if ports.count == 1 {
                                ports[0].send(.next((thread + 1) * 100_000 + number))
                            } else {
                                for position in ports.indices where position % 2 == thread {
                                    ports[position].send(.next((position + 1) * 100_000 + number))
                                }
                            }
                        }
                    }
                    race([{ emit(0) }, { emit(1) }])
                    scenario.end(.completed)
                    // Also where the row runs on no other thread: a deputy may deliver what the two left (law L12).
                    if subject.row.completes {
                        let ended = Laws.eventually(true) { scenario.record.hasEnded }
                        #expect(ended, "\(kind): not completed")
                    } else {
                        Laws.waitForQuiet { scenario.record.events.count }
                    }
                    #expect(scenario.record.violation == nil, "\(kind)")
                    let sources = ports.count == 1 ? 2 : ports.count
                    let sent = (0..<sources).flatMap { source in
                        (0..<Self.count).map { (source + 1) * 100_000 + $0 }
                    }
                    let complaint = Laws.complaint(
                        subject.row.keeps, received: scenario.record.elements, sent: sent, tested: subject.position,
                        isComplete: true)
                    #expect(complaint == nil, "\(kind)")
                    scenario.dispose()
                }
            }
        }

        @Test("Events of one emitting thread arrive one at a time", arguments: Laws.cases)
        func oneThreadEmits(_ subject: Case) {
            for kind in Port.Kind.allCases {
                let scenario = Scenario(subject, kind)
                scenario.subscribe()
                for _ in 0..<4 { scenario.round() }
                scenario.end(.completed)
                if subject.row.completes {
                    let ended = scenario.eventually { scenario.record.hasEnded }
                    #expect(ended, "\(kind): \(scenario.record.text)")
                } else {
                    scenario.settle()
                }
                #expect(scenario.record.violation == nil, "\(kind)")
                if subject.row.keeps == .everything {
                    let sent = scenario.sent
                    let arrived = scenario.eventually { scenario.record.elements == sent }
                    #expect(arrived, "\(kind): \(scenario.record.text)")
                } else {
                    let complaint = Laws.complaint(
                        subject.row.keeps, received: scenario.record.elements, sent: scenario.sent,
                        tested: subject.position, isComplete: true)
                    #expect(complaint == nil, "\(kind)")
                }
                scenario.dispose()
            }
        }
    }
}

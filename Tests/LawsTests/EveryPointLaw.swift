// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

extension Laws {
    /// Laws L1 and L3 at every point of a chain that a user can see, in programs that send from inside their callbacks.
    @Suite struct EveryPointLaw {
        /// A place from which the script sends events.
        enum Place: CaseIterable, Sendable { case observer, above, below, closures }

        /// The events that are sent there.
        enum Act: CaseIterable, Sendable { case elements, completed, error }

        @Test("The event grammar holds above and below the operator at every point", arguments: Laws.cases)
        func grammarHoldsAboveAndBelow(_ subject: Case) {
            for kind in Port.Kind.allCases {
                for place in Place.allCases {
                    for act in Act.allCases { play(subject, kind, place, act) }
                }
            }
        }

        private func play(_ subject: Case, _ kind: Port.Kind, _ place: Place, _ act: Act) {
            let scenario = Scenario(subject, kind)
            let (above, below) = (Tap(), Tap())
            let left = AtomicCounter(12)
            let react: () -> Void = { [weak scenario] in
                guard let scenario else { return }
                guard scenario.isSubscribed else { return }
                let number = left.decrement()
                switch act {
                case .elements:
                    if number >= 0 { scenario.sendNext(from: number % scenario.ports.count) }
                case .completed, .error:
                    guard number == 9 else { return }
                    scenario.tested.send(act == .completed ? .completed : .error(LawError.source))
                    scenario.tested.send(.next((subject.position + 1) * 100_000 + 99_999))
                    for position in scenario.ports.indices { scenario.sendNext(from: position) }
                    scenario.end(.completed)
                }
            }
            switch place {
            case .observer: scenario.record.onEvent = { _, _ in react() }
            case .above: above.onEvent = { _ in react() }
            case .below: below.onEvent = { _ in react() }
            case .closures:
                scenario.script.isActive = true
                scenario.script.onVisit = { _ in react() }
            }
            scenario.subscribe {
                above.tapped($0)
            } below: {
                below.tapped($0)
            }
            for _ in 0..<3 { scenario.round() }
            scenario.end(.completed)
            scenario.settle()
            let comment = "\(kind), \(act) sent in \(place)"
            #expect(scenario.record.violation == nil, "\(comment)")
            #expect(above.violation == nil, "above: \(comment)")
            #expect(below.violation == nil, "below: \(comment)")
            scenario.dispose()
        }
    }
}

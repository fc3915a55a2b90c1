import RxSwift
import TestSupport
import Testing

extension Laws {
    /// Law L6: after the end everything is released, although the user keeps the disposable, the subject, the observer.
    @Suite struct ReleaseLaw {
        enum End: CaseIterable, Sendable { case completed, error, dispose, disposeAtOnce, disposeInsideObserver }

        @Test(arguments: Laws.cases) func everythingIsReleased(_ subject: Case) {
            #if TRACE_RESOURCES
                // Another test's work may still be ending on its threads.
                Laws.waitForQuiet { Int(Resources.total) }
            #endif
            for kind in Port.Kind.allCases {
                for end in End.allCases {
                    #if TRACE_RESOURCES
                        // What is made once and kept (a thread's trampoline, a queue's state) is made here.
                        live(subject, kind, end, checks: false)
                        Scenario.waitForQuiet(subject) { Int(Resources.total) }
                        let before = Resources.total
                        let census = Resources.census()
                    #endif
                    live(subject, kind, end, checks: true)
                    #if TRACE_RESOURCES
                        let isBack = Laws.eventually(subject.row.isAsynchronous) { Resources.total == before }
                        #expect(isBack, "\(kind), \(end): \(Self.difference(census, Resources.census()))")
                    #endif
                }
            }
        }

        private func live(_ subject: Case, _ kind: Port.Kind, _ end: End, checks: Bool) {
            let scenario = Scenario(subject, kind)
            if end == .disposeInsideObserver {
                scenario.record.onEvent = { [weak scenario] _, _ in
                    guard let scenario else { return }
                    if scenario.isSubscribed { scenario.dispose() }
                }
            }
            scenario.subscribe()
            if end != .disposeAtOnce {
                for _ in 0..<3 { scenario.round() }
            }
            switch end {
            case .completed: scenario.end(.completed)
            case .error: scenario.end(.error(LawError.source))
            case .dispose, .disposeAtOnce, .disposeInsideObserver: break
            }
            let ends = end == .completed && subject.row.completes
            if ends {
                let ended = scenario.eventually { scenario.record.hasEnded }
                if checks { #expect(ended, "\(kind), \(end)") }
            } else {
                scenario.settle()
                if !scenario.record.hasEnded { scenario.dispose() }
            }
            if checks {
                let isReleased = scenario.eventually { scenario.probe == nil && scenario.witness == nil }
                #expect(
                    isReleased,
                    "\(kind), \(end): alive: \(scenario.probe == nil ? "" : "closures") \(scenario.witness == nil ? "" : "observer")"
                )
                let isUnsubscribed = scenario.eventually { !scenario.ports.contains(where: \.isObserved) }
                #expect(isUnsubscribed, "\(kind), \(end): still subscribed")
            }
            scenario.forget()
        }

        #if TRACE_RESOURCES
            private static func difference(
                _ before: [(type: String, count: Int)], _ after: [(type: String, count: Int)]
            ) -> String {
                let counts = Dictionary(before.map { ($0.type, $0.count) }, uniquingKeysWith: +)
                return after.filter { $0.count != counts[$0.type] }
                    .map { "\($0.type): \($0.count - (counts[$0.type] ?? 0))" }.joined(separator: ", ")
            }
        #endif
    }
}

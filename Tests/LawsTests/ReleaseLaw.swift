// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

extension Laws {
    /// Law L6: after the end everything is released, although the user keeps the disposable, the subject, the observer.
    @Suite struct ReleaseLaw {
        enum End: CaseIterable, Sendable { case completed, error, dispose, disposeAtOnce, disposeInsideObserver }

        @Test("The operator releases everything at its end", arguments: Laws.cases)
        func everythingIsReleased(_ subject: Case) {
            for kind in Port.Kind.allCases {
                for end in End.allCases {
                    #if TRACE_RESOURCES
                        // This run makes the objects that are made once and kept (the trampoline of a thread, the state of a
                        // queue).
                        live(subject, kind, end, checks: false)
                    #endif
                    Laws.expectNothingLeft(waiting: subject.row.isAsynchronous, "\(kind), \(end)") {
                        live(subject, kind, end, checks: true)
                    }
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
    }

    /// Runs a body, and with `TRACE_RESOURCES` expects that as many objects of the library are alive as before.
    ///
    /// The whole process has one count. If it falls below the earlier value, other threads have released objects of an earlier
    /// test meanwhile, and the body runs once more.
    ///
    /// - Parameter waiting: true if other threads may have to release objects first.
    static func expectNothingLeft(
        waiting: Bool, _ comment: @autoclosure () -> String = "", location: SourceLocation = #_sourceLocation,
        _ body: () -> Void
    ) {
        #if TRACE_RESOURCES
            for attempt in 0..<20 {
                if waiting || attempt > 0 { waitForQuiet { Int(Resources.total) } }
                let before = Resources.total
                let census = Resources.census()
                body()
                _ = eventually(waiting) { Resources.total <= before }
                let after = Resources.total
                if after < before { continue }
                let difference = after == before ? "" : difference(census, Resources.census())
                #expect(after == before, "\(comment()): \(difference)", sourceLocation: location)
                return
            }
            Issue.record("\(comment()): other threads went on letting go of objects", sourceLocation: location)
        #else
            body()
        #endif
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

// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxPrimitives
import RxSwift
import TestSupport
import Testing

extension Laws {
    /// Laws L1, L2, L4, L6 while the observer is busy on another thread: the operator queues the events that arrive meanwhile,
    /// and an end counts from its acceptance on.
    @Suite struct BusyLaw {
        @Test("Events and ends of the sources keep their order while the observer is busy", arguments: Laws.cases)
        func sourceSendsAndEndsWhileTheObserverIsBusy(_ subject: Case) {
            for kind in Port.Kind.allCases {
                for terminal in [Event<Int>.completed, .error(LawError.source)] {
                    let life = Life(subject, kind)
                    life.start { !$0.isStopEvent }
                    let sender = life.emit { scenario, isBusy in
                        for _ in 0..<4 {
                            for position in scenario.ports.indices where !isBusy() { scenario.sendNext(from: position) }
                        }
                    }
                    let scenario = life.scenario
                    for _ in 0..<5 { scenario.round() }
                    scenario.tested.send(terminal)
                    let stray = (subject.position + 1) * 100_000 + 99_999
                    scenario.tested.send(.next(stray))
                    scenario.tested.send(.error(LawError.thrown("late")))
                    let comment = "\(kind), \(terminal)"
                    #expect(life.released(), "waited for the observer: \(comment)")
                    sender.wait()
                    scenario.end(.completed)
                    let row = subject.row
                    // With several sources an error may be what another source answers to.
                    let passesError = row.passesErrors && row.sources == 1
                    life.expectEnd(comment, ends: row.completes && (terminal.error == nil || passesError))
                    let text = "\(comment): \(scenario.record.text)"
                    #expect(!scenario.record.elements.contains(stray), "\(text)")
                    if row.completes, terminal.error == nil || row.passesErrors {
                        let complaint = Laws.complaint(
                            row.keeps, received: scenario.record.elements, sent: scenario.sent,
                            tested: subject.position, isComplete: terminal.error == nil)
                        #expect(complaint == nil, "\(text)")
                    }
                    scenario.forget()
                }
            }
        }

        @Test("No event follows the terminal event while the observer handles it", arguments: Laws.cases)
        func sourceSendsWhileTheObserverIsInTheTerminalEvent(_ subject: Case) {
            for kind in Port.Kind.allCases {
                let life = Life(subject, kind)
                life.scenario.script.isActive = true
                life.start { $0.isStopEvent }
                let sender = life.emit { scenario, isBusy in
                    for _ in 0..<4 { scenario.round() }
                    if !isBusy() { scenario.end(.completed) }
                }
                let scenario = life.scenario
                let (calls, closures) = (life.above.calls, life.closureRuns)
                let isBusy = life.isBusy
                for _ in 0..<5 { scenario.sendNext(from: subject.position) }
                scenario.tested.send(.error(LawError.source))
                scenario.tested.send(.completed)
                #expect(life.released(), "waited for the observer: \(kind)")
                sender.wait()
                scenario.end(.completed)
                life.expectEnd("\(kind)", ends: subject.row.completes)
                if isBusy {
                    let text = "\(kind): \(scenario.record.text)"
                    #expect(life.above.calls == calls, "the `do` above ran after the end, \(text)")
                    #expect(life.closureRuns == closures, "closures ran after the end, \(text)")
                }
                scenario.forget()
            }
        }

        /// A scenario whose observer waits, in the first event of a kind, until the law lets it go.
        private final class Life: @unchecked Sendable {
            let scenario: Scenario
            let above = Tap()
            let below = Tap()
            private let busy = AtomicWord(0)
            private let late = AtomicWord(0)
            private let gate = OneShot()
            /// The thread that lets the observer go.
            private let thread = pthread_self()

            init(_ subject: Case, _ kind: Port.Kind) { scenario = Scenario(subject, kind) }

            var isBusy: Bool { busy.loadAcquiring() != 0 }

            /// The number of runs of the operator's closures, without those that run behind the terminal event.
            var closureRuns: [String: Int] {
                scenario.script.visits.filter {
                    !["afterError", "afterCompleted", "onDispose", "onDisposed"].contains($0.key)
                }
            }

            func start(isAwaited: @escaping (Event<Int>) -> Bool) {
                scenario.record.onEvent = { [unowned self] _, event in
                    guard scenario.isSubscribed, pthread_equal(thread, pthread_self()) == 0, isAwaited(event) else {
                        return
                    }
                    guard busy.fetchAdd(1) == 0 else { return }
                    if !gate.wait(seconds: 5) { late.storeReleasing(1) }
                }
                scenario.subscribe { [above] in
                    above.tapped($0)
                } below: { [below] in
                    below.tapped($0)
                }
                // Not every source is subscribed to at all.
                _ = scenario.eventually(seconds: 2) { self.scenario.tested.isObserved }
            }

            /// Runs a body on another thread. Returns when the observer is busy, or when it will not be.
            func emit(_ body: @escaping @Sendable (Scenario, () -> Bool) -> Void) -> DispatchGroup {
                let group = DispatchGroup()
                let isThrough = AtomicWord(0)
                group.enter()
                Thread.detachNewThread { [self] in
                    body(scenario) { self.isBusy }
                    isThrough.storeReleasing(1)
                    group.leave()
                }
                spin { isBusy || isThrough.loadAcquiring() != 0 }
                if scenario.subject.row.isAsynchronous {
                    for _ in 0..<20 where !isBusy { usleep(1_000) }
                }
                return group
            }

            /// Returns false if the calling thread was so late that the observer no longer waited.
            func released() -> Bool {
                gate.fire()
                return late.loadAcquiring() == 0
            }

            /// Deputy threads may deliver what is left (law L12), so every claim is waited for.
            func expectEnd(_ comment: String, ends: Bool) {
                if ends {
                    let ended = Laws.eventually(true) { scenario.record.hasEnded }
                    #expect(ended, "not ended, \(comment): \(scenario.record.text)")
                } else {
                    scenario.settle()
                    if !scenario.record.hasEnded { scenario.dispose() }
                }
                let isUnsubscribed = Laws.eventually(true) { !scenario.ports.contains(where: \.isObserved) }
                #expect(isUnsubscribed, "still subscribed, \(comment): \(scenario.record.text)")
                let isReleased = Laws.eventually(true) { scenario.probe == nil && scenario.witness == nil }
                #expect(isReleased, "not released, \(comment): \(scenario.record.text)")
                #expect(scenario.record.violation == nil, "\(comment)")
                #expect(above.violation == nil, "above, \(comment)")
                #expect(below.violation == nil, "below, \(comment)")
            }
        }
    }
}

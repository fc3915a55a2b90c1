// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxPrimitives
import RxSwift
import TestSupport
import Testing

extension Laws {
    /// Laws L1, L5 and L6 with sources that emit for ever on threads of their own: at the end all of them stop.
    @Suite struct AsynchronousEndlessLaw {
        /// A source that emits for ever.
        enum SourceKind: CaseIterable, Sendable { case interval, repeatElement, thread }

        /// Operators that never end above a `take(3)`, each with the reason.
        static let endless: [String: String] = EndlessLaw.consuming.merging(
            [
                "SharedSequence.debounce(_:)": "waits for a pause, which the source need not make",
                "debounce(_:scheduler:)": "waits for a pause, which the source need not make",
                "debounce(for:clock:)": "waits for a pause, which the source need not make",
                "Infallible.debounce(_:scheduler:)": "waits for a pause, which the source need not make",
                "Infallible.debounce(for:clock:)": "waits for a pause, which the source need not make",
                "SharedSequence.interval(_:)": "starts anew at each element, and so waits for a pause",
                "SharedSequence.timer(_:period:)": "starts anew at each element, and so waits for a pause",
            ]
        ) { first, _ in first }

        /// Operators whose sources only stop when they are unsubscribed, behind the terminal event, each with the reason.
        static func reasonToStopLate(_ subject: Case) -> String? {
            let name = subject.row.name
            if ["SharedSequence.", "Driver.", "Signal."].contains(where: name.hasPrefix) {
                return "what is above a share ends when its last subscriber has left"
            }
            // The subscribing thread, which delivers the replayed element to the second observer, may bring the end: another one than the source's.
            if subject.description == "share(replay:scope:) [two observers, replay 1]" {
                return "what is above a share ends when its last subscriber has left"
            }
            if name == "groupBy(_:until:)" {
                return "what is above groups ends when the last of their subscribers has left"
            }
            // The timer's thread may bring the end: another one than the source's.
            if ["window(timeSpan:count:scheduler:) [by time]", "window(for:count:clock:)"].contains(subject.description)
            {
                return "what is above windows ends when the last of their subscribers has left"
            }
            if name == "DescriptorStream.write" { return "an object of another module is subscribed to the source" }
            return nil
        }

        /// The number of closures that run above `subscribe(on:)` after a dispose, while the scheduler is busy with the source.
        static let lateCalls = 256

        @Test("A take below the operator stops all its asynchronous sources", arguments: Laws.racingCases)
        func takeBelowStopsAllSources(_ subject: Case) {
            for kind in SourceKind.allCases {
                let life = Life(subject, kind) { $0.take(3) }
                let mayGoOn =
                    subject.row.name.hasPrefix("Completable.") || Self.endless[subject.description] != nil
                    || Self.endless[subject.row.name] != nil
                let ended = life.waitForEnd(milliseconds: mayGoOn ? 20 : Laws.idleTimeout * 1_000)
                #expect(ended || mayGoOn, "\(kind): not ended")
                life.expectStop("\(kind)")
            }
        }

        /// Operators that end by themselves do; the others are disposed of.
        @Test("The end of the operator stops all its asynchronous sources", arguments: Laws.racingCases)
        func endOfTheOperatorStopsAllSources(_ subject: Case) {
            for kind in SourceKind.allCases {
                let life = Life(subject, kind) { $0 }
                _ = life.waitForEnd(milliseconds: 5)
                life.expectStop("\(kind)")
            }
        }

        /// A subscription to an operator whose sources never stop on their own.
        private final class Life: @unchecked Sendable {
            private let scenario: Scenario
            private let kind: SourceKind
            /// The number of runs of closures above the operator.
            private let calls = AtomicCounter(0)
            /// The number of threads that emit now: `thread` has one for each subscription.
            private let threads = AtomicCounter(0)
            /// If this is not 0, sources fail, so that they stop although the law is broken.
            private let isOver = AtomicCounter(0)
            private let lock = NSLock()
            /// The rows whose closure subscribes, and connects then.
            private static let connecting: Set = [
                "connect()", "publish()", "replay(_:)", "replayAll()", "multicast(_:)",
            ]

            private let stopsLate: Bool
            private let unsubscribesLate: Bool
            /// The calls before the terminal event, and the number of calls that may have been running. Protected by the lock.
            private var atEnd: (calls: Int, underWay: Int)?
            /// The calls while the observer was in the terminal event. Protected by the lock.
            private var duringEnd = 0

            /// One for each source, so that all emit at the same time.
            private static let schedulers = (0..<8).map {
                SerialDispatchQueueScheduler(internalSerialQueueName: "laws.endless.\($0)")
            }

            init(_ subject: Case, _ kind: SourceKind, below: @escaping (Observable<Int>) -> Observable<Int>) {
                self.kind = kind
                stopsLate = AsynchronousEndlessLaw.reasonToStopLate(subject) != nil
                unsubscribesLate = subject.row.name.hasSuffix("subscribe(on:)")
                scenario = Scenario(subject, .subject)
                scenario.record.onEvent = { [unowned self] _, event in
                    guard event.isStopEvent else { return }
                    noteEnd()
                    usleep(1_000)
                    let now = calls.value
                    lock.withLock { duringEnd = now - (atEnd?.calls ?? now) }
                }
                scenario.subscribe(
                    above: { [unowned self] _ in source(subject.position) }, below: below,
                    others: { [unowned self] in source($0) })
                let subscribesItself = Pressure.of(subject) == .stops || Self.connecting.contains(subject.row.name)
                if kind == .thread || subscribesItself { noteReturn() }
            }

            /// Takes what was called until now as called before the end, if that has come: a closure of the program's that subscribes, or starts a
            /// thread, tells only when it returns how that is stopped.
            private func noteReturn() {
                let now = calls.value
                lock.withLock { atEnd?.calls = now }
            }

            private func noteEnd() {
                let sources = scenario.ports.count
                let found = (calls.value, kind == .thread ? max(threads.value, sources) : sources)
                lock.withLock { atEnd = atEnd ?? found }
            }

            /// Numbers that name their source, without an end.
            private func source(_ position: Int) -> Observable<Int> {
                let scheduler = Self.schedulers[position]
                let base = (position + 1) * 100_000
                let number = AtomicWord(0)
                let emitted: Observable<Int> =
                    switch kind {
                    case .interval: .interval(.microseconds(100), scheduler: scheduler)
                    case .repeatElement: .repeatElement(0, scheduler: scheduler)
                    case .thread: emittingThread()
                    }
                return emitted.map { [calls, isOver, kind] _ in
                    calls.increment()
                    if isOver.value != 0 { throw LawError.thrown("over") }
                    // An operator that defers could not keep up.
                    if kind == .repeatElement { usleep(20) }
                    return base + 1 + Int(number.fetchAdd(1) % 99_000)
                }
            }

            /// A thread that emits until it is disposed of.
            private func emittingThread() -> Observable<Int> {
                .create { [threads] observer in
                    let isStopped = AtomicWord(0)
                    threads.increment()
                    Thread.detachNewThread {
                        while isStopped.loadAcquiring() == 0 {
                            observer.onNext(0)
                            usleep(20)
                        }
                        _ = threads.decrement()
                    }
                    return Disposables.create { isStopped.storeReleasing(1) }
                }
            }

            /// Waits for the terminal event to have been delivered, or disposes of the subscription.
            func waitForEnd(milliseconds: Int) -> Bool {
                for _ in 0..<milliseconds * 2 {
                    if scenario.record.hasEnded { return true }
                    usleep(500)
                }
                scenario.dispose()
                noteEnd()
                return false
            }

            func expectStop(_ comment: String) {
                let text = "\(comment): \(scenario.record.text)"
                // Else a closure may still hold its sources.
                let isReleased = Laws.eventually(true) { scenario.probe == nil && scenario.witness == nil }
                #expect(isReleased, "not released, \(text)")
                let haveStopped = Laws.eventually(true) { threads.value == 0 }
                #expect(haveStopped, "\(threads.value) threads emit, \(text)")
                for position in scenario.ports.indices where kind != .thread {
                    #expect(isUsable(Self.schedulers[position]), "the scheduler is not free, \(text)")
                }
                Laws.waitForQuiet { calls.value }
                let (end, during) = lock.withLock { (atEnd, duringEnd) }
                if let end, !stopsLate {
                    let late = unsubscribesLate && !scenario.record.hasEnded ? AsynchronousEndlessLaw.lateCalls : 0
                    #expect(
                        during <= end.underWay, "closures ran while the observer was in the terminal event, \(text)")
                    #expect(calls.value - end.calls <= end.underWay + late, "closures ran after the end, \(text)")
                }
                #expect(scenario.record.violation == nil, "\(comment)")
                isOver.increment()
                scenario.dispose()
            }

            private func isUsable(_ scheduler: SerialDispatchQueueScheduler) -> Bool {
                let ran = OneShot()
                _ = scheduler.schedule(()) { _ in
                    ran.fire()
                    return Disposables.create()
                }
                return ran.wait(seconds: 5)
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxPrimitives
import RxSwift
import TestSupport
import Testing

extension Laws {
    /// The threads that may call back (law L12): threads that emit, subscribe or dispose in the pipeline, threads of a
    /// scheduler that the pipeline names, and deputies of the runtime.
    @Suite struct CallbackThreadLaw {
        enum End: CaseIterable, Sendable { case completed, error, dispose }

        /// Without a scheduler each callback runs on the thread that acts at the moment.
        @Test("Callbacks run on the acting thread", arguments: Laws.cases) func oneThreadActsAtATime(_ subject: Case) {
            for (kind, end) in [(Port.Kind.create, End.completed), (.subject, .error), (.subject, .dispose)] {
                let life = Life(subject, kind, mayBeDeputy: subject.row.isAsynchronous)
                let scenario = life.scenario
                life.act(on: 0) { life.subscribe() }
                for round in 0..<4 {
                    life.act(on: round + 1) { scenario.round() }
                    scenario.settle()
                }
                life.act(on: 5) {
                    switch end {
                    case .completed: scenario.end(.completed)
                    case .error: scenario.end(.error(LawError.source))
                    case .dispose: scenario.dispose()
                    }
                }
                scenario.settle()
                life.act(on: 6) { scenario.dispose() }
                life.expectNoStranger("\(kind), \(end)")
                scenario.forget()
            }
        }

        /// Two threads emit, a third one disposes.
        @Test("Callbacks run on one of several acting threads or on a deputy", arguments: Laws.racingCases)
        func severalThreadsActAtOnce(_ subject: Case) {
            for kind in Port.Kind.allCases {
                for end in End.allCases {
                    let life = Life(subject, kind, mayBeDeputy: true)
                    let scenario = life.scenario
                    life.act(on: 0) { life.subscribe() }
                    let begun = AtomicWord(0)
                    let emit: @Sendable () -> Void = {
                        for number in 0..<40 {
                            begun.storeReleasing(UInt(number))
                            scenario.round()
                        }
                    }
                    let finish: @Sendable () -> Void = {
                        while begun.loadAcquiring() < 20 { sched_yield() }
                        switch end {
                        case .completed: scenario.end(.completed)
                        case .error: scenario.end(.error(LawError.source))
                        case .dispose: scenario.dispose()
                        }
                    }
                    life.actAtOnce([emit, emit, finish])
                    scenario.settle()
                    life.act(on: 6) { scenario.dispose() }
                    life.expectNoStranger("\(kind), \(end)")
                    scenario.forget()
                }
            }
        }

        /// The observer keeps its thread until the other one has enqueued more than a drainer may deliver for it.
        @Test("A deputy bears its mark") func deputiesBearTheirMark() {
            let source = PublishSubject<Int>()
            let emitted = OneShot()
            let isInside = OneShot()
            let deputies = AtomicCounter(0)
            let others = AtomicCounter(0)
            let emitters = AtomicWord(0)
            let subscription = source.subscribe(onNext: { element in
                if element == 0 {
                    isInside.fire()
                    _ = emitted.wait()
                } else if DrainSession.isDeputy {
                    deputies.increment()
                } else if CurrentThread.identity == emitters.loadAcquiring() {
                    others.increment()
                }
            })
            race(
                {
                    emitters.storeReleasing(CurrentThread.identity)
                    source.onNext(0)
                },
                {
                    _ = isInside.wait()
                    for number in 1...1_000 { source.onNext(number) }
                    emitted.fire()
                })
            #expect(settles { deputies.value + others.value == 1_000 })
            #expect(deputies.value >= 1_000 - 256)
            #expect(!DrainSession.isDeputy)
            subscription.dispose()
        }

        /// A scenario in which each callback notes its thread.
        private final class Life: @unchecked Sendable {
            let scenario: Scenario
            private let subject: Case
            private let mayBeDeputy: Bool
            /// Only the scheduler calls the observer and the closures right above it.
            private let isHop: Bool
            private let above = Tap()
            private let below = Tap()
            private let lock = NSLock()
            /// The threads that act at the moment. Protected by the lock.
            private var acting: Set<UInt> = []
            /// Under the lock.
            private var strangers: [String: Int] = [:]

            private static let threads = (0..<7).map { _ in CallingThread() }

            init(_ subject: Case, _ kind: Port.Kind, mayBeDeputy: Bool) {
                self.subject = subject
                self.mayBeDeputy = mayBeDeputy
                isHop = subject.row.isAsynchronous && subject.row.name.hasSuffix("observe(on:)")
                scenario = Scenario(subject, kind)
                scenario.script.isActive = true
            }

            /// The calling thread may be called back until `subscribe` returns.
            func subscribe() {
                scenario.script.onVisit = { [weak self] _ in self?.note("a closure") }
                scenario.record.onEvent = { [weak self] _, _ in
                    self?.note("the observer", onSchedulerOnly: self?.isHop ?? false)
                }
                above.onEvent = { [weak self] _ in self?.note("a closure above") }
                below.onEvent = { [weak self] _ in self?.note("a closure below", onSchedulerOnly: self?.isHop ?? false)
                }
                scenario.subscribe { [unowned self] in
                    noted(above.tapped($0), "above")
                } below: { [unowned self] in
                    noted(below.tapped($0), "below")
                }
            }

            private func noted(_ source: Observable<Int>, _ place: String) -> Observable<Int> {
                source.do(
                    onSubscribe: { [weak self] in self?.note("onSubscribe \(place)") },
                    onDispose: { [weak self] in self?.note("onDispose \(place)") })
            }

            /// Runs a body on one of the test's threads, which may be called back meanwhile.
            func act(on thread: Int, _ body: @escaping @Sendable () -> Void) { start(on: thread, body).wait() }

            func actAtOnce(_ bodies: [@Sendable () -> Void]) {
                let groups = bodies.indices.map { start(on: $0 + 1, bodies[$0]) }
                for group in groups { group.wait() }
            }

            private func start(on thread: Int, _ body: @escaping @Sendable () -> Void) -> DispatchGroup {
                let group = DispatchGroup()
                group.enter()
                Self.threads[thread].submit { [self] in
                    _ = lock.withLock { acting.insert(CurrentThread.identity) }
                    body()
                    _ = lock.withLock { acting.remove(CurrentThread.identity) }
                    group.leave()
                }
                return group
            }

            /// A callback runs on the calling thread.
            private func note(_ callback: String, onSchedulerOnly: Bool = false) {
                let isActing = lock.withLock { acting.contains(CurrentThread.identity) }
                if isActing, !onSchedulerOnly { return }
                if subject.row.schedulers.contains(where: \.isCurrent) { return }
                if mayBeDeputy, DrainSession.isDeputy, !onSchedulerOnly { return }
                let thread =
                    isActing
                    ? "a thread that acts" : DrainSession.isDeputy ? "a deputy" : "thread '\(Laws.currentThreadName)'"
                lock.withLock { strangers["\(callback) on \(thread)", default: 0] += 1 }
            }

            /// Deputies may still be at work.
            func expectNoStranger(_ comment: String) {
                waitForDeputies()
                scenario.settle()
                let found = lock.withLock { strangers }
                #expect(found.isEmpty, "\(comment)")
            }
        }

        /// A thread that runs the submitted bodies one after another. No other code calls back on it.
        private final class CallingThread: @unchecked Sendable {
            private let lock = NSLock()
            private let arrival = DispatchSemaphore(value: 0)
            /// Under the lock.
            private var bodies: [@Sendable () -> Void] = []

            init() {
                let thread = Thread { [self] in
                    while true {
                        arrival.wait()
                        lock.withLock { bodies.removeFirst() }()
                    }
                }
                thread.name = "laws.calling"
                thread.start()
            }

            func submit(_ body: @escaping @Sendable () -> Void) {
                lock.withLock { bodies.append(body) }
                arrival.signal()
            }
        }
    }
}

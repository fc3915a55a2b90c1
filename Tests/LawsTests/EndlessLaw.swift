// SPDX-License-Identifier: Apache-2.0

import RxPrimitives
import RxSwift
import TestSupport
import Testing

extension Laws {
    /// Law L1 with sources that never stop on their own: an operator that has ended asks its source for no more elements.
    @Suite struct EndlessLaw {
        /// Operators that consume all of their source, or all but its first elements, each with the reason.
        static let consuming: [String: String] = [
            "AsyncSubject": "its only element is the last one",
            "Maybe.empty()": "no inner sequence has an element",
            "Maybe.never()": "no inner sequence has an element",
            "Single.never()": "no inner sequence has an element",
            "Single.asCompletable()": "no inner sequence has an element",
            "Single.flatMapCompletable(_:)": "no inner sequence has an element",
            "SharedSequence.debounce(_:)": "waits for a pause, which the source never makes",
            "debounce(_:scheduler:) [long]": "waits for a pause, which the source never makes",
            "Driver.drive()": "nothing reaches the observer",
            "Signal.emit()": "nothing reaches the observer",
            "asCompletable()": "a completable waits for the end",
            "ignoreElements()": "waits for the end",
            "reduce(_:accumulator:)": "its result needs all elements",
            "reduce(_:accumulator:mapResult:)": "its result needs all elements",
            "single(_:)": "no element fulfils its predicate",
            "skip(_:scheduler:) [long]": "skips for longer than the law runs",
            "takeLast(_:) [all]": "the last elements are known at the end",
            "takeLast(_:) [one]": "the last elements are known at the end",
            "throttle(_:latest:scheduler:) [long]": "its second element would come after the law",
            "toArray()": "its result needs all elements",
        ]

        private static func reasonToConsume(_ subject: Case) -> String? {
            consuming[subject.description] ?? consuming[subject.row.name]
        }

        /// Each source has ten million elements. A `take(3)` below, or the operator, ends the sequence.
        @Test("The operator asks its sources for nothing after the end", arguments: Laws.cases)
        func nothingIsAskedForAfterTheEnd(_ subject: Case) {
            // The progress of a source before a scheduler's thread ends it depends on the machine.
            guard !subject.row.isAsynchronous else { return }
            let scenario = Scenario(subject, .subject)
            let counter = Counter(limit: subject.row.isAsynchronous ? 3_000_000 : 3_000)
            let asked = AtomicWord(UInt.max)
            scenario.record.onEvent = { _, event in
                if event.isStopEvent { asked.storeReleasing(UInt(counter.value)) }
            }
            let source: (Int) -> Observable<Int> = { position in
                counter.counted(.range(start: (position + 1) * 100_000, count: 10_000_000))
            }
            scenario.subscribe(above: { _ in source(subject.position) }, below: { $0.take(3) }, others: source)
            let ended = scenario.eventually { scenario.record.hasEnded }
            scenario.settle()
            #expect(scenario.record.violation == nil)
            if subject.row.name.hasPrefix("Completable.") {
                // Ignores elements: it consumes all of its source, unless a timer or another source ends it.
            } else if let reason = Self.reasonToConsume(subject) {
                #expect(counter.hasOverrun, "does not consume all of its source: \(reason)")
            } else {
                #expect(!counter.hasOverrun, "asked for \(counter.value) elements: \(scenario.record.text)")
                #expect(ended, "\(scenario.record.text)")
                if ended, !subject.row.isAsynchronous {
                    #expect(UInt(counter.value) == asked.loadAcquiring(), "asked for more after the end")
                }
            }
            scenario.dispose()
        }

        /// The operator's source is an endless one that `take(2)` ends.
        @Test("take ends an endless source above the operator", arguments: Laws.cases)
        func endlessSourceThatTakeEnds(_ subject: Case) {
            let scenario = Scenario(subject, .subject)
            let base = (subject.position + 1) * 100_000
            let above = Tap()
            let asked = AtomicCounter(0)
            above.onEvent = { _ in
                asked.increment()
                // The sequence has to end, although the law is broken.
                if asked.value > 3_000 { throw LawError.thrown("limit") }
            }
            scenario.subscribe { _ in above.tapped(Observable.repeatElement(base + 1)).take(2) }
            for _ in 0..<2 {
                for position in scenario.ports.indices where position != subject.position {
                    scenario.sendNext(from: position)
                }
            }
            for port in scenario.ports { port.send(.completed) }
            if subject.row.completes, subject.row.sources == 1 {
                let ended = scenario.eventually { scenario.record.hasEnded }
                #expect(ended, "\(scenario.record.text)")
            }
            scenario.settle()
            #expect(scenario.record.violation == nil)
            for record in above.records { #expect(record.events.count <= 2, "asked for \(record.events.count)") }
            scenario.dispose()
        }

        /// Counts the elements that sources are asked for, and makes the sources fail at a limit.
        private final class Counter: Sendable {
            private let count = AtomicCounter(0)
            private let limit: Int

            init(limit: Int) { self.limit = limit }

            var value: Int { count.value }
            var hasOverrun: Bool { value > limit }

            func counted(_ source: Observable<Int>) -> Observable<Int> {
                source.do(onNext: { [self] _ in
                    count.increment()
                    if hasOverrun { throw LawError.thrown("limit") }
                })
            }
        }
    }
}

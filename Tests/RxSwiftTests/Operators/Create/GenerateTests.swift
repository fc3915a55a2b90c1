// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct GenerateTests {
    /// The closure of `generate` in which something happens.
    enum Site: CaseIterable { case condition, iterate }

    @Test("The states come as long as the condition holds") func condition() {
        let source = Observable.generate(initialState: 1, condition: { $0 < 10 }, iterate: { $0 * 2 })
        #expect(events(of: source) == ["1", "2", "4", "8", "completed"])
        #expect(events(of: source) == events(of: source), "each subscription starts from the initial state")
    }

    @Test("A condition that never holds completes the result without a call of `iterate`") func noElements() {
        var iterations = 0
        let source = Observable.generate(
            initialState: 1, condition: { _ in false },
            iterate: { state in
                iterations += 1
                return state
            })
        #expect(events(of: source) == ["completed"])
        #expect(iterations == 0)
    }

    @Test("The closures run in the order of a `for` loop") func order() {
        let log = EventLog()
        let source = Observable<Int>.generate(
            initialState: 0,
            condition: { state in
                log.note("condition(\(state))")
                return state < 2
            },
            iterate: { state in
                log.note("iterate(\(state))")
                return state + 1
            })
        log.observe(source).dispose()
        #expect(
            log.text
                == "condition(0) 0 iterate(0) condition(1) 1 iterate(1) condition(2) completed")
    }

    @Test("The next state is not made before it is due") func lazy() {
        var iterations = 0
        let source = Observable.generate(
            initialState: Int.max - 1, condition: { _ in true },
            iterate: { state in
                iterations += 1
                return state + 1
            })
        #expect(events(of: source.take(2)) == ["\(Int.max - 1)", "\(Int.max)", "completed"])
        #expect(iterations == 1)
    }

    @Test("An error that a closure throws ends the result", arguments: Site.allCases) func throwing(site: Site) {
        var calls = 0
        let source = Observable<Int>.generate(
            initialState: 0,
            condition: { state in
                calls += 1
                if site == .condition, state == 1 { throw Failure.expected }
                return true
            },
            iterate: { state in
                calls += 1
                if site == .iterate { throw Failure.expected }
                return state + 1
            })
        #expect(events(of: source) == ["0", "error(expected)"])
        #expect(calls == (site == .condition ? 3 : 2), "no closure runs after the one that threw")
    }

    @Test("A condition that throws for the initial state ends the result without an element") func throwingAtOnce() {
        let source = Observable.generate(initialState: 0, condition: { _ in throw Failure.expected }, iterate: { $0 })
        #expect(events(of: source) == ["error(expected)"])
    }

    @Test("Each event takes a step of the scheduler") func steps() throws {
        try expectMarbles(result: "^123|", ticks: 1) {
            .generate(initialState: 1, condition: { $0 < 4 }, scheduler: $0, iterate: { $0 + 1 })
        }
        try expectMarbles(result: "^12", ticks: 1, disposed: 203) {
            .generate(initialState: 1, condition: { $0 < 4 }, scheduler: $0, iterate: { $0 + 1 })
        }
    }

    @Test("No event follows a disposal in a closure, not even to the next operator", arguments: Site.allCases)
    func disposal(site: Site) {
        let scheduler = StepScheduler()
        nonisolated(unsafe) var transformed: [Int] = []
        let log = EventLog { dispose in
            Observable<Int>.generate(
                initialState: 0,
                condition: { state in
                    if site == .condition, state == 1 { dispose() }
                    return true
                }, scheduler: scheduler,
                iterate: { state in
                    if site == .iterate { dispose() }
                    return state + 1
                }
            ).map { element in
                transformed.append(element)
                return element
            }
        }
        for _ in 0..<3 { scheduler.step() }
        #expect(log.lines == ["0"])
        #expect(transformed == [0])
        #expect(scheduler.actions.isEmpty)
    }
}

// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct DebugTests {
    private func lines<Element>(
        _ source: Observable<Element>, trimOutput: Bool = false, act: (any Disposable) -> Void = { _ in }
    ) -> [String] {
        var lines: [String] = []
        let debug = Debug(source: source, identifier: "id", trimOutput: trimOutput) { lines.append($0) }
        act(debug.subscribe { _ in })
        return lines
    }

    /// Returns the lines without their timestamps.
    private func contents(_ lines: [String]) -> [String] {
        lines.map { String($0.dropFirst("2024-01-31 12:00:00.000: ".count)) }
    }

    @Test("Subscription, events and disposal make a line each") func lines() {
        #expect(
            contents(lines(sequence(1))) == [
                "id -> subscribed", "id -> Event next(1)", "id -> Event completed", "id -> isDisposed",
            ])
        #expect(
            contents(lines(sequence(1, error: .expected))) == [
                "id -> subscribed", "id -> Event next(1)", "id -> Event error(expected)", "id -> isDisposed",
            ])
        let disposed = lines(Observable<Int>.never()) { subscription in
            subscription.dispose()
            subscription.dispose()
        }
        #expect(contents(disposed) == ["id -> subscribed", "id -> isDisposed"])
    }

    @Test("Each line starts with a timestamp") func timestamp() throws {
        let line = try #require(lines(sequence(1)).first)
        #expect(line.wholeMatch(of: #/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}: id -> subscribed/#) != nil)
    }

    @Test("Long events are trimmed on request") func trimming() {
        let long = String(repeating: "a", count: 30) + String(repeating: "b", count: 30)
        let trimmed = "next(" + String(repeating: "a", count: 15) + "..." + String(repeating: "b", count: 19) + ")"
        #expect(contents(lines(sequence(long), trimOutput: true))[1] == "id -> Event \(trimmed)")
        #expect(contents(lines(sequence(long)))[1] == "id -> Event next(\(long))")
        let exactly40 = String(repeating: "a", count: 34)
        #expect(contents(lines(sequence(exactly40), trimOutput: true))[1] == "id -> Event next(\(exactly40))")
    }

    @Test("Events come through unchanged") func passedEvents() {
        #expect(events(of: sequence(1).debug("eventsPassUnchanged")) == ["1", "completed"])
    }

    /// The fault: a source that did not notice its dispose made lines behind `isDisposed`.
    @Test("No event follows the disposal") func disposedBefore() {
        var lines: [String] = []
        func debug(_ source: Observable<Int>) -> Observable<Int> {
            Debug(source: source, identifier: "id", trimOutput: false) { lines.append($0) }
        }
        for source in [Observable.just(0), .empty(), sequence(error: .expected), .of(1, 2)] {
            lines = []
            _ = debug(source).startWith(1).take(1).subscribe()
            #expect(contents(lines) == ["id -> subscribed", "id -> isDisposed"])
        }
    }
}

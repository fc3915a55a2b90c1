// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxSwift
import RxTest
import Testing

// Examples of operators, each with a picture of rows in which equal columns are equal times, one second each:
//
//     source: --a-bc-----d---|        a cold sequence; a row for each parameter of the closure
//     result: --------c------x|       x = d, at the end
//
// The rows behind those of the parameters are the expected results, one for each observer. An observer subscribes at `^`, or at the start
// if its row has none, and disposes at `!`. `(^b)` are events at the tick of the subscription. "x = text" behind a row names the element of
// a character; other characters name themselves. `Tools/site` draws the rows, and shows the closure's body as the example.

/// Expects the result of an operator without a source.
package func expectPicture<Output>(
    _ picture: String, sourceLocation: SourceLocation = #_sourceLocation,
    of build: @escaping (TestScheduler) throws -> Observable<Output>
) throws {
    let example = OperatorExample(picture)
    try example.expect(sourceLocation, try build(example.scheduler), inputs: 0)
}

/// Expects the result of an operator with one source.
package func expectPicture<Input: LosslessStringConvertible, Output>(
    _ picture: String, sourceLocation: SourceLocation = #_sourceLocation,
    of build: @escaping (Observable<Input>, TestScheduler) throws -> Observable<Output>
) throws {
    let example = OperatorExample(picture)
    try example.expect(sourceLocation, try build(example.source(0), example.scheduler), inputs: 1)
}

/// Expects the result of an operator with two sources.
package func expectPicture<First: LosslessStringConvertible, Second: LosslessStringConvertible, Output>(
    _ picture: String, sourceLocation: SourceLocation = #_sourceLocation,
    of build: @escaping (Observable<First>, Observable<Second>, TestScheduler) throws -> Observable<Output>
) throws {
    let example = OperatorExample(picture)
    try example.expect(sourceLocation, try build(example.source(0), example.source(1), example.scheduler), inputs: 2)
}

/// Expects the result of an operator with three sources.
package func expectPicture<
    First: LosslessStringConvertible, Second: LosslessStringConvertible, Third: LosslessStringConvertible, Output
>(
    _ picture: String, sourceLocation: SourceLocation = #_sourceLocation,
    of build:
        @escaping (Observable<First>, Observable<Second>, Observable<Third>, TestScheduler) throws -> Observable<Output>
) throws {
    let example = OperatorExample(picture)
    try example.expect(
        sourceLocation, try build(example.source(0), example.source(1), example.source(2), example.scheduler), inputs: 3
    )
}

/// Expects what observers of a sequence get that is connected in the row behind that of the source.
package func expectPicture<Input: LosslessStringConvertible, Output>(
    connecting picture: String, sourceLocation: SourceLocation = #_sourceLocation,
    of build: @escaping (Observable<Input>, TestScheduler) throws -> ConnectableObservable<Output>
) throws {
    let example = OperatorExample(picture)
    try example.expectObservers(sourceLocation, inputs: 2) {
        let sequence = try build(example.source(0), example.scheduler)
        let connection = SingleAssignmentDisposable()
        example.at("^", row: 1) { connection.setDisposable(sequence.connect()) }
        example.at("!", row: 1, do: connection.dispose)
        return sequence
    }
}

/// Expects the result of an operator with one source, and in the row before it what the example prints. The body's last parameter
/// stands for `print`.
package func expectPicture<Input: LosslessStringConvertible, Output>(
    printing picture: String, sourceLocation: SourceLocation = #_sourceLocation,
    of build:
        @escaping (Observable<Input>, TestScheduler, @escaping @Sendable (Any) -> Void) throws -> Observable<Output>
) throws {
    let example = OperatorExample(picture)
    let scheduler = example.scheduler
    let printed = scheduler.createObserver(String.self)
    try example.expectObservers(sourceLocation, inputs: 2) {
        try build(example.source(0), scheduler) { printed.onNext("\($0)") }
    }
    #expect(printed.events == (try example.events(1)), sourceLocation: sourceLocation)
}

/// Expects what a program prints, line by line. The body's parameter stands for `print`.
package func expectPrinted(
    _ text: String, sourceLocation: SourceLocation = #_sourceLocation,
    by body: (_ print: @escaping @Sendable (Any) -> Void) throws -> Void
) rethrows {
    let lines = PrintedLines()
    try body { lines.append("\($0)") }
    #expect(lines.text == text, sourceLocation: sourceLocation)
}

/// Expects what an asynchronous program prints, line by line. The body's parameter stands for `print`.
package func expectPrinted(
    _ text: String, sourceLocation: SourceLocation = #_sourceLocation,
    by body: (_ print: @escaping @Sendable (Any) -> Void) async throws -> Void
) async rethrows {
    let lines = PrintedLines()
    try await body { lines.append("\($0)") }
    #expect(lines.text == text, sourceLocation: sourceLocation)
}

private final class PrintedLines: @unchecked Sendable {
    private let lock = NSLock()
    /// Under the lock.
    private var lines: [String] = []

    var text: String { lock.withLock { lines.joined(separator: "\n") } }

    func append(_ line: String) { lock.withLock { lines.append(line) } }
}

/// The rows of a picture, and the scheduler on which they happen.
private struct OperatorExample {
    let scheduler = TestScheduler(initialClock: 0)
    private var rows: [String] = []
    private var values: [Character: String] = [:]

    init(_ picture: String) {
        for line in picture.split(separator: "\n") {
            let parts = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: true)
            rows.append(String(parts[1]))
            guard parts.count == 3 else { continue }
            for value in parts[2].split(separator: ", ") {
                let sides = value.components(separatedBy: " = ")
                values[sides[0].trimmingCharacters(in: .whitespaces).first!] = sides[1]
            }
        }
    }

    func source<Element: LosslessStringConvertible>(_ row: Int) throws -> Observable<Element> {
        let events = try Recorded<Event<Element>>.events(marbles: rows[row], error: Failure.expected) {
            Element(values[$0] ?? String($0))
        }
        return scheduler.createColdObservable(events).asObservable()
    }

    /// The events of a row, at the times at which its marks and groups leave them.
    func events(_ row: Int) throws -> [Recorded<Event<String>>] {
        try Recorded<Event<String>>.events(
            marbles: withoutMarks(rows[row]), start: TestScheduler.Defaults.subscribed, error: Failure.expected
        ) { values[$0] ?? String($0) }
    }

    /// A mark outside of groups is a tick; the tick of one in a group follows the group.
    private func withoutMarks(_ row: String) -> String {
        var text = ""
        var marks: Int?
        for character in row {
            switch character {
            case "(": marks = 0
            case "^" where marks != nil, "!" where marks != nil:
                marks! += 1
                continue
            default: break
            }
            text.append("^!".contains(character) ? "-" : character)
            if character == ")", let count = marks {
                text += String(repeating: "-", count: count)
                marks = nil
            }
        }
        return text
    }

    /// Acts at the tick of a mark; at once if the mark is that of the first tick, and never if there is none.
    func at(_ mark: Character, row: Int, do action: @escaping () -> Void) {
        guard let position = rows[row].firstIndex(of: mark) else { return }
        let group = rows[row][..<position].lastIndex { $0 == "(" || $0 == ")" }
        let start = group.flatMap { rows[row][$0] == "(" ? $0 : nil } ?? position
        let tick = rows[row].distance(from: rows[row].startIndex, to: start)
        if tick == 0 { return action() }
        _ = scheduler.scheduleAbsoluteVirtual((), time: TestScheduler.Defaults.subscribed + tick) { _ in
            action()
            return Disposables.create()
        }
    }

    func expect<Output>(
        _ sourceLocation: SourceLocation, _ sequence: @autoclosure @escaping () throws -> Observable<Output>,
        inputs: Int
    ) throws {
        if rows.count > inputs + 1 { return try expectObservers(sourceLocation, inputs: inputs, sequence) }
        let expected = try events(rows.count - 1)
        let sequence = try sequence()
        let events = scheduler.start(disposed: TestScheduler.Defaults.subscribed + 40) {
            sequence.map { String(describing: $0) }
        }.events
        #expect(events.map(anyError) == expected, sourceLocation: sourceLocation)
    }

    /// Expects the row of each observer. The sequence is made at the first tick.
    func expectObservers<Output>(
        _ sourceLocation: SourceLocation, inputs: Int, _ sequence: () throws -> Observable<Output>
    ) throws {
        scheduler.advanceTo(TestScheduler.Defaults.subscribed)
        let sequence = try sequence()
        let observers = rows.indices[inputs...].map { row in
            let observer = scheduler.createObserver(String.self)
            let subscription = SingleAssignmentDisposable()
            let subscribe = { subscription.setDisposable(sequence.map { String(describing: $0) }.subscribe(observer)) }
            if rows[row].contains("^") { at("^", row: row, do: subscribe) } else { subscribe() }
            at("!", row: row, do: subscription.dispose)
            return observer
        }
        scheduler.start()
        for (row, observer) in zip(rows.indices[inputs...], observers) {
            #expect(observer.events.map(anyError) == (try events(row)), sourceLocation: sourceLocation)
        }
    }

    /// Which error it is does not show in a picture.
    private func anyError(_ recorded: Recorded<Event<String>>) -> Recorded<Event<String>> {
        recorded.value.error == nil ? recorded : Recorded(time: recorded.time, value: .error(Failure.expected))
    }
}

import Foundation
import RxSwift
import RxTest
import Testing

// Examples of operators, each with a picture of rows in which equal columns are equal times, one second each:
//
//     source: --a-bc-----d---|        a cold sequence; a row for each parameter of the closure
//     result: --------c------x|       x = d, at the end
//
// The last row is the expected result. Behind the rows stand the elements that characters stand for, by "x = text"; the other characters
// stand for themselves. `Tools/site` draws the rows, and shows the closure's body as the example.

/// Expects the result of an operator without a source.
package func expectPicture<Output>(
    _ picture: String, sourceLocation: SourceLocation = #_sourceLocation,
    of build: @escaping (TestScheduler) throws -> Observable<Output>
) throws {
    let example = OperatorExample(picture)
    try example.expect(sourceLocation, try build(example.scheduler))
}

/// Expects the result of an operator with one source.
package func expectPicture<Input: LosslessStringConvertible, Output>(
    _ picture: String, sourceLocation: SourceLocation = #_sourceLocation,
    of build: @escaping (Observable<Input>, TestScheduler) throws -> Observable<Output>
) throws {
    let example = OperatorExample(picture)
    try example.expect(sourceLocation, try build(example.source(0), example.scheduler))
}

/// Expects the result of an operator with two sources.
package func expectPicture<First: LosslessStringConvertible, Second: LosslessStringConvertible, Output>(
    _ picture: String, sourceLocation: SourceLocation = #_sourceLocation,
    of build: @escaping (Observable<First>, Observable<Second>, TestScheduler) throws -> Observable<Output>
) throws {
    let example = OperatorExample(picture)
    try example.expect(sourceLocation, try build(example.source(0), example.source(1), example.scheduler))
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
        sourceLocation, try build(example.source(0), example.source(1), example.source(2), example.scheduler))
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

    func expect<Output>(
        _ sourceLocation: SourceLocation, _ sequence: @autoclosure @escaping () throws -> Observable<Output>
    ) throws {
        let expected = try Recorded<Event<String>>.events(
            marbles: rows[rows.count - 1], start: TestScheduler.Defaults.subscribed, error: Failure.expected
        ) { values[$0] ?? String($0) }
        let sequence = try sequence()
        let events = scheduler.start(disposed: TestScheduler.Defaults.subscribed + 40) {
            sequence.map { String(describing: $0) }
        }.events
        // Which error it is does not show in a picture.
        func anyError(_ recorded: Recorded<Event<String>>) -> Recorded<Event<String>> {
            recorded.value.error == nil ? recorded : Recorded(time: recorded.time, value: .error(Failure.expected))
        }
        #expect(events.map(anyError) == expected, sourceLocation: sourceLocation)
    }
}

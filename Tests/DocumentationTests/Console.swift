// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

/// The examples of RxSwift's documentation. They form one serialized suite, because all drivers of the program share a scheduler.
@Suite(.serialized) enum Documentation {}

/// The output of an example.
final class Console: Sendable {
    private let log = EventLog()

    var lines: [String] { log.lines }

    /// Writes a line, as Swift's `print` does.
    func print(_ items: Any...) { log.note(items.map { "\($0)" }.joined(separator: " ")) }
}

/// An example and its documented output.
///
/// Its closure is not `@Sendable`, so that the examples are compiled as a program without concurrency.
struct Example: @unchecked Sendable, CustomTestStringConvertible {
    let testDescription: String
    let documented: [String]
    private let run: (Console, DisposeBag) -> Void

    init(_ name: String, prints documented: [String], run: @escaping (Console, DisposeBag) -> Void) {
        testDescription = name
        self.documented = documented
        self.run = run
    }

    /// The lines that it prints before its dispose bag is released.
    var printed: [String] {
        let console = Console()
        let disposeBag = DisposeBag()
        run(console, disposeBag)
        return withExtendedLifetime(disposeBag) { console.lines }
    }
}

/// Returns the lines that an example prints on the main queue, where controls and drivers belong.
func printedOnMainQueue(_ example: @escaping (Console, DisposeBag) -> Void) async -> [String] {
    let example = Example("on the main queue", prints: [], run: example)
    nonisolated(unsafe) var printed: [String] = []
    await onMainQueue { printed = example.printed }
    return printed
}

enum ExampleError: Error { case test }

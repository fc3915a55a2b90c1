import RxSwift
import TestSupport
import Testing

/// The examples of RxSwift's documentation. One serialized suite: the scheduler that drivers use is the program's.
@Suite(.serialized) enum Documentation {}

/// What an example prints.
final class Console: Sendable {
    private let log = EventLog()

    var lines: [String] { log.lines }

    /// Writes a line, as Swift's `print` does.
    func print(_ items: Any...) { log.note(items.map { "\($0)" }.joined(separator: " ")) }
}

/// An example, and what it is documented to print.
///
/// Its closure is not `@Sendable`, so that the examples are compiled as a program that knows nothing of concurrency.
struct Example: @unchecked Sendable, CustomTestStringConvertible {
    let testDescription: String
    let documented: [String]
    private let run: (Console, DisposeBag) -> Void

    init(_ name: String, prints documented: [String], run: @escaping (Console, DisposeBag) -> Void) {
        testDescription = name
        self.documented = documented
        self.run = run
    }

    /// What it prints before its dispose bag is released.
    var printed: [String] {
        let console = Console()
        let disposeBag = DisposeBag()
        run(console, disposeBag)
        return withExtendedLifetime(disposeBag) { console.lines }
    }
}

/// What an example prints on the main queue, where controls and drivers belong.
func printedOnMainQueue(_ example: @escaping (Console, DisposeBag) -> Void) async -> [String] {
    let example = Example("on the main queue", prints: [], run: example)
    nonisolated(unsafe) var printed: [String] = []
    await onMainQueue { printed = example.printed }
    return printed
}

enum ExampleError: Error { case test }

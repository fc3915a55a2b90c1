// SPDX-License-Identifier: Apache-2.0

import Foundation

extension Laws {
    /// What an operator does when a source asks whether it has to pause (law L13).
    enum Pressure: String, Sendable {
        /// Answers what the stages below answer.
        case forwards
        /// Pauses the source on its own account, when it is full.
        case originates
        /// Answers no, because it bounds what it keeps in another way.
        case absorbs
        /// Answers no: the source is never paused on account of what is below.
        case stops

        /// A line of the table in BACKPRESSURE.md: operators that do not simply forward.
        struct Exception: Sendable {
            /// The names of rows, with the variant in brackets if not all are meant; or what they begin with if it ends in a dot.
            let names: [String]
            /// The position of the source; nil for all.
            let source: Int?
            let pressure: Pressure
            /// True if the operator forwards what the stages below answer, besides.
            let forwardsToo: Bool
            let reason: String

            init(
                _ names: [String], source: Int? = nil, _ pressure: Pressure, forwardsToo: Bool = false,
                because reason: String
            ) {
                (self.names, self.source, self.pressure, self.reason) = (names, source, pressure, reason)
                self.forwardsToo = forwardsToo
            }

            func applies(to subject: Case) -> Bool {
                let row = subject.row
                let full = "\(row.name) [\(row.variant)]"
                return names.contains {
                    // `share(_:)` of a driver only makes a sharing sequence.
                    $0.hasSuffix(".")
                        ? row.name.hasPrefix($0) && !row.name.hasSuffix(".share(_:)") : row.name == $0 || full == $0
                } && (source ?? subject.position) == subject.position
            }

            var line: String {
                let operators = names.map { $0.hasSuffix(".") ? "`\($0.dropLast())`" : "`\($0)`" }.joined(
                    separator: ", ")
                let source = source.map { ["first", "second"][$0] } ?? "each"
                return
                    "| \(operators) | \(source) | \(pressure.rawValue)\(forwardsToo ? ", forwards" : "") | \(reason) |"
            }
        }

        /// The operators that do not simply forward, each with the reason.
        static let exceptions: [Exception] = [
            Exception(
                ["observe(on:)", "Single.observe(on:)", "Maybe.observe(on:)", "Completable.observe(on:)"], .originates,
                because: "events wait for the scheduler; it pauses itself when a stage below does"),
            Exception(
                ["observe(on:buffer:overflow:onDropped:)"], .originates,
                because: "with `.suspend`, when its buffer is full; it absorbs with the other policies"),
            Exception(
                ["onBackpressure(buffer:overflow:onDropped:)"], .absorbs,
                because:
                    "it keeps elements while a stage below pauses it; with `.suspend` it pauses the source when its buffer is full"
            ),
            Exception(
                ["SharedSequence.", "Driver.", "Signal."], .originates,
                because: "each begins with a hop to its scheduler; on the main queue it forwards"),
            Exception(
                ["zip(_:)", "zip(_:resultSelector:)"], .originates, forwardsToo: true,
                because: "elements of the source that is ahead wait for the others"),
            Exception(
                ["merge(maxConcurrent:)", "concatMap(_:)", "concat()"], source: 0, .originates, forwardsToo: true,
                because: "inner sequences wait for a slot"),
            Exception(["DescriptorStream.write"], .originates, because: "chunks wait for the descriptor"),
            Exception(
                ["take(until:)", "skip(until:)", "sample(_:defaultValue:)"], source: 1, .stops, because: "a trigger"),
            Exception(
                [
                    "Completable.andThen(_:) [single]", "Completable.andThen(_:) [maybe]",
                    "Completable.andThen(_:) [observable]", "Completable.andThen(_:) [first of an observable]",
                ], source: 0, .stops, because: "the first sequence has no elements"),
            Exception(["AsyncSubject"], .absorbs, because: "it keeps one element"),
            Exception(
                [
                    "Completable.create(subscribe:)", "Infallible.create(subscribe:)", "Infallible.subscribe(_:)",
                    "Infallible.subscribe(onNext:onCompleted:onDisposed:)",
                    "Infallible.subscribe(with:onNext:onCompleted:onDisposed:)", "Completable.subscribe(_:)",
                    "Completable.subscribe(onCompleted:onError:onDisposed:)",
                    "Completable.subscribe(with:onCompleted:onError:onDisposed:)", "bind(onNext:)",
                    "bind(with:onNext:)", "bind(to:) [infallible]",
                ], .stops, because: "the program's own closure or observer takes each element as it comes"),
        ]

        /// What the table says of a case: the first line that applies.
        static func of(_ subject: Case) -> Pressure {
            guard let line = exceptions.first(where: { $0.applies(to: subject) }), !line.forwardsToo else {
                return .forwards
            }
            return line.pressure
        }

        /// The table as BACKPRESSURE.md has it.
        static var table: String {
            (["| operator | source | does | because |", "|---|---|---|---|"] + exceptions.map(\.line)).joined(
                separator: "\n")
        }

        /// The table that BACKPRESSURE.md has.
        static func tableInTheDocument() throws -> String {
            let path = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../BACKPRESSURE.md")
                .standardized
            let text = try String(contentsOf: path, encoding: .utf8)
            let parts = text.components(separatedBy: "<!-- pressure table -->\n")
            return parts.count < 2 ? "" : parts[1].components(separatedBy: "\n<!-- end of pressure table -->")[0]
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension Laws {
    /// Every public operator of the sources has a row in the table of laws.
    @Suite struct CoverageLaw {
        /// Operators without a row, each with the reason.
        static let exempt: [String: String] = [
            "debug(_:trimOutput:file:line:function:)": "prints every event; DebugTests compares its lines",
            "Single.debug(_:trimOutput:file:line:function:)": "the same as that of observables",
            "Maybe.debug(_:trimOutput:file:line:function:)": "the same as that of observables",
            "Completable.debug(_:trimOutput:file:line:function:)": "the same as that of observables",
            "subscribe(onMainNext:onError:onCompleted:onDisposed:)":
                "a hop to the main queue, which the laws do not run; SubscribeOnMainTests",
            "SharedSequence.values(buffering:onDropped:)": "makes no observable; SharedSequenceValuesTests",
            "Completable.timer(_:scheduler:)": "has no element that could be an integer",
            "Infallible.debug(_:trimOutput:file:line:function:)": "the same as that of observables",
            "SharedSequence.debug(_:trimOutput:file:line:function:)": "the same as that of observables",
        ]

        /// The folders of Sources with operators, and the prefix of their functions' names in the table.
        static let folders: [(path: String, prefixes: [String])] = [
            ("RxSwift/Operators", [""]),
            ("RxRelay/Operators", [""]),
            ("RxCocoa/Operators", [""]),
            ("RxIOUring/Operators", [""]),
            ("RxSwift/Traits/PrimitiveSequence", ["Single.", "Maybe.", "Completable."]),
            ("RxSwift/Traits/Single", ["Single."]),
            ("RxSwift/Traits/Maybe", ["Maybe."]),
            ("RxSwift/Traits/Completable", ["Completable."]),
            ("RxSwift/Traits/Infallible", ["Infallible."]),
            ("RxCocoa/Traits/SharedSequence", ["SharedSequence."]),
            ("RxCocoa/Traits/Driver", ["Driver."]),
            ("RxCocoa/Traits/Signal", ["Signal."]),
        ]

        @Test("Every operator has a row") func everyOperatorHasARow() throws {
            let declared = try Self.declaredOperators()
            let rows = Set(Laws.rows.map(\.name))
            #expect(declared.count > 60, "the sources were not found")
            let missing = declared.subtracting(rows).subtracting(Self.exempt.keys)
            #expect(missing.isEmpty, "no row in Laws/Rows: \(missing.sorted().joined(separator: ", "))")
        }

        @Test("Every row belongs to an operator") func everyRowIsOfAnOperator() throws {
            let declared = try Self.declaredOperators()
            let rows = Set(Laws.rows.map(\.name)).subtracting(
                (Laws.subjectRows + Laws.relayRows + Laws.streamRows).map(\.name))
            #expect(rows.subtracting(declared).isEmpty)
            #expect(Set(Self.exempt.keys).subtracting(declared).isEmpty)
        }

        @Test("Every case has a name of its own") func everyCaseHasANameOfItsOwn() {
            let names = Dictionary(grouping: Laws.cases, by: \.description)
            #expect(names.filter { $0.value.count > 1 }.keys.isEmpty)
        }

        /// The public functions in the folders, without those that are deprecated, as `name(label:label:)`.
        static func declaredOperators() throws -> Set<String> {
            let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
                "../../Sources")
            var found: Set<String> = []
            for folder in folders {
                let path = root.appendingPathComponent(folder.path)
                for case let file as URL in FileManager.default.enumerator(at: path, includingPropertiesForKeys: nil)
                    ?? .init()
                where file.pathExtension == "swift" {
                    let names = operators(in: try String(contentsOf: file, encoding: .utf8))
                    for prefix in folder.prefixes { found.formUnion(names.map { prefix + $0 }) }
                }
            }
            return found
        }

        static func operators(in text: String) -> [String] {
            var found: [String] = []
            var paragraph: Substring = ""
            for part in text.components(separatedBy: "\n\n") {
                paragraph = Substring(part)
                let isDeprecated = paragraph.contains("deprecated")
                while let start = paragraph.firstRange(of: #/public (static )?func /#) {
                    paragraph = paragraph[start.upperBound...]
                    if !isDeprecated, let name = signature(paragraph) { found.append(name) }
                }
            }
            return found
        }

        /// Reads `name<Generics>(labels...)`.
        static func signature(_ text: Substring) -> String? {
            var rest = text
            let name = rest.prefix { $0.isLetter || $0.isNumber || $0 == "`" || $0 == "_" }
            rest = rest.dropFirst(name.count)
            if rest.first == "<" {
                guard let end = closing(rest) else { return nil }
                rest = rest[rest.index(after: end)...]
            }
            guard rest.first == "(", let end = closing(rest) else { return nil }
            let labels = parameters(rest[rest.index(after: rest.startIndex)..<end]).map { parameter in
                let words = parameter.split { $0.isWhitespace || $0 == ":" }
                return (words.first { !$0.hasPrefix("@") } ?? "") + ":"
            }
            return name.filter { $0 != "`" } + "(" + labels.joined() + ")"
        }

        /// The index of the bracket that closes the one at the start.
        private static func closing(_ text: Substring) -> Substring.Index? {
            var depth = 0
            var previous: Character = " "
            for index in text.indices {
                if "(<[".contains(text[index]) { depth += 1 }
                if ")]".contains(text[index]) || (text[index] == ">" && previous != "-") { depth -= 1 }
                if depth == 0 { return index }
                previous = text[index]
            }
            return nil
        }

        private static func parameters(_ text: Substring) -> [String] {
            var found = [""]
            var depth = 0
            var previous: Character = " "
            for character in text {
                if "(<[".contains(character) { depth += 1 }
                if ")]".contains(character) || (character == ">" && previous != "-") { depth -= 1 }
                if character == ",", depth == 0 { found.append("") } else { found[found.count - 1].append(character) }
                previous = character
            }
            return found.map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }.filter { !$0.isEmpty }
        }
    }
}

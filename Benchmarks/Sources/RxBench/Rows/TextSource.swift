// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation

/// The text of the end-to-end job: the user's file, or 10 MB that are the same on every machine.
final class TextSource {
    private let path: String?

    /// - Parameter path: A UTF-8 file, or nil for the generated text, which is made at its first use.
    /// - Throws: `ValidationError` if the file cannot be read, is not UTF-8 or contains no word.
    init(path: String?) throws {
        self.path = path
        guard let path else { return }
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw ValidationError("There is no file \(path).")
        }
        guard !isFolder.boolValue else {
            throw ValidationError("\(path) is a folder, not a text.")
        }
        let text: String
        do {
            let data = try Data(contentsOf: URL(fileURLWithPath: path))
            guard let decoded = String(data: data, encoding: .utf8) else {
                throw ValidationError("\(path) is not a UTF-8 text.")
            }
            text = decoded
        } catch let error as ValidationError {
            throw error
        } catch {
            throw ValidationError("Cannot read the text \(path): \(error.localizedDescription)")
        }
        guard lines(of: text).contains(where: { !words(of: $0).isEmpty }) else {
            throw ValidationError("\(path) contains no word.")
        }
    }

    /// The file that the job reads.
    private lazy var file: URL = {
        if let path {
            return URL(fileURLWithPath: path)
        }
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("swift-rx-bench-text.txt")
        do {
            try Data(GeneratedText.make(bytes: 10_000_000).utf8).write(to: url, options: .atomic)
        } catch {
            fail("cannot write the generated text to \(url.path): \(error.localizedDescription)")
        }
        return url
    }()

    lazy var wordCount = readLines().reduce(0) { $0 + words(of: $1).count }

    /// Reads the file: the job's first step, the same on every side.
    func readLines() -> [Substring] {
        guard let data = try? Data(contentsOf: file) else {
            fail("cannot read \(file.path)")
        }
        return lines(of: String(decoding: data, as: UTF8.self))
    }

    /// Ends the program unless these are the ten that `sort | uniq -c` finds.
    func check(_ found: [WordFrequency], _ side: StaticString) {
        guard found == reference else {
            fail("word count, \(side): found \(found), but sort | uniq -c finds \(reference)")
        }
    }

    private lazy var reference: [WordFrequency] = {
        let pipeline = #"""
            tr -s ' \t\r\v\f' '\n' < "$RXBENCH_TEXT" | sed '/^$/d' | sort | uniq -c | sort -k1,1nr -k2,2 | head -n 10
            """#
        guard let output = Shell.output(pipeline, environment: ["LC_ALL": "C", "RXBENCH_TEXT": file.path]) else {
            fail("cannot run sort | uniq -c on \(file.path)")
        }
        return output.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ", omittingEmptySubsequences: true)
            guard fields.count == 2, let count = Int(fields[0]) else { return nil }
            return WordFrequency(word: String(fields[1]), count: count)
        }
    }()
}

struct WordFrequency: Equatable, CustomStringConvertible {
    let word: String
    let count: Int

    var description: String { "\(word) \(count)" }
}

/// Returns the ten most frequent words; equally frequent ones in the order of their bytes, as `sort` has it.
func topTen<Counts: Sequence>(_ counts: Counts) -> [WordFrequency] where Counts.Element == (Substring, Int) {
    counts
        .sorted { $0.1 != $1.1 ? $0.1 > $1.1 : $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }
        .prefix(10)
        .map { WordFrequency(word: String($0.0), count: $0.1) }
}

func lines(of text: String) -> [Substring] {
    split(text[...]) { $0 == UInt8(ascii: "\n") }
}

/// Returns the words between blanks. Splits bytes: splitting by `Character` would outweigh everything that is measured here.
func words(of line: Substring) -> [Substring] {
    split(line) { $0 == UInt8(ascii: " ") || (9...13).contains($0) }
}

@inline(__always)
private func split(_ text: Substring, at isSeparator: (UInt8) -> Bool) -> [Substring] {
    var parts: [Substring] = []
    let bytes = text.utf8
    var start = bytes.startIndex
    var position = start
    while position != bytes.endIndex {
        if isSeparator(bytes[position]) {
            if start != position {
                parts.append(text[start..<position])
            }
            bytes.formIndex(after: &position)
            start = position
        } else {
            bytes.formIndex(after: &position)
        }
    }
    if start != position {
        parts.append(text[start..<position])
    }
    return parts
}

/// Words as frequent as in a language: the word of rank r about 1/r as often as the first one.
private enum GeneratedText {
    static func make(bytes: Int) -> String {
        var random = SplitMix64(state: 0x5EED)
        let vocabulary = makeVocabulary(size: 20_000, &random)
        var text = ""
        text.reserveCapacity(bytes + 200)
        while text.utf8.count < bytes {
            for position in 0..<Int.random(in: 6...14, using: &random) {
                if position > 0 {
                    text += " "
                }
                // The inverse of the distribution: ranks are spread evenly over their logarithm.
                let rank = Int(exp(Double.random(in: 0..<1, using: &random) * log(Double(vocabulary.count))))
                text += vocabulary[min(rank, vocabulary.count) - 1]
            }
            text += "\n"
        }
        return text
    }

    private static func makeVocabulary(size: Int, _ random: inout SplitMix64) -> [String] {
        let onsets = [
            "b", "c", "d", "f", "g", "h", "l", "m", "n", "p", "r", "s", "t", "v", "w", "st", "tr", "sh", "pl",
        ]
        let vowels = ["a", "e", "i", "o", "u", "ea", "ou", "ai"]
        let endings = ["", "", "n", "r", "s", "t", "ng", "ck"]
        var known: Set<String> = []
        var vocabulary: [String] = []
        while vocabulary.count < size {
            // Frequent words are short.
            let syllables = vocabulary.count < 100 ? 1 : Int.random(in: 1...4, using: &random)
            var word = ""
            for _ in 0..<syllables {
                word += onsets.randomElement(using: &random)! + vowels.randomElement(using: &random)!
            }
            word += endings.randomElement(using: &random)!
            if known.insert(word).inserted {
                vocabulary.append(word)
            }
        }
        return vocabulary
    }
}

/// A small generator with a fixed seed: the system's generator would make another text on every run.
private struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}

// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
public import LogLines

/// `--key`, `--word` and `--pattern`: the key by which lines are grouped.
public struct LineKeyOptions: ParsableArguments {
    @Option(help: "Group by this part of the common log format: host, user, method, path or status.")
    public var key: LineKey.CommonField?

    @Option(help: "Group by the nth word, counted from 1.")
    public var word: Int?

    @Option(help: "Group by what this regular expression matches, or its first group.")
    public var pattern: String?

    public init() {}

    public func validate() throws {
        guard [key != nil, word != nil, pattern != nil].filter({ $0 }).count <= 1 else {
            throw ValidationError("--key, --word and --pattern exclude each other")
        }
        guard word ?? 1 > 0 else { throw ValidationError("--word is counted from 1") }
        if pattern != nil { _ = try lineKey(default: .status) }
    }

    /// - Parameter field: the key if no option names one.
    public func lineKey(default field: LineKey.CommonField) throws -> LineKey {
        if let word { return .word(word) }
        guard let pattern else { return .common(key ?? field) }
        do {
            return .pattern(try Regex(pattern))
        } catch {
            throw ValidationError("--pattern '\(pattern)': \(error)")
        }
    }
}

extension LineKey.CommonField: ExpressibleByArgument {}

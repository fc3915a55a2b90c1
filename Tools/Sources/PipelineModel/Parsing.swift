// SPDX-License-Identifier: Apache-2.0

/// An error in the text of a program.
public struct ParseError: Error, CustomStringConvertible {
    public let description: String
}

extension Program {
    /// Reads the text that `description` writes.
    public init(parsing text: String) throws {
        let fields = text.split(separator: "|", omittingEmptySubsequences: false).map { $0.utf8.map { $0 } }
        guard fields.count == 4 else { throw ParseError(description: "expected four fields between '|': \(text)") }
        let name = String(decoding: fields[0], as: UTF8.self).filter { $0 != " " }
        guard let kind = Kind(rawValue: name) else { throw ParseError(description: "unknown kind '\(name)'") }
        self.init(
            kind: kind, shared: try Parser.nodes(fields[1]), mains: try Parser.nodes(fields[2]),
            script: try String(decoding: fields[3], as: UTF8.self).split(separator: " ").map(Step.init(parsing:)))
        guard !mains.isEmpty else { throw ParseError(description: "there is no main pipeline: \(text)") }
        self = numbered()
    }
}

extension Step {
    init(parsing text: Substring) throws {
        guard let letter = text.first, let verb = Verb(rawValue: String(letter)) else {
            throw ParseError(description: "unknown step '\(text)'")
        }
        let parts = text.dropFirst().split(separator: "@")
        let numbers = parts.first?.split(separator: ":").map { Int($0) } ?? []
        guard let target = numbers.first ?? nil, numbers.count <= 2, parts.count <= 2 else {
            throw ParseError(description: "malformed step '\(text)'")
        }
        self.init(
            verb, target, value: (numbers.count == 2 ? numbers[1] : 0) ?? 0,
            time: parts.count == 2 ? Int(parts[1]) ?? 0 : 0)
    }
}

private struct Parser {
    let bytes: [UInt8]
    var position = 0

    static func nodes(_ bytes: [UInt8]) throws -> [Node] {
        var parser = Parser(bytes: bytes)
        var result: [Node] = []
        parser.skipSpaces()
        while parser.position < bytes.count {
            result.append(try parser.node())
            parser.skipSpaces()
        }
        return result
    }

    mutating func skipSpaces() {
        while position < bytes.count, bytes[position] == UInt8(ascii: " ") { position += 1 }
    }

    mutating func word() -> String {
        let start = position
        while position < bytes.count, !" ()".utf8.contains(bytes[position]) { position += 1 }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    mutating func node() throws -> Node {
        guard position < bytes.count, bytes[position] == UInt8(ascii: "(") else {
            throw ParseError(description: "expected '(' at \(position)")
        }
        position += 1
        let name = word()
        guard let op = Operator(rawValue: name) else { throw ParseError(description: "unknown operator '\(name)'") }
        var result = Node(op)
        while true {
            skipSpaces()
            guard position < bytes.count else { throw ParseError(description: "expected ')' at the end") }
            if bytes[position] == UInt8(ascii: ")") {
                position += 1
                break
            }
            if bytes[position] == UInt8(ascii: "(") {
                result.children.append(try node())
            } else {
                let text = word()
                guard let number = Int(text) else { throw ParseError(description: "'\(text)' is no number") }
                result.numbers.append(number)
            }
        }
        guard result.isWellFormed else { throw ParseError(description: "malformed: \(result)") }
        return result
    }
}

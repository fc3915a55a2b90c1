// SPDX-License-Identifier: Apache-2.0

/// A request of a client: one line.
///
/// Words are separated by one space. A payload is the rest of the line, spaces included, and may be empty.
public enum Command: Equatable, Sendable {
    case subscribe(topic: String)
    case unsubscribe(topic: String)
    case publish(topic: String, payload: Substring)
    case ping
    case statistics
    case quit

    /// The most bytes that the name of a topic may have.
    public static let longestTopic = 128

    /// Reads a line, without the line feed.
    ///
    /// - Throws: the error in the line, in words for the client.
    public init(line: String) throws(CommandError) {
        let (word, rest) = Command.split(line[...])
        switch word {
        case "SUB": self = .subscribe(topic: try Command.topic(rest, of: "SUB"))
        case "UNSUB": self = .unsubscribe(topic: try Command.topic(rest, of: "UNSUB"))
        case "PUB":
            let (topic, payload) = Command.split(rest ?? "")
            guard let payload else { throw CommandError("PUB needs a topic and a payload") }
            self = .publish(topic: try Command.topic(topic, of: "PUB"), payload: payload)
        case "PING": self = try Command.alone(.ping, "PING", rest)
        case "STATS": self = try Command.alone(.statistics, "STATS", rest)
        case "QUIT": self = try Command.alone(.quit, "QUIT", rest)
        default: throw CommandError("unknown command; there are SUB, UNSUB, PUB, PING, STATS, QUIT")
        }
    }

    /// The line, with its line feed.
    public var line: String {
        switch self {
        case .subscribe(let topic): return "SUB \(topic)\n"
        case .unsubscribe(let topic): return "UNSUB \(topic)\n"
        case .publish(let topic, let payload): return "PUB \(topic) \(payload)\n"
        case .ping: return "PING\n"
        case .statistics: return "STATS\n"
        case .quit: return "QUIT\n"
        }
    }

    /// Splits a text at the first space; the second part is nil if there is none. Compares bytes: looking for characters takes longer.
    static func split(_ text: Substring) -> (Substring, Substring?) {
        guard let space = text.utf8.firstIndex(of: UInt8(ascii: " ")) else { return (text, nil) }
        return (text[..<space], text[text.utf8.index(after: space)...])
    }

    private static func topic(_ text: Substring?, of command: String) throws(CommandError) -> String {
        guard let text, !text.isEmpty else { throw CommandError("\(command) needs a topic") }
        guard text.utf8.count <= longestTopic else {
            throw CommandError("the name of a topic has at most \(longestTopic) bytes")
        }
        guard text.utf8.allSatisfy({ $0 > UInt8(ascii: " ") && $0 != 0x7F }) else {
            throw CommandError("the name of a topic has no spaces and no control characters")
        }
        return String(text)
    }

    private static func alone(
        _ command: Command, _ word: String, _ rest: Substring?
    ) throws(CommandError) -> Command {
        if rest != nil { throw CommandError("\(word) stands alone") }
        return command
    }
}

/// The error in a line, in words for the client.
public struct CommandError: Error, Equatable, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }
}

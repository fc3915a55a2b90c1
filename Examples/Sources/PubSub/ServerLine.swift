// SPDX-License-Identifier: Apache-2.0

/// A reply of the server: one line. `+` begins the answer to a command, `-` an error.
public enum ServerLine: Equatable, Sendable {
    /// `+OK`: SUB, UNSUB or PUB was done.
    case done
    /// `+PONG`
    case pong
    /// `+STATS`, and counts as `name=number`.
    case statistics(String)
    /// `+BYE`: the server closes the connection.
    case bye
    /// `-ERR`: a command was not understood, or not done.
    case error(String)
    /// `-DROPPED`: that many messages were not sent here, since the client read too slowly.
    case dropped(Int)
    /// `MSG`: a message of a topic.
    case message(topic: Substring, payload: Substring)

    /// The line, with its line feed.
    public var line: String {
        switch self {
        case .done: return "+OK\n"
        case .pong: return "+PONG\n"
        case .statistics(let counts): return "+STATS \(counts)\n"
        case .bye: return "+BYE\n"
        case .error(let text): return "-ERR \(text)\n"
        case .dropped(let count): return "-DROPPED \(count)\n"
        case .message(let topic, let payload): return "MSG \(topic) \(payload)\n"
        }
    }

    /// Reads a line, without the line feed. Returns nil for a line that no server sends.
    public init?(line: String) {
        let (word, rest) = Command.split(line[...])
        switch (word, rest) {
        case ("MSG", let rest?):
            let (topic, payload) = Command.split(rest)
            guard let payload else { return nil }
            self = .message(topic: topic, payload: payload)
        case ("+OK", nil): self = .done
        case ("+PONG", nil): self = .pong
        case ("+BYE", nil): self = .bye
        case ("+STATS", let counts?): self = .statistics(String(counts))
        case ("-ERR", let text?): self = .error(String(text))
        case ("-DROPPED", let count?):
            guard let count = Int(count) else { return nil }
            self = .dropped(count)
        default: return nil
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

/// A fault in a marble diagram that was to be read.
public struct MarbleError: Error, Equatable {
    /// A rule that a diagram broke.
    public enum Reason: Equatable, Sendable {
        /// The character stands for no element.
        case unknownElement(Character)
        /// A `(` stands inside a group.
        case nestedGroup
        /// A `)` stands without its `(`.
        case unopenedGroup
        /// A `(` stands without its `)`.
        case unclosedGroup
        /// A `-` stands inside a group.
        case timeInGroup
        /// A `^` stands inside a group.
        case zeroInGroup
        /// A `^` stands for the second time.
        case secondZero
        /// An event after the terminal event.
        case eventAfterEnd
        /// An event before `^` in the diagram of a cold sequence.
        case eventBeforeSubscription
    }

    /// The diagram that was to be read.
    public let diagram: String

    /// The position of the character at fault: how many stand before it, spaces included.
    public let position: Int

    /// The rule that the diagram broke.
    public let reason: Reason

    init(_ diagram: String, _ position: Int, _ reason: Reason) {
        self.diagram = diagram
        self.position = position
        self.reason = reason
    }
}

extension MarbleError: CustomStringConvertible {
    /// Describes the fault, its position, and the remedy.
    public var description: String {
        let character = diagram.dropFirst(position).first.map { "'\($0)'" } ?? "the end"
        return "marbles \"\(diagram)\": \(character) at position \(position): \(words)"
    }

    private var words: String {
        switch reason {
        case .unknownElement(let character):
            "stands for no element; add it to the values (without values, letters and digits stand for themselves)"
                + (character == "!" ? "; an error is '#'" : "")
        case .nestedGroup: "a group cannot stand inside another; close the first one with ')' before it"
        case .unopenedGroup: "closes a group that was not opened; put '(' before its first event"
        case .unclosedGroup: "opens a group that is not closed; put ')' behind its last event"
        case .timeInGroup: "no time passes inside a group; put '-' before or behind it"
        case .zeroInGroup: "the subscription cannot stand inside a group; put '^' before or behind it"
        case .secondZero: "there is a '^' before; a diagram has one at most"
        case .eventAfterEnd: "nothing comes after '|' or '#'; take it out, or end the sequence later"
        case .eventBeforeSubscription:
            "a cold sequence begins when it is subscribed to; take out what stands before '^', or make it hot"
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

public import RxSwift

extension Sequence {
    /// Draws recorded events as a marble diagram in which elements of one letter or digit stand for themselves: `"-a-b-|"`.
    ///
    /// The reverse of `Recorded.events(marbles:)`: read with the same `start` and `ticksPerCharacter` the diagram gives these events,
    /// except that each error is drawn as `#`. Starts with the character of `start`, or with the first event if that comes
    /// before; then `^` stands at `start`. Ends with the last event.
    /// - Parameters:
    ///   - start: the time of `^`, or without it of the first character.
    ///   - ticksPerCharacter: the time from one character to the next, at least 1.
    /// - Throws: `MarbleFormattingError` where there is no such diagram.
    public func marbles(start: TestTime = 0, ticksPerCharacter: Int = 1) throws -> String
    where Element == Recorded<Event<String>> {
        try marbles(start: start, ticksPerCharacter: ticksPerCharacter) { element in
            guard let character = element.first, element.count == 1 else { return nil }
            return character.isLetter || character.isNumber ? character : nil
        }
    }

    /// Draws recorded events as a marble diagram in which characters stand for elements: `"-a-b-|"`.
    ///
    /// The reverse of `Recorded.events(marbles:values:)`; see `marbles(start:ticksPerCharacter:)`. O(number of values) per element.
    /// - Parameters:
    ///   - values: the elements that characters stand for.
    ///   - start: the time of `^`, or without it of the first character.
    ///   - ticksPerCharacter: the time from one character to the next, at least 1.
    /// - Throws: `MarbleFormattingError` where there is no such diagram.
    public func marbles<T: Equatable>(
        values: [Character: T], start: TestTime = 0, ticksPerCharacter: Int = 1
    ) throws -> String where Element == Recorded<Event<T>> {
        // In one order, also if several characters stand for one element.
        let values = values.sorted { $0.key < $1.key }
        return try marbles(start: start, ticksPerCharacter: ticksPerCharacter) { element in
            values.first { $0.value == element }?.key
        }
    }

    /// Draws recorded events as a marble diagram with characters from a closure: `"-1-2-|"`.
    ///
    /// The reverse of `Recorded.events(marbles:element:)`; see `marbles(start:ticksPerCharacter:)`.
    /// - Parameters:
    ///   - start: the time of `^`, or without it of the first character.
    ///   - ticksPerCharacter: the time from one character to the next, at least 1.
    ///   - character: returns the character for an element; nil if there is none. Not one of `-|#^()` or a space.
    /// - Throws: `MarbleFormattingError` where there is no such diagram, and any error that `character` throws.
    public func marbles<T>(
        start: TestTime = 0, ticksPerCharacter: Int = 1, character: (T) throws -> Character?
    ) throws -> String where Element == Recorded<Event<T>> {
        if ticksPerCharacter <= 0 {
            fatalError("swift-rx: marbles: ticksPerCharacter is \(ticksPerCharacter), it must be at least 1")
        }
        var formatter = MarbleFormatter()
        for event in self {
            let (tick, rest) = (event.time - start).quotientAndRemainder(dividingBy: ticksPerCharacter)
            if rest != 0 { throw MarbleFormattingError(event.time, .betweenCharacters) }
            switch event.value {
            case .next(let element):
                guard let mark = try character(element), !mark.isWhitespace, !"-|#^()".contains(mark) else {
                    throw MarbleFormattingError(event.time, .noCharacter(element: "\(element)"))
                }
                try formatter.add(mark, tick: tick, time: event.time)
            case .error: try formatter.add("#", tick: tick, time: event.time)
            case .completed: try formatter.add("|", tick: tick, time: event.time)
            }
        }
        return try formatter.finish()
    }
}

/// Draws recorded events one after another.
private struct MarbleFormatter {
    private var diagram = ""
    /// The tick of the next character.
    private var next = 0
    /// True while `^` is still to be drawn, when time reaches 0.
    private var needsZero = false
    /// Events at one tick that are not drawn yet.
    private var group: (tick: Int, time: TestTime, marks: String)?

    mutating func add(_ mark: Character, tick: Int, time: TestTime) throws {
        if let group {
            if tick < group.tick { throw MarbleFormattingError(time, .notInOrder) }
            if tick == group.tick {
                self.group!.marks.append(mark)
                return
            }
            try draw(group)
        } else if tick < 0 {
            next = tick
            needsZero = true
        }
        group = (tick, time, String(mark))
    }

    mutating func finish() throws -> String {
        if let group { try draw(group) }
        if needsZero { pass(until: 1) }
        return diagram
    }

    private mutating func draw(_ group: (tick: Int, time: TestTime, marks: String)) throws {
        let text = group.marks.count == 1 ? group.marks : "(" + group.marks + ")"
        pass(until: group.tick)
        // The place is taken up by a group, or by the `^` still to be drawn at 0.
        let end = group.tick + text.count
        if next > group.tick || (needsZero && end > 0) { throw MarbleFormattingError(group.time, .noRoom) }
        diagram += text
        next = end
    }

    private mutating func pass(until tick: Int) {
        while next < tick {
            let isZero = needsZero && next == 0
            diagram.append(isZero ? "^" : "-")
            if isZero { needsZero = false }
            next += 1
        }
    }
}

/// The error that recorded events cannot be drawn as a marble diagram.
public struct MarbleFormattingError: Error, Equatable {
    /// The obstacle to drawing an event.
    public enum Reason: Equatable, Sendable {
        /// No character stands for the element.
        case noCharacter(element: String)
        /// The event's time is that of no character.
        case betweenCharacters
        /// The event comes earlier than the one before.
        case notInOrder
        /// The event's place is taken up by the group before, or its own group reaches over the `^`.
        case noRoom
    }

    /// The time of the event that cannot be drawn.
    public let time: TestTime

    /// The obstacle to drawing the event.
    public let reason: Reason

    init(_ time: TestTime, _ reason: Reason) {
        self.time = time
        self.reason = reason
    }
}

extension MarbleFormattingError: CustomStringConvertible {
    /// Describes the obstacle and the remedy.
    public var description: String {
        let words =
            switch reason {
            case .noCharacter(let element):
                "no character stands for the element \(element); add one to the values (not a space or one of -|#^())"
            case .betweenCharacters: "it lies between two characters; choose another start or fewer ticks per character"
            case .notInOrder: "it comes before the event that precedes it; sort the events by time"
            case .noRoom:
                "there is no room for it beside a group, whose characters take up a tick each; choose fewer ticks per character"
            }
        return "marbles: the event at \(time): \(words)"
    }
}

// SPDX-License-Identifier: Apache-2.0

public import RxSwift

// Marble diagrams: `--a-(bc)--|` is one line of time.
//
//     -        a tick passes
//     a        an element: what the diagram's values say, or the letter or digit itself
//     |  #     the sequence completes, or ends with an error
//     (ab|)    events at the same tick, that of the `(`; like every other character each of these takes up a tick, so that
//              diagrams that stand one below the other stay aligned
//     ^        the tick of the subscription to a hot sequence, from which times are counted
//     space    nothing, also no time

extension Recorded {
    /// Reads a marble diagram in which letters and digits stand for themselves: `"-a-b-|"`.
    ///
    /// `-` is a tick without an event, `|` completion, `#` an error, `(ab|)` are events at the tick of the `(`, `^` is the tick from
    /// which times are counted. Each character takes up a tick, those of a group as well; spaces mean nothing.
    /// - Parameters:
    ///   - diagram: the events of a sequence.
    ///   - start: the time of `^`, or without it of the first character.
    ///   - ticksPerCharacter: the time from one character to the next, at least 1.
    ///   - error: the error that `#` stands for.
    /// - Throws: `MarbleError`, which describes the fault and its position.
    public static func events(
        marbles diagram: String, start: TestTime = 0, ticksPerCharacter: Int = 1, error: any Error = RxError.unknown
    ) throws -> [Recorded<Event<String>>] where Value == Event<String> {
        try events(
            marbles: diagram, start: start, ticksPerCharacter: ticksPerCharacter, error: error, element: standsForItself
        )
    }

    /// Reads a marble diagram whose characters stand for elements: `"-a-b-|"`.
    ///
    /// `-` is a tick without an event, `|` completion, `#` an error, `(ab|)` are events at the tick of the `(`, `^` is the tick from
    /// which times are counted. Each character takes up a tick, those of a group as well; spaces mean nothing.
    /// - Parameters:
    ///   - diagram: the events of a sequence.
    ///   - values: the elements that characters stand for.
    ///   - start: the time of `^`, or without it of the first character.
    ///   - ticksPerCharacter: the time from one character to the next, at least 1.
    ///   - error: the error that `#` stands for.
    /// - Throws: `MarbleError`, which describes the fault and its position.
    public static func events<T>(
        marbles diagram: String, values: [Character: T], start: TestTime = 0, ticksPerCharacter: Int = 1,
        error: any Error = RxError.unknown
    ) throws -> [Recorded<Event<T>>] where Value == Event<T> {
        try events(
            marbles: diagram, start: start, ticksPerCharacter: ticksPerCharacter, error: error, element: { values[$0] })
    }

    /// Reads a marble diagram whose characters are turned into elements by a closure: `"-1-2-|"`.
    ///
    /// `-` is a tick without an event, `|` completion, `#` an error, `(ab|)` are events at the tick of the `(`, `^` is the tick from
    /// which times are counted. Each character takes up a tick, those of a group as well; spaces mean nothing.
    /// - Parameters:
    ///   - diagram: the events of a sequence.
    ///   - start: the time of `^`, or without it of the first character.
    ///   - ticksPerCharacter: the time from one character to the next, at least 1.
    ///   - error: the error that `#` stands for.
    ///   - element: returns the element that a character stands for; nil if there is none. Called once per character, in order.
    /// - Throws: `MarbleError`, which describes the fault and its position, and any error that `element` throws.
    public static func events<T>(
        marbles diagram: String, start: TestTime = 0, ticksPerCharacter: Int = 1, error: any Error = RxError.unknown,
        element: (Character) throws -> T?
    ) throws -> [Recorded<Event<T>>] where Value == Event<T> {
        if ticksPerCharacter <= 0 {
            fatalError("swift-rx: events(marbles:): ticksPerCharacter is \(ticksPerCharacter), it must be at least 1")
        }
        return try withoutActuallyEscaping(element) { element in
            var parser = MarbleParser(diagram, error: error, element: element)
            return try parser.parse().map { Recorded(time: start + $0.tick * ticksPerCharacter, value: $0.event) }
        }
    }
}

extension TestScheduler {
    /// A hot sequence drawn as a marble diagram in which letters and digits stand for themselves: `"-a-^-b-|"`.
    ///
    /// - Parameters:
    ///   - diagram: the events; see `Recorded.events(marbles:)`.
    ///   - start: the time of `^`, or without it of the first character. Unless told otherwise, that at which `start` subscribes; an
    ///     event at this very time comes before the subscription.
    ///   - ticksPerCharacter: the time from one character to the next, at least 1.
    ///   - error: the error that `#` stands for.
    /// - Throws: `MarbleError`, which describes the fault and its position.
    public func createHotObservable(
        marbles diagram: String, start: TestTime = Defaults.subscribed, ticksPerCharacter: Int = 1,
        error: any Error = RxError.unknown
    ) throws -> TestableObservable<String> {
        createHotObservable(
            try Recorded.events(marbles: diagram, start: start, ticksPerCharacter: ticksPerCharacter, error: error))
    }

    /// A hot sequence drawn as a marble diagram whose characters stand for elements: `"-a-^-b-|"`.
    ///
    /// - Parameters:
    ///   - diagram: the events; see `Recorded.events(marbles:values:)`.
    ///   - values: the elements that characters stand for.
    ///   - start: the time of `^`, or without it of the first character. Unless told otherwise, that at which `start` subscribes; an
    ///     event at this very time comes before the subscription.
    ///   - ticksPerCharacter: the time from one character to the next, at least 1.
    ///   - error: the error that `#` stands for.
    /// - Throws: `MarbleError`, which describes the fault and its position.
    public func createHotObservable<Element>(
        marbles diagram: String, values: [Character: Element], start: TestTime = Defaults.subscribed,
        ticksPerCharacter: Int = 1, error: any Error = RxError.unknown
    ) throws -> TestableObservable<Element> {
        createHotObservable(
            try Recorded.events(
                marbles: diagram, values: values, start: start, ticksPerCharacter: ticksPerCharacter, error: error))
    }

    /// A cold sequence drawn as a marble diagram in which letters and digits stand for themselves: `"-a-b-|"`.
    ///
    /// - Parameters:
    ///   - diagram: the events; its first character, or `^`, is the time of each subscription; see `Recorded.events(marbles:)`.
    ///   - ticksPerCharacter: the time from one character to the next, at least 1.
    ///   - error: the error that `#` stands for.
    /// - Throws: `MarbleError`, which describes the fault and its position.
    public func createColdObservable(
        marbles diagram: String, ticksPerCharacter: Int = 1, error: any Error = RxError.unknown
    ) throws -> TestableObservable<String> {
        let events = try Recorded.events(marbles: diagram, ticksPerCharacter: ticksPerCharacter, error: error)
        return createColdObservable(try notBeforeSubscription(events, diagram))
    }

    /// A cold sequence drawn as a marble diagram whose characters stand for elements: `"-a-b-|"`.
    ///
    /// - Parameters:
    ///   - diagram: the events; its first character, or `^`, is the time of each subscription; see `Recorded.events(marbles:values:)`.
    ///   - values: the elements that characters stand for.
    ///   - ticksPerCharacter: the time from one character to the next, at least 1.
    ///   - error: the error that `#` stands for.
    /// - Throws: `MarbleError`, which describes the fault and its position.
    public func createColdObservable<Element>(
        marbles diagram: String, values: [Character: Element], ticksPerCharacter: Int = 1,
        error: any Error = RxError.unknown
    ) throws -> TestableObservable<Element> {
        let events = try Recorded.events(
            marbles: diagram, values: values, ticksPerCharacter: ticksPerCharacter, error: error)
        return createColdObservable(try notBeforeSubscription(events, diagram))
    }
}

/// The element that a character stands for in a diagram without values.
private func standsForItself(_ character: Character) -> String? {
    character.isLetter || character.isNumber ? String(character) : nil
}

private func notBeforeSubscription<Element>(
    _ events: [Recorded<Event<Element>>], _ diagram: String
) throws -> [Recorded<Event<Element>>] {
    guard let first = events.first, first.time < 0 else { return events }
    let position = diagram.prefix { "-( \t\n".contains($0) }.count
    throw MarbleError(diagram, position, .eventBeforeSubscription)
}

// SPDX-License-Identifier: Apache-2.0

import RxSwift

/// Reads a marble diagram character by character.
struct MarbleParser<Element> {
    private let diagram: String
    private let error: any Error
    private let element: (Character) throws -> Element?

    /// The number of characters that time has passed over.
    private var tick = 0
    /// The position of the parser in the diagram.
    private var position = 0
    /// The group under way: the tick at which it began, and its position.
    private var group: (tick: Int, position: Int)?
    private var hasEnded = false
    private var zero: Int?
    private var events: [(tick: Int, event: Event<Element>)] = []

    /// - Parameters:
    ///   - error: the error that `#` stands for.
    ///   - element: returns the element that a character stands for; nil if there is none.
    init(_ diagram: String, error: any Error, element: @escaping (Character) throws -> Element?) {
        self.diagram = diagram
        self.error = error
        self.element = element
    }

    /// Returns the events, each with its tick: how many characters it stands after `^`, or after the start if there is no `^`.
    mutating func parse() throws -> [(tick: Int, event: Event<Element>)] {
        for character in diagram {
            if !character.isWhitespace {
                try read(character)
                tick += 1
            }
            position += 1
        }
        if let group { throw MarbleError(diagram, group.position, .unclosedGroup) }
        return events.map { ($0.tick - (zero ?? 0), $0.event) }
    }

    private mutating func read(_ character: Character) throws {
        switch character {
        case "-":
            if group != nil { throw fault(.timeInGroup) }
        case "^":
            if group != nil { throw fault(.zeroInGroup) }
            if zero != nil { throw fault(.secondZero) }
            zero = tick
        case "(":
            if group != nil { throw fault(.nestedGroup) }
            group = (tick, position)
        case ")":
            if group == nil { throw fault(.unopenedGroup) }
            group = nil
        case "|": try add(.completed)
        case "#": try add(.error(error))
        default:
            guard let element = try element(character) else { throw fault(.unknownElement(character)) }
            try add(.next(element))
        }
    }

    private mutating func add(_ event: Event<Element>) throws {
        if hasEnded { throw fault(.eventAfterEnd) }
        hasEnded = event.isStopEvent
        events.append((group?.tick ?? tick, event))
    }

    private func fault(_ reason: MarbleError.Reason) -> MarbleError { MarbleError(diagram, position, reason) }
}

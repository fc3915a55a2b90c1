// SPDX-License-Identifier: Apache-2.0

import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct MarbleFormattingTests {
    static let drawn: [([Recorded<Event<String>>], String)] = [
        ([], ""),
        ([.next(0, "a")], "a"),
        ([.next(1, "a"), .next(3, "b"), .completed(5)], "-a-b-|"),
        ([.next(1, "a"), .next(1, "b"), .error(1, Failure.expected)], "-(ab#)"),
        ([.next(-2, "a"), .completed(2)], "a-^-|"),
        ([.next(-3, "a")], "a--^"),
        ([.next(-5, "a"), .next(-5, "b"), .next(1, "c")], "(ab)-^c"),
    ]

    @Test("Events are drawn as a diagram", arguments: drawn)
    func drawnEvents(events: [Recorded<Event<String>>], diagram: String) throws {
        #expect(try events.marbles() == diagram)
        let later = events.map { Recorded(time: 200 + 10 * $0.time, value: $0.value) }
        #expect(try later.marbles(start: 200, ticksPerCharacter: 10) == diagram)
    }

    @Test("Elements are drawn with their characters") func drawnElements() throws {
        let events: [Recorded<Event<Int>>] = [.next(0, 10), .next(2, 20)]
        #expect(try events.marbles(values: ["a": 10, "b": 20, "c": 20]) == "a-b")
        #expect(try events.marbles { Character("\($0 / 10)") } == "1-2")
    }

    static let undrawable: [([Recorded<Event<String>>], TestTime, MarbleFormattingError.Reason)] = [
        ([.next(0, "long")], 0, .noCharacter(element: "long")),
        ([.next(0, "-")], 0, .noCharacter(element: "-")),
        ([.next(0, "a"), .next(15, "b")], 15, .betweenCharacters),
        ([.next(20, "a"), .next(10, "b")], 10, .notInOrder),
        ([.next(10, "a"), .next(10, "b"), .next(40, "c")], 40, .noRoom),
        ([.next(-10, "a"), .next(0, "b")], 0, .noRoom),
        ([.next(-30, "a"), .next(-30, "b")], -30, .noRoom),
    ]

    @Test("The error of events without a diagram names the reason", arguments: undrawable)
    func undrawableEvents(
        events: [Recorded<Event<String>>], time: TestTime, reason: MarbleFormattingError.Reason
    ) throws {
        let error = try #require(throws: MarbleFormattingError.self) { try events.marbles(ticksPerCharacter: 10) }
        #expect(error.time == time && error.reason == reason)
        #expect(error.description.contains("the event at \(time): "))
    }

    @Test("Drawn events read back as the same events") func roundTrip() throws {
        var generator = Generator(state: 42)
        for _ in 0..<5_000 {
            let diagram = randomDiagram(&generator)
            let start = Int.random(in: -50...300, using: &generator)
            let ticks = Int.random(in: 1...20, using: &generator)
            let events = try Recorded.events(marbles: diagram, start: start, ticksPerCharacter: ticks)
            let drawn = try events.marbles(start: start, ticksPerCharacter: ticks)
            let again = try Recorded.events(marbles: drawn, start: start, ticksPerCharacter: ticks)
            #expect(again == events, "\(diagram) drawn as \(drawn)")
            #expect(try again.marbles(start: start, ticksPerCharacter: ticks) == drawn)
        }
    }

    private func randomDiagram(_ generator: inout Generator) -> String {
        var diagram = ""
        var hasZero = false
        for _ in 0..<Int.random(in: 0...12, using: &generator) {
            switch Int.random(in: 0..<10, using: &generator) {
            case 0..<4: diagram += "-"
            case 4..<7: diagram.append("abc123".randomElement(using: &generator)!)
            case 7: diagram += " "
            case 8:
                let elements = (0..<Int.random(in: 0...3, using: &generator)).map { "xyz".dropFirst($0).first! }
                diagram += "(" + String(elements) + ")"
            default:
                if !hasZero { diagram += "^" }
                hasZero = true
            }
        }
        return diagram + ["", "|", "#", "(a|)"].randomElement(using: &generator)!
    }

    /// SplitMix64: the same numbers each time.
    private struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }
}

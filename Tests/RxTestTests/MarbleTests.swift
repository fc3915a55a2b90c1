import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct MarbleTests {
    static let diagrams: [(String, [Recorded<Event<String>>])] = [
        ("", []),
        ("---", []),
        ("a", [.next(0, "a")]),
        ("-a-b-|", [.next(1, "a"), .next(3, "b"), .completed(5)]),
        ("-1#", [.next(1, "1"), .error(2, RxError.unknown)]),
        ("--(ab|)", [.next(2, "a"), .next(2, "b"), .completed(2)]),
        // A group takes up as many ticks as it has characters.
        ("(ab)c", [.next(0, "a"), .next(0, "b"), .next(4, "c")]),
        ("-()a", [.next(3, "a")]),
        ("a-^-b|", [.next(-2, "a"), .next(2, "b"), .completed(3)]),
        ("|-^", [.completed(-2)]),
        (" -a -\n b|  ", [.next(1, "a"), .next(3, "b"), .completed(4)]),
        ("-ä--é|--", [.next(1, "ä"), .next(4, "é"), .completed(5)]),
    ]

    @Test(arguments: diagrams) func charactersAreTicks(diagram: String, events: [Recorded<Event<String>>]) throws {
        #expect(try Recorded.events(marbles: diagram) == events)
        let later = events.map { Recorded(time: 200 + 10 * $0.time, value: $0.value) }
        #expect(try Recorded.events(marbles: diagram, start: 200, ticksPerCharacter: 10) == later)
    }

    @Test func charactersStandForWhatTheValuesSay() throws {
        let expected: [Recorded<Event<Int>>] = [.next(0, 10), .next(1, 20), .error(2, Failure.expected)]
        #expect(try Recorded.events(marbles: "a*#", values: ["a": 10, "*": 20], error: Failure.expected) == expected)
        let digits = try Recorded.events(marbles: "1-3|") { $0.wholeNumberValue }
        #expect(digits == [.next(0, 1), .next(2, 3), .completed(3)])
        #expect(throws: Failure.other) { try Recorded.events(marbles: "-a") { _ -> Int? in throw Failure.other } }
    }

    static let faults: [(String, Int, MarbleError.Reason, String)] = [
        ("-a-!", 3, .unknownElement("!"), "an error is '#'"),
        ("-a–b", 2, .unknownElement("–"), "letters and digits"),
        ("-(a(b))", 3, .nestedGroup, "close the first one"),
        ("-a)", 2, .unopenedGroup, "put '('"),
        ("- (ab", 2, .unclosedGroup, "put ')'"),
        ("(a-b)", 2, .timeInGroup, "no time passes"),
        ("(a^b)", 2, .zeroInGroup, "subscription"),
        ("-^-^", 3, .secondZero, "one at most"),
        ("-|-a", 3, .eventAfterEnd, "nothing comes after"),
        ("(a|b)", 3, .eventAfterEnd, "nothing comes after"),
        ("#|", 1, .eventAfterEnd, "nothing comes after"),
    ]

    @Test(arguments: faults)
    func aWrongDiagramSaysWhatIsWrongAndWhere(
        diagram: String, position: Int, reason: MarbleError.Reason, words: String
    ) throws {
        let error = try #require(throws: MarbleError.self) { try Recorded.events(marbles: diagram) }
        #expect(error.diagram == diagram && error.position == position && error.reason == reason)
        let character = Array(diagram)[position]
        #expect(error.description.contains("'\(character)' at position \(position)"))
        #expect(error.description.contains(words))
    }

    static let drawn: [([Recorded<Event<String>>], String)] = [
        ([], ""),
        ([.next(0, "a")], "a"),
        ([.next(1, "a"), .next(3, "b"), .completed(5)], "-a-b-|"),
        ([.next(1, "a"), .next(1, "b"), .error(1, Failure.expected)], "-(ab#)"),
        ([.next(-2, "a"), .completed(2)], "a-^-|"),
        ([.next(-3, "a")], "a--^"),
        ([.next(-5, "a"), .next(-5, "b"), .next(1, "c")], "(ab)-^c"),
    ]

    @Test(arguments: drawn) func eventsAreDrawn(events: [Recorded<Event<String>>], diagram: String) throws {
        #expect(try events.marbles() == diagram)
        let later = events.map { Recorded(time: 200 + 10 * $0.time, value: $0.value) }
        #expect(try later.marbles(start: 200, ticksPerCharacter: 10) == diagram)
    }

    @Test func elementsAreDrawnWithTheirCharacters() throws {
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

    @Test(arguments: undrawable)
    func whatCannotBeDrawnSaysWhy(
        events: [Recorded<Event<String>>], time: TestTime, reason: MarbleFormattingError.Reason
    ) throws {
        let error = try #require(throws: MarbleFormattingError.self) { try events.marbles(ticksPerCharacter: 10) }
        #expect(error.time == time && error.reason == reason)
        #expect(error.description.contains("the event at \(time): "))
    }

    @Test func whatIsDrawnReadsBackAsTheSameEvents() throws {
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

    @Test func hotSequencesStartAtTheirSubscription() throws {
        let scheduler = TestScheduler(initialClock: 0)
        let hot = try scheduler.createHotObservable(marbles: "a-^--b-c-|")
        let observer = scheduler.start { hot.map { $0.uppercased() } }
        #expect(try observer.events.marbles(start: 200) == "---B-C-|")
        #expect(hot.subscriptions == [Subscription(200, 207)])
        #expect(try scheduler.createHotObservable(marbles: "a", values: ["a": 7]).recordedEvents == [.next(200, 7)])
    }

    @Test func coldSequencesStartAtEachSubscription() throws {
        let scheduler = TestScheduler(initialClock: 0)
        let cold = try scheduler.createColdObservable(marbles: "-1-2-(3|)", values: ["1": 1, "2": 2, "3": 3])
        let letters = try scheduler.createColdObservable(
            marbles: "--a-#", ticksPerCharacter: 10, error: Failure.expected)
        let observer = scheduler.start { cold.map { "\($0)" }.concat(letters) }
        #expect(observer.events.suffix(2) == [.next(225, "a"), .error(245, Failure.expected)])
        #expect(try observer.events.prefix(3).marbles(start: 200) == "-1-2-3")
        #expect(cold.subscriptions == [Subscription(200, 205)])
        #expect(throws: MarbleError.self) { try scheduler.createColdObservable(marbles: "-a-^") }
        #expect(throws: MarbleError.self) { try scheduler.createColdObservable(marbles: "-a-^", values: ["a": 1]) }
    }
}

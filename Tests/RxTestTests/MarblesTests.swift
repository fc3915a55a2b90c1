// SPDX-License-Identifier: Apache-2.0

import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct MarblesTests {
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

    @Test("Each character of a diagram takes one tick", arguments: diagrams)
    func characters(diagram: String, events: [Recorded<Event<String>>]) throws {
        #expect(try Recorded.events(marbles: diagram) == events)
        let later = events.map { Recorded(time: 200 + 10 * $0.time, value: $0.value) }
        #expect(try Recorded.events(marbles: diagram, start: 200, ticksPerCharacter: 10) == later)
    }

    @Test("Values and closures tell the elements that characters stand for") func values() throws {
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

    @Test("The error of a faulty diagram names the fault and its position", arguments: faults)
    func faultyDiagram(
        diagram: String, position: Int, reason: MarbleError.Reason, words: String
    ) throws {
        let error = try #require(throws: MarbleError.self) { try Recorded.events(marbles: diagram) }
        #expect(error.diagram == diagram && error.position == position && error.reason == reason)
        let character = Array(diagram)[position]
        #expect(error.description.contains("'\(character)' at position \(position)"))
        #expect(error.description.contains(words))
    }

    @Test("A hot sequence starts at the time of its subscription") func hotSequence() throws {
        let scheduler = TestScheduler(initialClock: 0)
        let hot = try scheduler.createHotObservable(marbles: "a-^--b-c-|")
        let observer = scheduler.start { hot.map { $0.uppercased() } }
        #expect(try observer.events.marbles(start: 200) == "---B-C-|")
        #expect(hot.subscriptions == [Subscription(200, 207)])
        #expect(try scheduler.createHotObservable(marbles: "a", values: ["a": 7]).recordedEvents == [.next(200, 7)])
    }

    @Test("A cold sequence starts at each subscription") func coldSequence() throws {
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

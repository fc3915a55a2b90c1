// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct TakeUntilOtherTests {
    static func model(_ moves: [Move]) -> String {
        var lines: [String] = []
        for move in moves {
            switch (move.kind, move.isOfOther) {
            case (.next, false): lines.append("\(move.number)")
            case (.completed, true): break
            case (.completed, false), (.next, true): return (lines + ["completed"]).joined(separator: " ")
            case (.error, _): return (lines + ["error(expected)"]).joined(separator: " ")
            }
        }
        return lines.joined(separator: " ")
    }

    @Test("The first element of the other sequence ends the result") func picture() throws {
        try expectMarbles(
            source: "^1-2--3",
            active: "^----!",
            second: "^----7",
            during: "^----!",
            result: "^1-2-|"
        ) { source, second, _ in source.take(until: second) }
    }

    @Test("The other's first element ends the result in all interleavings") func interleavings() {
        forAllInterleavingsOfBothRoles {
            $0.take(until: $1)
        } model: {
            Self.model($0)
        } mismatch: { steps, text, expected in
            Issue.record("\(steps): \(text), not \(expected)")
        }
    }

    @Test("The other sequence is subscribed to first") func order() {
        let transcript = EventLog()
        _ = transcript.observe(Observable.just(1).take(until: Observable.just(2)))
        #expect(transcript.text == "completed")
    }

    @Test("An observer that triggers the end gets it after its callback") func reentrancy() {
        let source = PublishSubject<Int>()
        let other = PublishSubject<Void>()
        let transcript = EventLog()
        _ = source.take(until: other).subscribe(
            onNext: {
                transcript.note("<\($0)")
                other.onNext(())
                transcript.note(">")
            }, onCompleted: { transcript.note("completed") })
        source.onNext(1)
        source.onNext(2)
        #expect(transcript.text == "<1 > completed")
        #expect(!source.hasObservers && !other.hasObservers)
    }

    @Test("A race with the other sequence ends after a prefix") func otherRace() {
        for _ in 0..<500 {
            let source = PublishSubject<Int>()
            let other = PublishSubject<Int>()
            var received: [Int] = []
            var completed = 0
            _ = source.take(until: other).subscribe(onNext: { received.append($0) }, onCompleted: { completed += 1 })
            race([
                {
                    for number in 0..<20 { source.onNext(number) }
                    source.onCompleted()
                },
                { other.onNext(0) },
            ])
            #expect(received == Array(0..<received.count))
            #expect(completed == 1)
            #expect(!source.hasObservers && !other.hasObservers)
        }
    }
}

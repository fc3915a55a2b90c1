// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct SkipUntilTests {
    static func model(_ moves: [Move]) -> String {
        var isOpen = false
        var isOtherOver = false
        var lines: [String] = []
        for move in moves {
            switch (move.kind, move.isOfOther) {
            case (.next, false): if isOpen { lines.append("\(move.number)") }
            case (.next, true):
                isOpen = true
                isOtherOver = true
            case (.completed, true): isOtherOver = true
            case (.completed, false):
                return (isOpen ? lines + ["completed"] : lines).joined(separator: " ")
            case (.error, true): if !isOtherOver { return (lines + ["error(expected)"]).joined(separator: " ") }
            case (.error, false): return (lines + ["error(expected)"]).joined(separator: " ")
            }
        }
        return lines.joined(separator: " ")
    }

    @Test("The first element of the other sequence starts the result") func picture() throws {
        try expectMarbles(
            source: "^1-2--3-|",
            active: "^-------!",
            second: "^---7",
            during: "^---!",
            result: "^-----3-|"
        ) { source, second, _ in source.skip(until: second) }
    }

    @Test("The other's first element starts the result in all interleavings") func interleavings() {
        forAllInterleavingsOfBothRoles {
            $0.skip(until: $1)
        } model: {
            Self.model($0)
        } mismatch: { steps, text, expected in
            Issue.record("\(steps): \(text), not \(expected)")
        }
    }

    @Test("The source is subscribed to first") func order() {
        let transcript = EventLog()
        let subscription = transcript.observe(Observable.just(1).skip(until: Observable.just(2)))
        #expect(transcript.text == "")
        subscription.dispose()
    }

    @Test("A completion that is dropped releases the subscriber") func silentEnd() {
        weak var held: ReleaseToken?
        let source = PublishSubject<Int>()
        let other = PublishSubject<Int>()
        do {
            let token = ReleaseToken()
            held = token
            _ = source.skip(until: other).subscribe(onNext: { _ in _ = token })
        }
        #expect(held != nil)
        source.onCompleted()
        #expect(held == nil)
        #expect(!source.hasObservers && !other.hasObservers)
    }

    @Test("A race with the other sequence sends a suffix") func otherRace() {
        for _ in 0..<500 {
            let source = PublishSubject<Int>()
            let other = PublishSubject<Int>()
            var received: [Int] = []
            let subscription = source.skip(until: other).subscribe(onNext: { received.append($0) })
            race([
                { for number in 0..<20 { source.onNext(number) } },
                { other.onNext(0) },
            ])
            source.onNext(20)
            #expect(received == Array((21 - received.count)...20))
            subscription.dispose()
        }
    }
}

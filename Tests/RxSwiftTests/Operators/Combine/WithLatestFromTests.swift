// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct WithLatestFromTests {
    static func model(_ moves: [Move]) -> String {
        var latest: Int?
        var lines: [String] = []
        for move in moves {
            switch (move.kind, move.isOfOther) {
            case (.next, true): latest = move.number
            case (.next, false): if let latest { lines.append("\(move.number * 1000 + latest)") }
            case (.completed, true): break
            case (.completed, false): return (lines + ["completed"]).joined(separator: " ")
            case (.error, _): return (lines + ["error(expected)"]).joined(separator: " ")
            }
        }
        return lines.joined(separator: " ")
    }

    @Test("Each element makes the other sequence's latest one come") func picture() throws {
        try expectMarbles(
            source: "^1--2--3-|",
            active: "^--------!",
            second: "^--4--5-|",
            during: "^-------!",
            result: "^---4--5-|"
        ) { source, second, _ in source.withLatestFrom(second) }
    }

    @Test("The result equals that of a variable in all interleavings") func interleavings() {
        forAllInterleavingsOfBothRoles {
            $0.withLatestFrom($1) { $0 * 1000 + $1 }
        } model: {
            Self.model($0)
        } mismatch: { steps, text, expected in
            Issue.record("\(steps): \(text), not \(expected)")
        }
    }

    @Test("Without a selector the result is the element of the other sequence") func noSelector() {
        let transcript = EventLog()
        _ = transcript.observe(Observable.just(1).withLatestFrom(Observable.just("a")))
        #expect(transcript.text == "a completed")
    }

    @Test("The other sequence is subscribed to first") func order() {
        let transcript = EventLog()
        func source(_ name: String) -> Observable<Int> {
            .create { _ in
                transcript.note(name)
                return Disposables.create()
            }
        }
        source("source").withLatestFrom(source("other")).subscribe().dispose()
        #expect(transcript.text == "other source")
    }

    @Test("An error of the selector ends the result and the subscriptions") func selectorThrows() {
        let source = PublishSubject<Int>()
        let other = PublishSubject<Int>()
        let transcript = EventLog()
        _ = transcript.observe(source.withLatestFrom(other) { _, _ -> Int in throw Failure.other })
        other.onNext(1)
        source.onNext(1)
        #expect(transcript.text == "error(other)")
        #expect(!source.hasObservers && !other.hasObservers)
    }

    @Test("No event follows a disposal in the selector") func selectorDisposes() {
        let source = PublishSubject<Int>()
        let other = PublishSubject<Int>()
        let transcript = EventLog()
        var subscription: (any Disposable)?
        subscription = transcript.observe(
            source.withLatestFrom(other) {
                subscription?.dispose()
                return $0 + $1
            })
        other.onNext(1)
        source.onNext(1)
        #expect(transcript.text == "")
        #expect(!source.hasObservers && !other.hasObservers)
    }

    @Test("A race with the other sequence loses no element") func otherRace() {
        let count = 20_000
        let source = PublishSubject<Int>()
        let other = PublishSubject<Int>()
        let detector = OverlapDetector()
        var received: [Int] = []
        var last = -1
        var isMonotonic = true
        let subscription = source.withLatestFrom(other) { ($0, $1) }.subscribe(onNext: { pair in
            detector.enter()
            received.append(pair.0)
            if pair.1 < last { isMonotonic = false }
            last = pair.1
            detector.leave()
        })
        other.onNext(0)
        race([
            { for number in 0..<count { source.onNext(number) } },
            { for number in 0..<count { other.onNext(number) } },
        ])
        #expect(received == Array(0..<count))
        #expect(isMonotonic)
        #expect(!detector.overlapped)
        subscription.dispose()
    }
}

// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct CombineLatestTests {
    static func model(_ steps: [(step: Step, number: Int)]) -> String {
        var latest: [Int?] = [nil, nil]
        var done = [false, false]
        var lines: [String] = []
        for (step, number) in steps {
            switch step {
            case .next0, .next1:
                let index = step == .next0 ? 0 : 1
                latest[index] = number
                if let first = latest[0], let second = latest[1] {
                    lines.append("\(first + second)")
                } else if done[1 - index] {
                    return (lines + ["completed"]).joined(separator: " ")
                }
            case .completed0, .completed1:
                done[step == .completed0 ? 0 : 1] = true
                if done == [true, true] { return (lines + ["completed"]).joined(separator: " ") }
            case .error0: return (lines + ["error(expected)"]).joined(separator: " ")
            }
        }
        return lines.joined(separator: " ")
    }

    @Test("The latest elements are added") func picture() throws {
        try expectMarbles(
            source: "^1--2----|",
            active: "^--------!",
            second: "^--3--5----|",
            during: "^----------!",
            result: "^--45-7----|"
        ) { source, second, _ in Observable.combineLatest(source, second) { $0 + $1 } }
    }

    @Test("The result equals that of two variables in all interleavings") func interleavings() {
        forAllInterleavings {
            Observable.combineLatest($0, $1) { $0 + $1 }
        } model: {
            Self.model($0)
        } mismatch: { steps, text, expected in
            Issue.record("\(steps): \(text), not \(expected)")
        }
    }

    @Test("The form for collections equals two variables in all interleavings") func collection() {
        forAllInterleavings {
            Observable<Int>.combineLatest([$0, $1]) { $0[0] + $0[1] }
        } model: {
            Self.model($0)
        } mismatch: { steps, text, expected in
            Issue.record("\(steps): \(text), not \(expected)")
        }
    }

    @Test("Without sources the selector runs once, for no elements") func noSources() {
        let transcript = EventLog()
        _ = transcript.observe(Observable<Int>.combineLatest([Observable<Int>]()) { $0.count })
        _ = transcript.observe(Observable<Int>.combineLatest([Observable<Int>]()) { _ in throw Failure.expected })
        #expect(transcript.text == "0 completed error(expected)")
    }

    @Test("An error of the selector ends the result and the subscriptions") func selectorThrows() {
        let left = PublishSubject<Int>()
        let right = PublishSubject<Int>()
        let transcript = EventLog()
        _ = transcript.observe(
            Observable<Int>.combineLatest(left, right) {
                if $0 == 2 { throw Failure.other }
                return $0 + $1
            })
        left.onNext(1)
        right.onNext(10)
        left.onNext(2)
        left.onNext(3)
        #expect(transcript.text == "11 error(other)")
        #expect(!left.hasObservers && !right.hasObservers)
    }

    @Test("No event follows a disposal in the selector") func selectorDisposes() {
        let left = PublishSubject<Int>()
        let right = PublishSubject<Int>()
        let transcript = EventLog()
        var subscription: (any Disposable)?
        subscription = transcript.observe(
            Observable<Int>.combineLatest(left, right) {
                subscription?.dispose()
                return $0 + $1
            })
        left.onNext(1)
        right.onNext(1)
        left.onNext(2)
        #expect(transcript.text == "")
        #expect(!left.hasObservers && !right.hasObservers)
    }

    @Test("Events that an observer emits come after its callback") func reentrancy() {
        let left = PublishSubject<Int>()
        let right = PublishSubject<Int>()
        let transcript = EventLog()
        _ = Observable.combineLatest(left, right) { $0 + $1 }.subscribe(onNext: { sum in
            transcript.note("<\(sum)")
            if sum < 14 { left.onNext(sum - 9) }
            transcript.note(">")
        })
        right.onNext(10)
        left.onNext(1)
        #expect(transcript.text == "<11 > <12 > <13 > <14 >")
        _ = left
    }

    @Test("Disposal releases the latest elements") func release() {
        let left = PublishSubject<ReleaseToken>()
        let right = PublishSubject<Int>()
        let subscription = Observable.combineLatest(left, right) { $1 }.subscribe(onNext: { _ in })
        weak var held: ReleaseToken?
        do {
            let token = ReleaseToken()
            held = token
            left.onNext(token)
        }
        #expect(held != nil)
        subscription.dispose()
        #expect(held == nil)
    }

    @Test("A race of two emitters ends with the combination of their last elements") func emittersRace() {
        let count = 20_000
        for _ in 0..<5 {
            let left = PublishSubject<Int>()
            let right = PublishSubject<Int>()
            let detector = OverlapDetector()
            var last = (-1, -1)
            var isMonotonic = true
            var results = 0
            let completed = AtomicCounter(0)
            let subscription = Observable.combineLatest(left, right).subscribe(
                onNext: { pair in
                    detector.enter()
                    if pair.0 < last.0 || pair.1 < last.1 { isMonotonic = false }
                    last = pair
                    results += 1
                    detector.leave()
                }, onCompleted: { completed.increment() })
            race([
                {
                    for number in 0..<count { left.onNext(number) }
                    left.onCompleted()
                },
                {
                    for number in 0..<count { right.onNext(number) }
                    right.onCompleted()
                },
            ])
            #expect(settles { completed.value == 1 })
            #expect(last == (count - 1, count - 1))
            #expect(isMonotonic)
            #expect(results >= count && results < 2 * count)
            #expect(completed.value == 1)
            #expect(!detector.overlapped)
            subscription.dispose()
        }
    }
}

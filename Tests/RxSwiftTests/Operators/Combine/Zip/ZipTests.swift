// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct ZipTests {
    /// Models `zip` with two queues and two flags.
    static func model(_ steps: [(step: Step, number: Int)], completesEarly: Bool) -> String {
        var queues: [[Int]] = [[], []]
        var done = [false, false]
        var lines: [String] = []
        for (step, number) in steps {
            switch step {
            case .next0, .next1:
                let index = step == .next0 ? 0 : 1
                queues[index].append(number)
                if !queues[0].isEmpty && !queues[1].isEmpty {
                    lines.append("\(queues[0].removeFirst() + queues[1].removeFirst())")
                } else if completesEarly && done[1 - index] {
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

    @Test("Elements are added in pairs") func picture() throws {
        try expectMarbles(
            source: "^1--2----3--|",
            active: "^-----------!",
            second: "^--4--5-----6-|",
            during: "^-------------!",
            result: "^--5--7-----9-|"
        ) { source, second, _ in Observable.zip(source, second) { $0 + $1 } }
    }

    @Test("The result equals that of two queues in all interleavings") func interleavings() {
        forAllInterleavings {
            Observable.zip($0, $1) { $0 + $1 }
        } model: {
            Self.model($0, completesEarly: false)
        } mismatch: { steps, text, expected in
            Issue.record("\(steps): \(text), not \(expected)")
        }
    }

    @Test("The form for collections equals two queues in all interleavings") func collection() {
        forAllInterleavings {
            Observable<Int>.zip([$0, $1]) { $0[0] + $0[1] }
        } model: {
            Self.model($0, completesEarly: true)
        } mismatch: { steps, text, expected in
            Issue.record("\(steps): \(text), not \(expected)")
        }
    }

    @Test("Without sources the result completes") func noSources() {
        let transcript = EventLog()
        _ = transcript.observe(Observable<[Int]>.zip([Observable<Int>]()) { $0 })
        #expect(transcript.text == "completed")
    }

    @Test("Without sources the result ends only once when the end disposes of it") func noSourcesDisposal() {
        var completions = 0
        let none = Observable<[Int]>.zip([Observable<Int>]()) { $0 }
        let ends = none.materialize().do(onCompleted: { completions += 1 })
        #expect(events(of: ends.take(1)) == ["next(completed)", "completed"])
        #expect(completions == 0)
    }

    @Test("A long queue keeps its order") func longQueue() {
        let left = PublishSubject<Int>()
        let right = PublishSubject<Int>()
        var pairs: [Int] = []
        let subscription = Observable.zip(left, right) { $0 - $1 }.subscribe(onNext: { pairs.append($0) })
        for round in 0..<5 {
            for number in 0..<100 { left.onNext(round * 100 + number) }
            for number in 0..<90 { right.onNext(round * 90 + number) }
        }
        #expect(pairs == Array(repeating: 0, count: 450))
        subscription.dispose()
    }

    @Test("Elements that no other can match any more are released") func unmatched() {
        let left = PublishSubject<ReleaseToken>()
        let right = PublishSubject<Int>()
        let subscription = Observable.zip(left, right) { $1 }.subscribe(onNext: { _ in })
        weak var early: ReleaseToken?
        weak var late: ReleaseToken?
        do {
            let token = ReleaseToken()
            early = token
            left.onNext(token)
        }
        #expect(early != nil)
        right.onCompleted()
        #expect(early == nil)
        do {
            let token = ReleaseToken()
            late = token
            left.onNext(token)
        }
        #expect(late == nil)
        subscription.dispose()
    }

    @Test("An error of the selector ends the result and the subscriptions") func selectorThrows() {
        let left = PublishSubject<Int>()
        let right = PublishSubject<Int>()
        let transcript = EventLog()
        _ = transcript.observe(
            Observable<Int>.zip(left, right) {
                if $0 == 2 { throw Failure.other }
                return $0 + $1
            })
        for number in 1...3 {
            left.onNext(number)
            right.onNext(number)
        }
        #expect(transcript.text == "2 error(other)")
        #expect(!left.hasObservers && !right.hasObservers)
    }

    @Test("No event follows a disposal in the selector", arguments: [false, true])
    func selectorDisposes(throwing: Bool) {
        let left = PublishSubject<Int>()
        let right = PublishSubject<Int>()
        let transcript = EventLog()
        var subscription: (any Disposable)?
        subscription = transcript.observe(
            Observable<Int>.zip(left, right) {
                subscription?.dispose()
                if throwing { throw Failure.expected }
                return $0 + $1
            })
        left.onNext(1)
        right.onNext(1)
        #expect(transcript.text == "")
        #expect(!left.hasObservers && !right.hasObservers)
    }

    @Test("No stage below runs after a disposal in the selector") func stagesBelow() {
        let left = PublishSubject<Int>()
        let right = PublishSubject<Int>()
        let transcript = EventLog()
        var subscription: (any Disposable)?
        let sum = Observable<Int>.zip(left, right) {
            subscription?.dispose()
            return $0 + $1
        }
        subscription = transcript.observe(
            sum.map { sum in
                transcript.note("mapped")
                return sum
            })
        left.onNext(1)
        right.onNext(1)
        #expect(transcript.text == "")
    }

    @Test("A source that completes is released while the other goes on") func earlyCompletion() {
        let transcript = EventLog()
        let other = PublishSubject<Int>()
        let source = Observable<Int>.create { observer in
            observer.onNext(1)
            observer.onCompleted()
            return Disposables.create { transcript.note("disposed") }
        }
        let subscription = transcript.observe(Observable.zip(source, other) { $0 + $1 })
        #expect(transcript.text == "disposed")
        other.onNext(1)
        #expect(transcript.text == "disposed 2")
        subscription.dispose()
    }

    @Test("Events that an observer emits come after its callback") func reentrancy() {
        let left = PublishSubject<Int>()
        let right = PublishSubject<Int>()
        let transcript = EventLog()
        _ = Observable.zip(left, right) { $0 + $1 }.subscribe(
            onNext: { sum in
                transcript.note("<\(sum)")
                if sum < 6 {
                    left.onNext(sum)
                    right.onNext(1)
                } else {
                    left.onCompleted()
                    right.onCompleted()
                }
                transcript.note(">")
            }, onCompleted: { transcript.note("completed") })
        left.onNext(2)
        right.onNext(2)
        #expect(transcript.text == "<4 > <5 > <6 > completed")
    }

    @Test("Two synchronous sources of one element make one pair") func synchronous() {
        let transcript = EventLog()
        _ = transcript.observe(Observable.zip(Observable.just(1), Observable.just("a")) { "\($0)\($1)" })
        #expect(transcript.text == "1a completed")
    }

    @Test("A race of two emitters loses no pair") func emittersRace() {
        let count = 20_000
        for _ in 0..<5 {
            let left = PublishSubject<Int>()
            let right = PublishSubject<Int>()
            let detector = OverlapDetector()
            var matched = 0
            let completed = AtomicCounter(0)
            let subscription = Observable.zip(left, right) { $0 == $1 }.subscribe(
                onNext: { equal in
                    detector.enter()
                    if equal { matched += 1 }
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
            #expect(matched == count)
            #expect(!detector.overlapped)
            subscription.dispose()
        }
    }

    @Test("A race of two emitters and disposal ends both subscriptions") func disposalRace() {
        for _ in 0..<200 {
            let left = PublishSubject<Int>()
            let right = PublishSubject<Int>()
            let subscription = Observable.zip(left, right) { $0 + $1 }.subscribe(onNext: { _ in })
            race([
                { for number in 0..<50 { left.onNext(number) } },
                { for number in 0..<50 { right.onNext(number) } },
                { subscription.dispose() },
            ])
            #expect(!left.hasObservers && !right.hasObservers)
        }
    }
}

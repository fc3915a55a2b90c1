// SPDX-License-Identifier: Apache-2.0

import RxSwift

/// A step of a test that goes through all interleavings of two subjects.
package enum Step: CaseIterable, CustomStringConvertible {
    case next0, next1, completed0, completed1, error0

    package var description: String {
        switch self {
        case .next0: "a"
        case .next1: "b"
        case .completed0: "A"
        case .completed1: "B"
        case .error0: "!"
        }
    }

    /// All sequences of `length` steps in which no source sends an event after its terminal event.
    package static func sequences(ofLength length: Int) -> [[Step]] {
        if length == 0 { return [[]] }
        return sequences(ofLength: length - 1).flatMap { before in
            allCases.compactMap { step in
                let ended0 = before.contains(.completed0) || before.contains(.error0)
                let ended1 = before.contains(.completed1)
                switch step {
                case .next0, .completed0, .error0: return ended0 ? nil : before + [step]
                case .next1, .completed1: return ended1 ? nil : before + [step]
                }
            }
        }
    }

    /// Sends steps to two subjects: the first emits 1, 2..., the second 10, 20...
    package static func play(_ steps: [Step], _ first: PublishSubject<Int>, _ second: PublishSubject<Int>) {
        var number0 = 0
        var number1 = 0
        for step in steps {
            switch step {
            case .next0:
                number0 += 1
                first.onNext(number0)
            case .next1:
                number1 += 10
                second.onNext(number1)
            case .completed0: first.onCompleted()
            case .completed1: second.onCompleted()
            case .error0: first.onError(Failure.expected)
            }
        }
    }
}

/// Runs a test for all interleavings of two sources, and compares the transcript with that of a model.
///
/// - Parameter model: gets the steps, each `next` with its number, and returns the transcript.
package func forAllInterleavings(
    upTo length: Int = 6,
    of build: (PublishSubject<Int>, PublishSubject<Int>) -> Observable<Int>,
    model: ([(step: Step, number: Int)]) -> String,
    mismatch: (String, String, String) -> Void
) {
    for steps in (0...length).flatMap(Step.sequences(ofLength:)) {
        let first = PublishSubject<Int>()
        let second = PublishSubject<Int>()
        let transcript = EventLog()
        let subscription = transcript.observe(build(first, second))
        Step.play(steps, first, second)
        subscription.dispose()
        var count0 = 0
        var count1 = 0
        let numbered: [(step: Step, number: Int)] = steps.map { step in
            switch step {
            case .next0:
                count0 += 1
                return (step, count0)
            case .next1:
                count1 += 10
                return (step, count1)
            default: return (step, 0)
            }
        }
        let expected = model(numbered)
        if transcript.text != expected {
            mismatch(steps.map(\.description).joined(), transcript.text, expected)
        }
        if first.hasObservers || second.hasObservers {
            mismatch(steps.map(\.description).joined(), "still subscribed", "")
        }
    }
}

/// A step of a test of an operator that treats its two sources differently.
package struct Move {
    package enum Kind { case next, completed, error }
    package let kind: Kind
    /// True if the second source (the sampler, the trigger...) makes the move; false for the one the operator is called on.
    package let isOfOther: Bool
    package let number: Int
}

/// Runs a test for all interleavings of a source and another one, either of which may fail.
///
/// - Parameters:
///   - build: gets the source and the other source.
///   - model: gets the moves and returns the transcript.
package func forAllInterleavingsOfBothRoles(
    of build: (PublishSubject<Int>, PublishSubject<Int>) -> Observable<Int>,
    model: ([Move]) -> String,
    mismatch: (String, String, String) -> Void
) {
    for isSwapped in [false, true] {
        forAllInterleavings {
            isSwapped ? build($1, $0) : build($0, $1)
        } model: { steps in
            model(
                steps.map { step, number in
                    switch step {
                    case .next0: Move(kind: .next, isOfOther: isSwapped, number: number)
                    case .next1: Move(kind: .next, isOfOther: !isSwapped, number: number)
                    case .completed0: Move(kind: .completed, isOfOther: isSwapped, number: 0)
                    case .completed1: Move(kind: .completed, isOfOther: !isSwapped, number: 0)
                    case .error0: Move(kind: .error, isOfOther: isSwapped, number: 0)
                    }
                })
        } mismatch: { steps, text, expected in
            mismatch(steps + (isSwapped ? " (swapped)" : ""), text, expected)
        }
    }
}

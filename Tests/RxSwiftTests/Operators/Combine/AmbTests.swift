// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct AmbTests {
    @Test("The source that sends the first event wins") func picture() throws {
        try expectMarbles(
            source: "^--1-2-|",
            active: "^-!",
            second: "^-4---5-|",
            during: "^-------!",
            result: "^-4---5-|"
        ) { source, second, _ in source.amb(second) }
    }

    @Test("The first source to ask wins and cancels the others") func winner() {
        let links = [UpstreamLink(), UpstreamLink(), UpstreamLink()]
        let race = AmbRace(links: links)
        #expect(race.admits(1))
        #expect(!race.admits(0))
        #expect(!race.admits(2))
        #expect(race.admits(1))
        #expect(links.map(\.isCancelled) == [true, false, true])
    }

    @Test("A race of two sources to ask has one winner") func askingRace() {
        let races = (0..<50_000).map { _ in AmbRace(links: [UpstreamLink(), UpstreamLink()]) }
        let results = [Collected(), Collected()]
        race(
            (0..<2).map { index in
                { for race in races { results[index].values.append(race.admits(index)) } }
            })
        #expect(Swift.zip(results[0].values, results[1].values).allSatisfy { $0 != $1 })
    }

    private final class Collected: @unchecked Sendable {
        var values: [Bool] = []
    }

    static func model(_ steps: [(step: Step, number: Int)]) -> String {
        func index(_ step: Step) -> Int { step == .next1 || step == .completed1 ? 1 : 0 }
        guard let first = steps.first else { return "" }
        return steps.filter { index($0.step) == index(first.step) }.map { step, number in
            switch step {
            case .next0, .next1: "\(number)"
            case .completed0, .completed1: "completed"
            case .error0: "error(expected)"
            }
        }.joined(separator: " ")
    }

    @Test("The first source to send an event wins in all interleavings") func interleavings() {
        forAllInterleavings {
            $0.amb($1)
        } model: {
            Self.model($0)
        } mismatch: { steps, text, expected in
            Issue.record("\(steps): \(text), not \(expected)")
        }
    }

    @Test("The first source of a collection wins in all interleavings") func collection() {
        forAllInterleavings {
            Observable.amb([$0.asObservable(), $1.asObservable()])
        } model: {
            Self.model($0)
        } mismatch: { steps, text, expected in
            Issue.record("\(steps): \(text), not \(expected)")
        }
    }

    @Test("The first element ends the subscriptions to the other sources at once") func losers() {
        let subjects = (0..<3).map { _ in PublishSubject<Int>() }
        let transcript = EventLog()
        let subscription = transcript.observe(Observable.amb(subjects.map { $0.asObservable() }))
        subjects[1].onNext(1)
        #expect(subjects.map(\.hasObservers) == [false, true, false])
        subscription.dispose()
        #expect(!subjects[1].hasObservers)
    }

    @Test("The right source is subscribed to though the left one has ended") func endedLeft() {
        let transcript = EventLog()
        let right = Observable<Int>.create { observer in
            transcript.note("subscribed")
            observer.onNext(2)
            return Disposables.create { transcript.note("disposed") }
        }
        _ = transcript.observe(Observable.just(1).amb(right))
        #expect(transcript.text == "1 completed subscribed disposed")
    }

    @Test("Without sources the result is silent") func noSources() {
        let transcript = EventLog()
        let subscription = transcript.observe(Observable<Int>.amb([Observable<Int>]()))
        #expect(transcript.text == "")
        subscription.dispose()
    }

    @Test("A race of two emitters has one winner") func emittersRace() {
        for _ in 0..<500 {
            let left = PublishSubject<Int>()
            let right = PublishSubject<Int>()
            var received: [Int] = []
            let subscription = left.amb(right).subscribe(onNext: { received.append($0) })
            race([
                { for number in 0..<20 { left.onNext(number) } },
                { for number in 100..<120 { right.onNext(number) } },
            ])
            #expect(received == Array(0..<20) || received == Array(100..<120))
            #expect(left.hasObservers != right.hasObservers)
            subscription.dispose()
        }
    }
}

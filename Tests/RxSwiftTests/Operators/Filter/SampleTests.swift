import RxSwift
import TestSupport
import Testing

@Suite struct SampleTests {
    static func model(_ moves: [Move], defaultValue: Int? = nil) -> String {
        var latest: Int?
        var isAtEnd = false
        var lines: [String] = []
        for move in moves {
            switch (move.kind, move.isOfOther) {
            case (.next, false): latest = move.number
            case (.completed, false): isAtEnd = true
            case (.next, true), (.completed, true):
                if let element = latest ?? defaultValue { lines.append("\(element)") }
                latest = nil
                if isAtEnd { return (lines + ["completed"]).joined(separator: " ") }
            case (.error, _): return (lines + ["error(expected)"]).joined(separator: " ")
            }
        }
        return lines.joined(separator: " ")
    }

    @Test func isWhatAVariableIsInAllInterleavings() {
        forAllInterleavingsOfBothRoles {
            $0.sample($1)
        } model: {
            Self.model($0)
        } mismatch: { steps, text, expected in
            Issue.record("\(steps): \(text), not \(expected)")
        }
        forAllInterleavingsOfBothRoles {
            $0.sample($1, defaultValue: -1)
        } model: {
            Self.model($0, defaultValue: -1)
        } mismatch: { steps, text, expected in
            Issue.record("\(steps): \(text), not \(expected)")
        }
    }

    @Test func nothingFollowsADisposalByTheObserver() {
        let source = PublishSubject<Int>()
        let sampler = PublishSubject<Void>()
        let transcript = EventLog()
        var subscription: (any Disposable)?
        subscription = source.sample(sampler).subscribe(
            onNext: {
                transcript.note("\($0)")
                subscription?.dispose()
            }, onCompleted: { transcript.note("completed") })
        source.onNext(1)
        source.onCompleted()
        sampler.onNext(())
        #expect(transcript.text == "1")
        #expect(!sampler.hasObservers)
    }

    @Test func aRaceWithTheSamplerSendsNothingTwice() {
        let count = 20_000
        let source = PublishSubject<Int>()
        let sampler = PublishSubject<Int>()
        let detector = OverlapDetector()
        var last = -1
        var isRising = true
        var completed = 0
        let subscription = source.sample(sampler).subscribe(
            onNext: { element in
                detector.enter()
                if element <= last { isRising = false }
                last = element
                detector.leave()
            }, onCompleted: { completed += 1 })
        race([
            {
                for number in 0..<count { source.onNext(number) }
                source.onCompleted()
            },
            { for number in 0..<count { sampler.onNext(number) } },
        ])
        sampler.onNext(0)
        #expect(last == count - 1)
        #expect(isRising)
        #expect(completed == 1)
        #expect(!detector.overlapped)
        subscription.dispose()
    }
}

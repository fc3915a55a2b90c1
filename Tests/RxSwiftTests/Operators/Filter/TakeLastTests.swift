// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct TakeLastTests {
    @Test("The last elements come at the end", arguments: [0, 1, 2, 3, 5, 9, 10, 11, 1000])
    func count(count: Int) {
        let subject = PublishSubject<Int>()
        let log = EventLog(subject.takeLast(count))
        for element in 0..<10 { subject.onNext(element) }
        #expect(log.lines == [])
        subject.onCompleted()
        #expect(log.lines == (0..<10).suffix(count).map { "\($0)" } + ["completed"])
    }

    @Test("An error drops the elements") func error() {
        #expect(events(of: sequence(1, 2, error: .expected).takeLast(2)) == ["error(expected)"])
    }

    @Test("Disposal at the end stops the elements") func disposal() {
        let subject = PublishSubject<Int>()
        let log = EventLog { dispose in
            subject.takeLast(3).do(afterNext: { if $0 == 2 { dispose() } })
        }
        for element in 1...3 { subject.onNext(element) }
        subject.onCompleted()
        #expect(log.lines == ["1", "2"])
        #expect(events(of: sequence(1, 2, 3).takeLast(3).take(1)) == ["1", "completed"])
    }

    @Test("Displaced elements and those of a disposed subscription are released") func release() {
        weak var overwritten: ReleaseToken?
        weak var kept: ReleaseToken?
        let subject = PublishSubject<ReleaseToken>()
        let subscription = subject.takeLast(1).subscribe()
        do {
            let tokens = [ReleaseToken(), ReleaseToken()]
            overwritten = tokens[0]
            kept = tokens[1]
            tokens.forEach(subject.onNext)
        }
        #expect(overwritten == nil && kept != nil)
        subscription.dispose()
        #expect(kept == nil)
    }
}

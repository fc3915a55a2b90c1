// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct AsyncSubjectTests {
    @Test("The last element arrives with the completion") func lastElement() {
        let subject = AsyncSubject<Int>()
        let log = EventLog()
        _ = log.observe(subject, "a ")
        _ = log.observe(subject, "b ")
        #expect(subject.hasObservers)
        subject.onNext(1)
        subject.onNext(2)
        #expect(log.lines == [])
        subject.onCompleted()
        subject.onNext(3)
        #expect(!subject.hasObservers)
        _ = log.observe(subject, "c ")
        #expect(log.lines == ["a 2", "b 2", "a completed", "b completed", "c 2", "c completed"])
    }

    @Test("Without an element only the completion arrives") func noElement() {
        let subject = AsyncSubject<Int>()
        let log = EventLog()
        _ = log.observe(subject)
        subject.onCompleted()
        _ = log.observe(subject)
        #expect(log.lines == ["completed", "completed"])
    }

    @Test("An error arrives without an element") func error() {
        let subject = AsyncSubject<Int>()
        let log = EventLog()
        _ = log.observe(subject)
        subject.onNext(1)
        subject.onError(NumberedFailure(1))
        _ = log.observe(subject)
        #expect(log.lines == ["error(1)", "error(1)"])
    }

    @Test("A completion may race with subscribers and elements") func completionRace() {
        for _ in 0..<300 {
            let subject = AsyncSubject<Int>()
            let log = EventLog()
            let late = EventLog()
            subject.onNext(0)
            _ = log.observe(subject)
            race(
                { subject.onNext(1) }, { subject.onCompleted() },
                { _ = late.observe(subject) })
            #expect(log.lines == late.lines)
            #expect(log.lines == ["0", "completed"] || log.lines == ["1", "completed"])
        }
    }

    @Test("The subject releases its observers and its element") func release() {
        weak var token: ReleaseToken?
        var subject: AsyncSubject<ReleaseToken>? = AsyncSubject()
        var released = false
        do {
            let strong = ReleaseToken()
            token = strong
            _ = subject!.subscribe(onNext: { _ in _ = strong })
            subject!.onNext(ReleaseToken(onRelease: { released = true }))
        }
        subject = nil
        #expect(token == nil)
        #expect(released)
    }
}

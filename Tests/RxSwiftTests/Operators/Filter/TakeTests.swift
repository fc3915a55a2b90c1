// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct TakeTests {
    @Test("The result completes with the last element") func count() {
        let subject = PublishSubject<Int>()
        let log = EventLog(subject.take(2))
        subject.onNext(1)
        #expect(subject.hasObservers)
        subject.onNext(2)
        #expect(!subject.hasObservers)
        subject.onNext(3)
        #expect(log.lines == ["1", "2", "completed"])
    }

    @Test("A count of zero completes without a subscription to the source") func zero() {
        var subscriptions = 0
        let source = Observable<Int>.deferred {
            subscriptions += 1
            return .never()
        }
        #expect(events(of: source.take(0)) == ["completed"])
        #expect(subscriptions == 0)
    }

    @Test("An earlier end of the source comes through") func earlierEnd() {
        #expect(events(of: sequence(1).take(2)) == ["1", "completed"])
        #expect(events(of: sequence(1, error: .expected).take(2)) == ["1", "error(expected)"])
    }

    @Test("A synchronous source is cut off") func synchronous() {
        #expect(events(of: sequence(1, 2, 3, error: .expected).take(2)) == ["1", "2", "completed"])
    }

    @Test("Disposal at the last element drops the completion") func disposal() {
        let subject = PublishSubject<Int>()
        let log = EventLog { dispose in subject.take(1).do(afterNext: { _ in dispose() }) }
        subject.onNext(1)
        #expect(log.lines == ["1"])
    }

    @Test("Elements that the observer emits count") func reentrancy() {
        let subject = PublishSubject<Int>()
        let log = EventLog(subject.take(2).do(onNext: { subject.onNext($0 + 1) }))
        subject.onNext(1)
        #expect(log.lines == ["1", "2", "completed"])
    }

    @Test("A negative count stops with a message, in optimized builds, too") func negativeCount() async throws {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Observable<Int>.never().take(-1)
        }
        let message = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(message.contains("take(_:): the count must not be negative, is -1"))
    }
}

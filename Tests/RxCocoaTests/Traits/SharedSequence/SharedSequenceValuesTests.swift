// SPDX-License-Identifier: Apache-2.0

import RxCocoa
import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct SharedSequenceValuesTests {
    @MainActor @Test("values iterates the elements in order") func order() async {
        let subject = PublishSubject<Int>()
        let stream = Driver<Int>(raw: subject.asObservable()).values
        #expect(subject.hasObservers)
        (1...3).forEach(subject.onNext)
        subject.onCompleted()
        var seen: [Int] = []
        for await element in stream { seen.append(element) }
        #expect(seen == [1, 2, 3])
    }

    @MainActor @Test("Cancelling the task ends the subscription") func cancellation() async {
        let subject = PublishSubject<Int>()
        let stream = Driver<Int>(raw: subject.asObservable()).values
        let task = Task { for await _ in stream {} }
        task.cancel()
        await task.value
        #expect(!subject.hasObservers)
    }

    @MainActor @Test("The release of the stream ends the subscription") func releasedStream() {
        let subject = PublishSubject<Int>()
        _ = Driver<Int>(raw: subject.asObservable()).values
        #expect(!subject.hasObservers)
    }

    @MainActor @Test("values(buffering:) keeps the newest element only, if told to") func latest() async {
        let subject = PublishSubject<Int>()
        let values = Driver<Int>(raw: subject.asObservable()).values(buffering: .latest)
        (1...3).forEach(subject.onNext)
        subject.onCompleted()
        var seen: [Int] = []
        for await element in values { seen.append(element) }
        #expect(seen == [3])
    }
}

// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct MulticastSelectorTests {
    private typealias PublishedInts = Observable<Int>

    @Test("The selector's sequence shares one subscription to the source") func oneSubscription() {
        let subject = PublishSubject<Int>()
        let log = EventLog()
        var subscriptions = 0
        let source = Observable<Int>.create { observer in
            subscriptions += 1
            return subject.subscribe(observer)
        }
        let subscription = log.observe(
            source.multicast(
                { PublishSubject<Int>() },
                selector: { shared in
                    Observable.merge(shared.map { $0 * 10 }, shared.filter { $0 > 1 })
                }))
        subject.onNext(1)
        subject.onNext(2)
        #expect(log.lines == ["10", "20", "2"])
        #expect(subscriptions == 1)
        subscription.dispose()
        #expect(!subject.hasObservers)
    }

    @Test("The selector's sequence ends with its source or with a thrown error") func end() {
        let log = EventLog()
        _ = log.observe(Observable.just(1).multicast({ PublishSubject<Int>() }, selector: { $0 }))
        _ = log.observe(
            Observable.just(1).multicast(
                { () -> PublishSubject<Int> in throw NumberedFailure(1) },
                selector: { (shared: PublishedInts) in shared }))
        _ = log.observe(
            Observable.just(1).multicast(
                { PublishSubject<Int>() }, selector: { _ -> PublishedInts in throw NumberedFailure(2) }))
        #expect(log.lines == ["1", "completed", "error(1)", "error(2)"])
    }

    @Test("A thrown error ends the result only once when the end disposes of it") func throwingDisposal() {
        var completions = 0
        let failed = Observable.just(1).multicast(
            { () -> PublishSubject<Int> in throw Failure.expected }, selector: { (shared: PublishedInts) in shared })
        let ends = failed.materialize().do(onCompleted: { completions += 1 })
        #expect(events(of: ends.take(1)) == ["next(error(expected))", "completed"])
        #expect(completions == 0)
    }

    @Test("The end of the selector's sequence cancels the source at once") func earlyEnd() {
        let log = EventLog()
        var sent: [Int] = []
        let source = Observable<Int>.create { observer in
            for number in 1...3 { observer.onNext(number) }
            return Disposables.create()
        }.do(onNext: { sent.append($0) })
        _ = log.observe(source.multicast({ PublishSubject<Int>() }, selector: { $0.take(1) }))
        #expect(log.lines == ["1", "completed"])
        #expect(sent == [1])
    }
}

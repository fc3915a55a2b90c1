// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

/// Laws L1 and L11: the steps above an operator after the end of the subscription below it.
@Suite struct BehindTheEndTests {
    private let log = EventLog()

    private func watched(_ name: String, _ source: Observable<Int>) -> Observable<Int> {
        let log = log
        return source.do(
            onSubscribe: { log.note("subscribe \(name)") }, onDispose: { log.note("dispose \(name)") })
    }

    @Test("merge subscribes to the remaining sources after the end") func remainingSources() {
        _ = log.observe(Observable.merge(.just(1), watched("a", .never()), watched("b", .just(2))).take(1))
        #expect(log.text == "1 completed subscribe a dispose a subscribe b dispose b")
    }

    /// RxSwift does not subscribe to it either.
    @Test("merge subscribes to no further source after a failure") func sourcesAfterFailure() {
        _ = log.observe(
            Observable.merge(.just(1), .error(NumberedFailure(1)), watched("a", .never())))
        #expect(log.text == "1 error(1)")
    }

    @Test("merge ends an endless source that it subscribes to after the end") func endlessSource() {
        _ = log.observe(Observable.merge(.just(1), .repeatElement(2), watched("a", .repeatElement(3))).take(1))
        #expect(log.text == "1 completed subscribe a dispose a")
    }

    /// `reduce` completes behind its element, at which `take` has ended the sequence. RxSwift disposes of the group there.
    @Test("An operator above an end does not end on its own") func operatorAboveEnd() {
        let log = log
        let groups = Observable.just(0).groupBy { $0 }
        let sums = groups.flatMap { group in
            let watched = group.do(afterCompleted: { log.note("after") }, onDispose: { log.note("dispose") })
            return watched.reduce(0, accumulator: +)
        }
        _ = log.observe(sums.take(1))
        #expect(log.text == "0 completed after dispose")
    }

    @Test("retry(when:) disposes of its notifier after the closures of the do above it") func notifierDisposal() {
        let log = log
        let notifier = watched("notifier", .of()).do(afterCompleted: { log.note("after") })
        _ = log.observe(Observable<Int>.never().retry(when: { (_: Observable<any Error>) in notifier }))
        #expect(log.text == "subscribe notifier after dispose notifier")
    }

    /// The sources of the operator are disposed of when the outer one has been subscribed to, and `do` runs what it has before.
    @Test(
        "A failing inner source is disposed of after the closures of the do above it", arguments: ["merge", "concat"])
    func failedInnerSource(flattening: String) {
        let log = log
        let failing = Observable<Int>.create { observer in
            observer.onNext(0)
            observer.onError(NumberedFailure(1))
            return Disposables.create()
        }
        let groups = failing.groupBy { $0 }.map { [self] group in
            watched("group", group.asObservable()).do(afterError: { _ in log.note("after") })
        }
        _ = log.observe(flattening == "merge" ? groups.merge() : groups.concat())
        #expect(log.text == "subscribe group 0 error(1) after dispose group")
    }
}

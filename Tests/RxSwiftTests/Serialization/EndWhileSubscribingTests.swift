// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

/// Law L11 for an operator that ends while it is subscribing to its sources.
@Suite struct EndWhileSubscribingTests {
    private let log = EventLog()

    /// Logs the end of a subscription: `name`, `name after`, `name dispose`.
    private func watched(_ name: String, _ source: Observable<Int>) -> Observable<Int> {
        let log = log
        return source.do(
            onError: { _ in log.note(name) }, afterError: { _ in log.note("\(name) after") },
            onCompleted: { log.note(name) }, afterCompleted: { log.note("\(name) after") },
            onDispose: { log.note("\(name) dispose") })
    }

    private func created(_ name: String) -> Observable<Int> {
        let log = log
        return .create { _ in Disposables.create { log.note("\(name) dispose") } }
    }

    @Test("An operator that ends while subscribing keeps its sources until all are subscribed")
    func endWhileSubscribing() {
        let shared = Observable<Int>.never().do(
            onSubscribe: { [log] in log.note("subscribe") }, onDispose: { [log] in log.note("dispose") }
        ).share()
        _ = log.observe(
            Observable.combineLatest(shared, Observable<Int>.error(NumberedFailure(1)), shared) { $0 + $1 + $2 })
        #expect(log.text == "subscribe error(1) dispose")
    }

    @Test(
        "A merge that fails while subscribing disposes of its sources when all are subscribed",
        arguments: [true, false])
    func mergeWhileSubscribing(isFlatMap: Bool) {
        let sources = [watched("a", .never()), watched("b", .error(NumberedFailure(1)))]
        _ = log.observe(isFlatMap ? Observable.from(sources).flatMap { $0 } : Observable.merge(sources))
        // The outer source of `flatMap` sends its elements when it has been subscribed to.
        let order = isFlatMap ? "a dispose b after b dispose" : "b after b dispose a dispose"
        #expect(log.text == "b error(1) " + order)
    }

    @Test("using disposes of its resource after its sequence was subscribed to") func usingOrder() {
        struct Resource: Disposable {
            let log: EventLog
            func dispose() { log.note("dispose") }
        }
        let log = log
        let source = Observable.using(
            { Resource(log: log) },
            observableFactory: { _ in
                log.note("made")
                return Observable.just(1).do(onSubscribed: { log.note("subscribed") })
            })
        _ = log.observe(source)
        _ = log.observe(Observable.zip(Observable<Int>.error(NumberedFailure(1)), source) { $0 + $1 })
        #expect(log.text == "made 1 completed subscribed dispose error(1) made subscribed dispose")
    }

    @Test("retry(when:) disposes of its notifier after its source was subscribed to") func notifierOrder() {
        let log = log
        let source = Observable.just(1).do(onSubscribed: { log.note("subscribed") })
        _ = log.observe(source.retry(when: { [watched] (_: Observable<any Error>) in watched("a", .never()) }))
        #expect(log.text == "1 completed subscribed a dispose")
    }

    @Test("combineLatest subscribes to a later source although it has ended") func lateSource() {
        let log = log
        let source = Observable<Int>.never().do(onSubscribe: { log.note("subscribe") })
        _ = log.observe(
            Observable.combineLatest(Observable<Int>.error(NumberedFailure(1)), source.concat(source)) { $0 + $1 })
        #expect(log.text == "error(1) subscribe")
    }

    /// Law L1: a source whose cancellation waits for the end of subscribing is quiet until then.
    @Test("No closure runs above a source whose cancellation is deferred") func quietSource() {
        let log = log
        let (left, outer) = (PublishSubject<Int>(), PublishSubject<Int>())
        let sending = Observable<Int>.create { observer in
            observer.onNext(1)
            left.onNext(2)
            return Disposables.create()
        }
        let mapped = left.map { element -> Int in
            log.note("map \(element)")
            return element
        }
        _ = log.observe(Observable.combineLatest(mapped.startWith(0), sending) { $0 + $1 }.take(1))
        let inners = Observable<Observable<Int>>.create { observer in
            observer.onNext(mapped)
            observer.onNext(.just(3))
            left.onNext(4)
            return Disposables.create()
        }
        _ = log.observe(inners.merge().take(1).concat(outer.take(1)))
        _ = log.observe(inners.merge(maxConcurrent: 2).take(1))
        #expect(log.text == "1 completed 3 3 completed")
    }

    // MARK: Known differences

    @Test("A source subscribed to after the end is disposed of at once") func disposedAtOnce() {
        let log = log
        let other = created("b").do(onSubscribed: { log.note("b subscribed") })
        _ = log.observe(
            Observable.combineLatest(Observable<Int>.error(NumberedFailure(1)), other, created("c")) {
                $0 + $1 + $2
            })
        #expect(log.text == "error(1) b dispose b subscribed c dispose")
    }

    @Test("Sources subscribed to after the end share no connection") func unsharedSources() {
        let shared = Observable<Int>.never().do(onSubscribe: { [log] in log.note("subscribe") }).share()
        _ = log.observe(
            Observable.combineLatest(Observable<Int>.error(NumberedFailure(1)), shared, shared) { $0 + $1 + $2 })
        #expect(log.text == "error(1) subscribe subscribe")
    }

    @Test("A source is cancelled while a scheduler subscribes to it") func cancelOnScheduler() {
        let log = log
        let source = Observable<Int>.create { observer in
            observer.onNext(1)
            observer.onNext(0)
            return Disposables.create { log.note("dispose") }
        }
        let scheduled = source.subscribe(on: CurrentThreadScheduler.instance).take(1)
        _ = log.observe(Observable.merge(scheduled, Observable.of(2, 3)))
        #expect(log.text == "1 dispose 2 3 completed")
    }
}

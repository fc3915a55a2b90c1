// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxSwift
import TestSupport
import Testing

/// Law L11: disposals stand among events, closure calls and subscriptions as in RxSwift, except for the lines of
/// KnownDifferences.md.
@Suite struct DisposalOrderTests {
    private let log = EventLog()

    /// Logs the end of a subscription: `name`, `name after`, `name dispose`.
    private func watched(_ name: String, _ source: Observable<Int>) -> Observable<Int> {
        let log = log
        return source.do(
            onError: { _ in log.note(name) }, afterError: { _ in log.note("\(name) after") },
            onCompleted: { log.note(name) }, afterCompleted: { log.note("\(name) after") },
            onDispose: { log.note("\(name) dispose") })
    }

    // MARK: Right above the program's own observer

    @Test("The closures of the lowest do run before the disposal of the source") func lowestDo() {
        let source = PublishSubject<Int>()
        _ = log.observe(watched("a", source))
        source.onCompleted()
        #expect(log.text == "a completed a after a dispose")
    }

    @Test("A dispose within the terminal event tears down before it returns", arguments: [true, false])
    func teardownWithinTerminal(fails: Bool) {
        let notes = EventLog()
        let subject = PublishSubject<Int>()
        let disposable = SerialDisposable()
        let source = Observable<Int>.create { observer in
            let inner = subject.subscribe(observer)
            return Disposables.create {
                notes.note("teardown")
                inner.dispose()
            }
        }
        let end: @Sendable () -> Void = {
            notes.note("end")
            disposable.dispose()
            notes.note("behind dispose")
        }
        disposable.disposable = source.subscribe(
            onError: { _ in end() }, onCompleted: end, onDisposed: { notes.note("disposed") })
        if fails { subject.onError(RxError.unknown) } else { subject.onCompleted() }
        #expect(notes.lines == ["end", "teardown", "disposed", "behind dispose"])
    }

    /// The fault: a test that waited for the end, and then disposed, looked before the teardown.
    @Test(
        "A dispose on another thread, within the terminal event, tears down before it returns",
        arguments: [true, false])
    func teardownFromOutside(fails: Bool) async {
        let chains: [(Observable<Int>) -> Observable<Int>] = [
            { $0 }, { $0.map { $0 } }, { $0.take(2) }, { Observable.merge($0, .empty()) }, { $0.do(onNext: { _ in }) },
            { $0.asSingle().asObservable() }, { $0.concat(Observable.empty()) },
        ]
        for chain in chains {
            let (isTornDown, disposals) = (AtomicCounter(0), AtomicCounter(0))
            let (entered, left) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let begin = DispatchSemaphore(value: 0)
            let source = Observable<Int>.create { observer in
                Thread.detachNewThread {
                    // A thread that is still subscribing might deliver the event itself.
                    begin.wait()
                    observer.onNext(1)
                    if fails { observer.onError(RxError.unknown) } else { observer.onCompleted() }
                    left.signal()
                }
                return Disposables.create { isTornDown.increment() }
            }
            let inside = DispatchSemaphore(value: 0)
            let end: @Sendable () -> Void = {
                entered.signal()
                inside.wait()
            }
            let subscription = chain(source).subscribe(
                onError: { _ in end() }, onCompleted: end, onDisposed: { disposals.increment() })
            begin.signal()
            entered.wait()
            subscription.dispose()
            #expect(isTornDown.value == 1)
            #expect(disposals.value == 1)
            inside.signal()
            left.wait()
            #expect(isTornDown.value == 1)
            #expect(disposals.value == 1)
        }
    }

    @Test("An operator without a stage counts as the lowest operator") func stagelessOperator() {
        let source = PublishSubject<Int>()
        let a = watched("a", source)
        _ = log.observe(Observable.deferred { a })
        source.onCompleted()
        #expect(log.text == "a completed a dispose a after")
    }

    @Test("The lower of two dos disposes of the upper one") func twoDos() {
        let source = PublishSubject<Int>()
        _ = log.observe(watched("b", watched("a", source)))
        source.onError(NumberedFailure(1))
        #expect(log.text == "a b error(1) b after a dispose b dispose a after")
    }

    @Test("startWith does not count as an operator above the observer") func startWith() {
        let source = PublishSubject<Int>()
        _ = log.observe(watched("a", source).startWith(0))
        source.onCompleted()
        #expect(log.text == "0 a completed a after a dispose")
    }

    @Test("onDisposed precedes the after-closures of the do above") func onDisposed() {
        let source = PublishSubject<Int>()
        _ = watched("a", source).subscribe(onCompleted: { log.note("completed") }, onDisposed: { log.note("disposed") })
        source.onCompleted()
        #expect(log.text == "a completed disposed a after a dispose")
    }

    // MARK: A source that ends

    @Test("zip and combineLatest dispose of a source before they end with it") func zipAndCombineLatest() {
        let source = PublishSubject<Int>()
        _ = log.observe(Observable.zip(watched("a", source), Observable.just(1)) { $0 + $1 })
        _ = log.observe(Observable.combineLatest(watched("b", source), Observable.just(1)) { $0 + $1 })
        source.onError(NumberedFailure(1))
        #expect(log.text == "a a dispose error(1) a after b b dispose error(1) b after")
    }

    @Test("zip of a collection disposes of a source after the end") func collectionForms() {
        let source = PublishSubject<Int>()
        _ = log.observe(Observable.zip([watched("a", source)]) { $0[0] })
        source.onCompleted()
        #expect(log.text == "a completed a dispose a after")
    }

    @Test("switchLatest disposes of a source before it ends with it") func switchLatest() {
        let source = PublishSubject<Int>()
        _ = log.observe(Observable.just(1).flatMapLatest { [watched] _ in watched("a", source) })
        source.onCompleted()
        #expect(log.text == "a a dispose completed a after")
    }

    @Test("sample disposes of its sampler after the closures of a do") func sampler() {
        let sampler = PublishSubject<Int>()
        let above = watched("b", sampler).do(
            onCompleted: { [log] in log.note("a") }, afterCompleted: { [log] in log.note("a after") })
        _ = log.observe(Observable<Int>.never().sample(above))
        sampler.onCompleted()
        #expect(log.text == "b a a after b dispose b after")
    }

    @Test("concat disposes of its last source after the end") func concatLastSource() {
        let (first, last) = (PublishSubject<Int>(), PublishSubject<Int>())
        _ = log.observe(watched("a", first).concat(watched("b", last)))
        first.onCompleted()
        last.onCompleted()
        #expect(log.text == "a a dispose a after b completed b dispose b after")
    }

    @Test("concat disposes of a source before it makes a deferred one") func concatDeferred() {
        let first = PublishSubject<Int>()
        let log = log
        _ = log.observe(
            watched("a", first).concat(
                Observable.deferred {
                    log.note("made")
                    return .empty()
                }))
        first.onCompleted()
        #expect(log.text == "a a dispose made completed a after")
    }

    @Test("andThen subscribes to the second source before it disposes of the first") func andThenOrder() {
        let first = PublishSubject<Int>()
        let second = watched("b", Observable.never()).do(onSubscribe: { [log] in log.note("b subscribe") })
        let subscription = log.observe(watched("a", first).ignoreElements().asCompletable().andThen(second))
        first.onCompleted()
        subscription.dispose()
        #expect(log.text == "a b subscribe a dispose a after b dispose")
    }

    /// The failed source is still subscribed to when its replacement ends at once.
    @Test("catch disposes of the failed source when the next one ends") func catchOrder() {
        let source = PublishSubject<Int>()
        _ = log.observe(watched("a", source).catch { [watched] _ in watched("b", .empty()) })
        source.onError(NumberedFailure(1))
        #expect(log.text == "a b completed a dispose b after b dispose a after")
    }

    @Test("refCount disposes of its connection before its subscribers complete") func connectionOrder() {
        let source = PublishSubject<Int>()
        _ = log.observe(watched("a", source).publish().refCount())
        source.onCompleted()
        #expect(log.text == "a a dispose completed a after")
    }

    @Test("A connection that ends while connecting is disposed of after the end") func connectionAtOnce() {
        let connectable = watched("a", Observable.of(1)).publish()
        _ = log.observe(connectable)
        _ = connectable.connect()
        #expect(log.text == "1 a completed a after a dispose")
    }

    @Test("retry(when:) disposes of its notifier after the end") func retryNotifier() {
        let source = PublishSubject<Int>()
        let notifier = PublishSubject<Int>()
        _ = log.observe(source.retry(when: { [watched] (_: Observable<any Error>) in watched("a", notifier) }))
        source.onError(NumberedFailure(1))
        notifier.onCompleted()
        #expect(log.text == "a completed a dispose a after")
    }

    @Test("throttle disposes of its source before it delivers the delayed end") func throttleOrder() {
        let scheduler = ticks()
        let source = PublishSubject<Int>()
        _ = log.observe(watched("a", source).throttle(.seconds(10), scheduler: scheduler))
        source.onNext(1)
        source.onNext(2)
        source.onCompleted()
        scheduler.start()
        #expect(log.text == "1 a a after a dispose 2 completed")
    }

    @Test("subscribe(on:) disposes of a source before its end on an immediate scheduler") func subscribeOnOrder() {
        let source = PublishSubject<Int>()
        let scheduled = watched("a", source).subscribe(on: CurrentThreadScheduler.instance)
        _ = log.observe(Observable.zip(scheduled, Observable.just(1)) { $0 + $1 })
        source.onCompleted()
        #expect(log.text == "a a dispose completed a after")
    }

    // MARK: A source that ends inside its own subscription

    @Test("flatMap disposes of an immediate inner source after its end") func innerSource() {
        let source = PublishSubject<Int>()
        _ = log.observe(source.flatMapLatest { [watched] _ in watched("a", .of(1)) })
        _ = log.observe(source.flatMap { [watched] _ in watched("b", .of(2)) })
        source.onNext(0)
        #expect(log.text == "1 a a after a dispose 2 b b after b dispose")
    }

    @Test("catch(sequence:) disposes of its last source after its end") func catchLastSource() {
        let source = PublishSubject<Int>()
        let last = watched("a", .of(1))
        _ = log.observe(Observable.catch(sequence: [source, Observable.deferred { last }]).map { $0 })
        source.onError(NumberedFailure(1))
        #expect(log.text == "1 a completed a dispose a after")
    }

    @Test("timeout disposes of its other source after its end", arguments: [true, false])
    func timeoutOther(isDeferred: Bool) {
        let scheduler = ticks()
        let other = isDeferred ? deferred("a", .of(1)) : watched("a", .of(1))
        let source = Observable<Int>.never().timeout(.seconds(1), other: other, scheduler: scheduler)
        _ = log.observe(Observable.merge(.empty(), source))
        scheduler.start()
        #expect(log.text == "1 a completed " + (isDeferred ? "a dispose a after" : "a after a dispose"))
    }

    /// `watched`, below which stands an operator without a stage.
    private func deferred(_ name: String, _ source: Observable<Int>) -> Observable<Int> {
        let watched = watched(name, source)
        return .deferred { watched }
    }

    private func failing() -> Observable<Int> { Observable.of(1).map { _ in throw NumberedFailure(1) } }

    @Test("delaySubscription disposes of its source after its end") func delayedSubscription() {
        let scheduler = ticks()
        let source = deferred("a", .of()).delaySubscription(.seconds(1), scheduler: scheduler)
        _ = log.observe(Observable.concat([source, .empty()]))
        scheduler.start()
        #expect(log.text == "a completed a dispose a after")
    }

    @Test("A merge disposes of a failing source after its end", arguments: [true, false])
    func mergedFailure(isLimited: Bool) {
        let outer = PublishSubject<Int>()
        let inner = deferred("b", failing())
        _ = log.observe(deferred("a", isLimited ? outer.concatMap { _ in inner } : outer.flatMap { _ in inner }))
        outer.onNext(0)
        #expect(log.text == "b a error(1) a dispose a after b dispose b after")
    }

    @Test("A limited merge disposes of a source after its end") func limitedMerge() {
        let outer = PublishSubject<Int>()
        let inner = deferred("b", .of()).do(
            onCompleted: { [log] in log.note("a") }, afterCompleted: { [log] in log.note("a after") })
        _ = log.observe(outer.concatMap { _ in inner })
        outer.onNext(0)
        #expect(log.text == "b a a after b dispose b after")
    }

    @Test("andThen disposes of its second source after its end") func andThenSecond() {
        let first = PublishSubject<Int>()
        let second = deferred("b", .of())
        _ = log.observe(deferred("a", first.ignoreElements().asCompletable().andThen(second)))
        first.onCompleted()
        #expect(log.text == "b a completed a dispose a after b dispose b after")
    }

    @Test("ifEmpty disposes of its other source after the closures of a do") func ifEmptyOther() {
        let first = PublishSubject<Int>()
        let other = deferred("b", .of()).do(
            onCompleted: { [log] in log.note("a") }, afterCompleted: { [log] in log.note("a after") })
        _ = log.observe(first.ifEmpty(switchTo: other))
        first.onCompleted()
        #expect(log.text == "b a completed a after b dispose b after")
    }

    @Test("ifEmpty disposes of an empty source after the closures of a do") func ifEmptySource() {
        let source = PublishSubject<Int>()
        let above = deferred("b", source).do(
            onCompleted: { [log] in log.note("a") }, afterCompleted: { [log] in log.note("a after") })
        _ = log.observe(above.ifEmpty(switchTo: .never()))
        source.onCompleted()
        #expect(log.text == "b a a after b dispose b after")
    }

    @Test("retry(when:) disposes of a failed source after the notifier has answered") func retriedSource() {
        let outer = PublishSubject<Int>()
        let inner = deferred("a", failing())
        let failing = outer.flatMap { _ in inner }
        _ = log.observe(failing.retry(when: { (_: Observable<any Error>) in Observable<Int>.empty() }))
        outer.onNext(0)
        #expect(log.text == "a completed a dispose a after")
    }

    @Test("multicast disposes of a selected sequence after the closures of a do") func multicastSelector() {
        let log = log
        _ = log.observe(
            Observable<Int>.empty().multicast({ PublishSubject<Int>() }) { [watched] source in
                let watched = watched("b", source)
                return Observable.deferred { watched }.do(
                    onCompleted: { log.note("a") }, afterCompleted: { log.note("a after") })
            })
        #expect(log.text == "b a completed a after b dispose b after")
    }

    /// Concatenation looks through a deferred source in the last place; the order is as if it did not.
    @Test("concat disposes of a deferred last source before the closures of the do above it")
    func concatLastDeferred() {
        let first = PublishSubject<Int>()
        _ = log.observe(first.concat(deferred("a", failing())))
        first.onCompleted()
        #expect(log.text == "a error(1) a dispose a after")
    }
}

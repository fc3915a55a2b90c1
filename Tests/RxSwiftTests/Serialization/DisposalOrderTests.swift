import RxSwift
import TestSupport
import Testing

/// Law L11: the place of disposals among events, closure calls and subscriptions is RxSwift's, but for what KnownDifferences.md tells.
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

    private func created(_ name: String) -> Observable<Int> {
        let log = log
        return .create { _ in Disposables.create { log.note("\(name) dispose") } }
    }

    // MARK: Right above the program's own observer

    @Test func aSourceIsDisposedOfBehindTheClosuresOfTheLowestDo() {
        let source = PublishSubject<Int>()
        _ = log.observe(watched("a", source))
        source.onCompleted()
        #expect(log.text == "a completed a after a dispose")
    }

    @Test func anOperatorWithoutAStageOfItsOwnIsTheLowest() {
        let source = PublishSubject<Int>()
        let a = watched("a", source)
        _ = log.observe(Observable.deferred { a })
        source.onCompleted()
        #expect(log.text == "a completed a dispose a after")
    }

    @Test func theLowerOfTwoDosDisposesOfTheUpperOne() {
        let source = PublishSubject<Int>()
        _ = log.observe(watched("b", watched("a", source)))
        source.onError(NumberedFailure(1))
        #expect(log.text == "a b error(1) b after a dispose b dispose a after")
    }

    @Test func startWithIsNoOperatorForThat() {
        let source = PublishSubject<Int>()
        _ = log.observe(watched("a", source).startWith(0))
        source.onCompleted()
        #expect(log.text == "0 a completed a after a dispose")
    }

    @Test func onDisposedComesBeforeTheClosuresBehindTheEvent() {
        let source = PublishSubject<Int>()
        _ = watched("a", source).subscribe(onCompleted: { log.note("completed") }, onDisposed: { log.note("disposed") })
        source.onCompleted()
        #expect(log.text == "a completed disposed a after a dispose")
    }

    // MARK: A source that ends

    @Test func zipAndCombineLatestDisposeOfASourceBeforeTheyEndWithIt() {
        let source = PublishSubject<Int>()
        _ = log.observe(Observable.zip(watched("a", source), Observable.just(1)) { $0 + $1 })
        _ = log.observe(Observable.combineLatest(watched("b", source), Observable.just(1)) { $0 + $1 })
        source.onError(NumberedFailure(1))
        #expect(log.text == "a a dispose error(1) a after b b dispose error(1) b after")
    }

    @Test func theirFormsForCollectionsDisposeOfItBehind() {
        let source = PublishSubject<Int>()
        _ = log.observe(Observable.zip([watched("a", source)]) { $0[0] })
        source.onCompleted()
        #expect(log.text == "a completed a dispose a after")
    }

    @Test func switchLatestDisposesOfASourceBeforeItEndsWithIt() {
        let source = PublishSubject<Int>()
        _ = log.observe(Observable.just(1).flatMapLatest { [watched] _ in watched("a", source) })
        source.onCompleted()
        #expect(log.text == "a a dispose completed a after")
    }

    @Test func samplersAreDisposedOfBehindTheClosuresOfADo() {
        let sampler = PublishSubject<Int>()
        let above = watched("b", sampler).do(
            onCompleted: { [log] in log.note("a") }, afterCompleted: { [log] in log.note("a after") })
        _ = log.observe(Observable<Int>.never().sample(above))
        sampler.onCompleted()
        #expect(log.text == "b a a after b dispose b after")
    }

    @Test func concatDisposesOfItsLastSourceBehindTheEnd() {
        let (first, last) = (PublishSubject<Int>(), PublishSubject<Int>())
        _ = log.observe(watched("a", first).concat(watched("b", last)))
        first.onCompleted()
        last.onCompleted()
        #expect(log.text == "a a dispose a after b completed b dispose b after")
    }

    @Test func concatDisposesOfASourceBeforeADeferredOneIsMade() {
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

    @Test func andThenSubscribesBeforeItDisposes() {
        let first = PublishSubject<Int>()
        let second = watched("b", Observable.never()).do(onSubscribe: { [log] in log.note("b subscribe") })
        let subscription = log.observe(watched("a", first).ignoreElements().asCompletable().andThen(second))
        first.onCompleted()
        subscription.dispose()
        #expect(log.text == "a b subscribe a dispose a after b dispose")
    }

    /// The source that failed is still held when what takes its place ends at once.
    @Test func catchDisposesOfTheSourceThatFailedWhenItEnds() {
        let source = PublishSubject<Int>()
        _ = log.observe(watched("a", source).catch { [watched] _ in watched("b", .empty()) })
        source.onError(NumberedFailure(1))
        #expect(log.text == "a b completed a dispose b after b dispose a after")
    }

    @Test func aConnectionIsDisposedOfBeforeItsSubscribersAreTold() {
        let source = PublishSubject<Int>()
        _ = log.observe(watched("a", source).publish().refCount())
        source.onCompleted()
        #expect(log.text == "a a dispose completed a after")
    }

    @Test func aConnectionThatEndsWhileConnectingIsDisposedOfBehind() {
        let connectable = watched("a", Observable.of(1)).publish()
        _ = log.observe(connectable)
        _ = connectable.connect()
        #expect(log.text == "1 a completed a after a dispose")
    }

    @Test func aNotifierIsDisposedOfBehindTheEnd() {
        let source = PublishSubject<Int>()
        let notifier = PublishSubject<Int>()
        _ = log.observe(source.retry(when: { [watched] (_: Observable<any Error>) in watched("a", notifier) }))
        source.onError(NumberedFailure(1))
        notifier.onCompleted()
        #expect(log.text == "a completed a dispose a after")
    }

    @Test func throttleKeepsTheEndAndItsSourceIsDisposedOfBehindIt() {
        let scheduler = ticks()
        let source = PublishSubject<Int>()
        _ = log.observe(watched("a", source).throttle(.seconds(10), scheduler: scheduler))
        source.onNext(1)
        source.onNext(2)
        source.onCompleted()
        scheduler.start()
        #expect(log.text == "1 a a after a dispose 2 completed")
    }

    @Test func subscribeOnDisposesOfASourceBeforeItsEndWhereTheSchedulerRunsAtOnce() {
        let source = PublishSubject<Int>()
        let scheduled = watched("a", source).subscribe(on: CurrentThreadScheduler.instance)
        _ = log.observe(Observable.zip(scheduled, Observable.just(1)) { $0 + $1 })
        source.onCompleted()
        #expect(log.text == "a a dispose completed a after")
    }

    // MARK: A source that ends inside its own subscription

    @Test func anInnerSourceIsDisposedOfBehindItsEnd() {
        let source = PublishSubject<Int>()
        _ = log.observe(source.flatMapLatest { [watched] _ in watched("a", .of(1)) })
        _ = log.observe(source.flatMap { [watched] _ in watched("b", .of(2)) })
        source.onNext(0)
        #expect(log.text == "1 a a after a dispose 2 b b after b dispose")
    }

    @Test func theLastSourceOfACatchIsDisposedOfBehindItsEnd() {
        let source = PublishSubject<Int>()
        let last = watched("a", .of(1))
        _ = log.observe(Observable.catch(sequence: [source, Observable.deferred { last }]).map { $0 })
        source.onError(NumberedFailure(1))
        #expect(log.text == "1 a completed a dispose a after")
    }

    @Test(arguments: [true, false])
    func theOtherSourceOfATimeoutIsDisposedOfBehindItsEnd(isDeferred: Bool) {
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

    @Test func theSourceOfADelayedSubscriptionIsDisposedOfBehindItsEnd() {
        let scheduler = ticks()
        let source = deferred("a", .of()).delaySubscription(.seconds(1), scheduler: scheduler)
        _ = log.observe(Observable.concat([source, .empty()]))
        scheduler.start()
        #expect(log.text == "a completed a dispose a after")
    }

    @Test(arguments: [true, false])
    func aMergedSourceThatFailsIsDisposedOfBehindItsEnd(isLimited: Bool) {
        let outer = PublishSubject<Int>()
        let inner = deferred("b", failing())
        _ = log.observe(deferred("a", isLimited ? outer.concatMap { _ in inner } : outer.flatMap { _ in inner }))
        outer.onNext(0)
        #expect(log.text == "b a error(1) a dispose a after b dispose b after")
    }

    @Test func aSourceInALimitedMergeIsDisposedOfBehindItsEnd() {
        let outer = PublishSubject<Int>()
        let inner = deferred("b", .of()).do(
            onCompleted: { [log] in log.note("a") }, afterCompleted: { [log] in log.note("a after") })
        _ = log.observe(outer.concatMap { _ in inner })
        outer.onNext(0)
        #expect(log.text == "b a a after b dispose b after")
    }

    @Test func theSecondSourceOfAndThenIsDisposedOfBehindItsEnd() {
        let first = PublishSubject<Int>()
        let second = deferred("b", .of())
        _ = log.observe(deferred("a", first.ignoreElements().asCompletable().andThen(second)))
        first.onCompleted()
        #expect(log.text == "b a completed a dispose a after b dispose b after")
    }

    @Test func theOtherSourceOfIfEmptyIsDisposedOfBehindTheClosuresOfADo() {
        let first = PublishSubject<Int>()
        let other = deferred("b", .of()).do(
            onCompleted: { [log] in log.note("a") }, afterCompleted: { [log] in log.note("a after") })
        _ = log.observe(first.ifEmpty(switchTo: other))
        first.onCompleted()
        #expect(log.text == "b a completed a after b dispose b after")
    }

    @Test func anEmptySourceIsDisposedOfBehindTheClosuresOfADo() {
        let source = PublishSubject<Int>()
        let above = deferred("b", source).do(
            onCompleted: { [log] in log.note("a") }, afterCompleted: { [log] in log.note("a after") })
        _ = log.observe(above.ifEmpty(switchTo: .never()))
        source.onCompleted()
        #expect(log.text == "b a a after b dispose b after")
    }

    @Test func aSourceThatFailsIsDisposedOfBehindWhatItsRetryDoes() {
        let outer = PublishSubject<Int>()
        let inner = deferred("a", failing())
        let failing = outer.flatMap { _ in inner }
        _ = log.observe(failing.retry(when: { (_: Observable<any Error>) in Observable<Int>.empty() }))
        outer.onNext(0)
        #expect(log.text == "a completed a dispose a after")
    }

    @Test func aSelectedSequenceThatEndsWithItsSourceIsDisposedOfBehindTheClosuresOfADo() {
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
    @Test func theLastSourceOfAConcatenationIsDisposedOfBeforeTheClosuresOfADoAboveADeferred() {
        let first = PublishSubject<Int>()
        _ = log.observe(first.concat(deferred("a", failing())))
        first.onCompleted()
        #expect(log.text == "a error(1) a dispose a after")
    }

    // MARK: An operator that ends while it is subscribing

    @Test func anOperatorThatEndsWhileSubscribingHoldsItsSourcesUntilItHasSubscribedToAll() {
        let shared = Observable<Int>.never().do(
            onSubscribe: { [log] in log.note("subscribe") }, onDispose: { [log] in log.note("dispose") }
        ).share()
        _ = log.observe(
            Observable.combineLatest(shared, Observable<Int>.error(NumberedFailure(1)), shared) { $0 + $1 + $2 })
        #expect(log.text == "subscribe error(1) dispose")
    }

    @Test(arguments: [true, false])
    func mergedSourcesAreDisposedOfWhenAllAreSubscribedTo(isFlatMap: Bool) {
        let sources = [watched("a", .never()), watched("b", .error(NumberedFailure(1)))]
        _ = log.observe(isFlatMap ? Observable.from(sources).flatMap { $0 } : Observable.merge(sources))
        // The outer source of `flatMap` sends its elements when it has been subscribed to.
        let order = isFlatMap ? "a dispose b after b dispose" : "b after b dispose a dispose"
        #expect(log.text == "b error(1) " + order)
    }

    @Test func aResourceIsDisposedOfWhenItsSequenceWasSubscribedTo() {
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

    @Test func theNotifierOfARetryIsDisposedOfWhenTheSourceWasSubscribedTo() {
        let log = log
        let source = Observable.just(1).do(onSubscribed: { log.note("subscribed") })
        _ = log.observe(source.retry(when: { [watched] (_: Observable<any Error>) in watched("a", .never()) }))
        #expect(log.text == "1 completed subscribed a dispose")
    }

    @Test func aLaterSourceThatIsSubscribedToWhenAllIsOverIsSubscribedToAllTheSame() {
        let log = log
        let source = Observable<Int>.never().do(onSubscribe: { log.note("subscribe") })
        _ = log.observe(
            Observable.combineLatest(Observable<Int>.error(NumberedFailure(1)), source.concat(source)) { $0 + $1 })
        #expect(log.text == "error(1) subscribe")
    }

    /// Law L1: what is put off to the end of subscribing is quiet until then.
    @Test func noClosureRunsAboveASourceWhoseCancellationIsPutOff() {
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

    @Test func whatIsSubscribedToBehindTheEndIsDisposedOfAtOnce() {
        let log = log
        let other = created("b").do(onSubscribed: { log.note("b subscribed") })
        _ = log.observe(
            Observable.combineLatest(Observable<Int>.error(NumberedFailure(1)), other, created("c")) {
                $0 + $1 + $2
            })
        #expect(log.text == "error(1) b dispose b subscribed c dispose")
    }

    @Test func sourcesBehindTheEndShareNothing() {
        let shared = Observable<Int>.never().do(onSubscribe: { [log] in log.note("subscribe") }).share()
        _ = log.observe(
            Observable.combineLatest(Observable<Int>.error(NumberedFailure(1)), shared, shared) { $0 + $1 + $2 })
        #expect(log.text == "error(1) subscribe subscribe")
    }

    @Test func aSourceIsCancelledWhileASchedulerSubscribesToIt() {
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

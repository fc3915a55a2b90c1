// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import RxSwift
import TestSupport
import Testing

/// A source that several subscriptions share, and that subscribes to itself over and over, ends when nobody wants it any more (law L1), although the
/// cancellation of some of them is postponed (law L11).
@Suite struct AbandonedSourceTests {
    /// Sends 1 and fails, again and again; `limit` times at most, so that a fault ends the test.
    private final class Repeating: @unchecked Sendable {
        private(set) var attempts = 0
        /// True if only the first attempt sends an element.
        private let isSilent: Bool

        init(isSilent: Bool = false) { self.isSilent = isSilent }

        func source(limit: Int = 10_000) -> Observable<Int> {
            Observable.deferred {
                self.attempts += 1
                if self.attempts > limit { return .never() }
                return .concat([self.isSilent && self.attempts > 1 ? .empty() : .just(1), .error(NumberedFailure(1))])
            }
            .retry()
        }
    }

    enum Sharing: CaseIterable, Sendable {
        case groups, mappedGroups, concatenatedGroups, latestGroup, windows, groupsUntil, nestedGroups, windowsOfGroups,
            combinedGroups
        case takenGroups, repeatingWhen, share, refCount
        case sharedGroups, replayedGroups, lastingGroups, countedGroups, selectedGroups, sharedMappedGroups, sharedTwice
        case concatenatedShares, latestShare, sharedGroupsUntil, sharedWindows, sharedNewGroups, nestedNewGroups
        case ambiguousGroups, replacedGroups, lateGroups, retriedGroups

        func apply(_ source: Observable<Int>) -> Observable<Int> {
            let (shared, scheduler) = (source.share(), SerialDispatchQueueScheduler(qos: .default))
            let counted = source.publish().refCount()
            let windows = { (source: Observable<Int>) in
                source.window(timeSpan: .seconds(60), count: 2, scheduler: scheduler).flatMap { $0 }
            }
            switch self {
            case .groups: return source.groupBy { $0 }.flatMap { $0 }
            case .mappedGroups: return source.groupBy { $0 }.flatMap { $0.map { $0 }.filter { _ in true } }
            case .concatenatedGroups: return source.groupBy { $0 }.concatMap { $0 }
            case .latestGroup: return source.groupBy { $0 }.flatMapLatest { $0 }
            case .windows: return windows(source)
            case .groupsUntil: return source.groupBy({ $0 }, until: { _ in Observable<Void>.never() }).flatMap { $0 }
            case .nestedGroups: return source.groupBy { $0 }.flatMap { $0.groupBy { $0 }.flatMap { $0 } }
            case .windowsOfGroups: return source.groupBy { $0 }.flatMap { windows($0.asObservable()) }
            case .combinedGroups:
                return source.groupBy { $0 }.flatMap { Observable.combineLatest($0, $0) { first, _ in first } }
            case .takenGroups: return source.groupBy { $0 }.flatMap { $0.take(2) }
            case .repeatingWhen:
                let failing = source.take(1).concat(Observable.error(NumberedFailure(2)))
                return failing.retry(when: { (errors: Observable<any Error>) in errors }).groupBy { $0 }.flatMap { $0 }
            case .sharedGroups: return source.groupBy { $0 }.flatMap { $0.share() }
            case .replayedGroups: return source.groupBy { $0 }.flatMap { $0.share(replay: 1) }
            case .lastingGroups: return source.groupBy { $0 }.flatMap { $0.share(replay: 1, scope: .forever) }
            case .countedGroups: return source.groupBy { $0 }.flatMap { $0.publish().refCount() }
            case .selectedGroups:
                return source.groupBy { $0 }.flatMap { $0.multicast({ PublishSubject() }, selector: { $0 }) }
            case .sharedMappedGroups:
                return source.groupBy { $0 }.flatMap { $0.map { $0 }.filter { _ in true }.share() }
            case .sharedTwice: return source.groupBy { $0 }.flatMap { Self.sharedTwice($0.asObservable()) }
            case .concatenatedShares: return source.groupBy { $0 }.concatMap { $0.share(replay: 1) }
            case .latestShare: return source.groupBy { $0 }.flatMapLatest { $0.share(replay: 1) }
            case .sharedGroupsUntil:
                return source.groupBy({ $0 }, until: { _ in Observable<Void>.never() }).flatMap { $0.share() }
            case .sharedWindows:
                return source.window(timeSpan: .seconds(60), count: 2, scheduler: scheduler).flatMap { $0.share() }
            case .sharedNewGroups: return Self.newGroups(source).flatMap { $0.share() }
            case .nestedNewGroups: return Self.newGroups(source).flatMap { $0.groupBy { $0 }.flatMap { $0.share() } }
            case .ambiguousGroups:
                return source.groupBy { $0 }.flatMap { Observable.amb([$0.asObservable(), .never()]) }
            case .replacedGroups: return source.groupBy { $0 }.flatMap { $0.ifEmpty(switchTo: .never()) }
            case .lateGroups:
                return source.groupBy { $0 }.flatMap {
                    $0.timeout(.seconds(60), other: Observable.never(), scheduler: scheduler)
                }
            case .retriedGroups:
                return source.groupBy { $0 }.flatMap { $0.retry(when: { (errors: Observable<any Error>) in errors }) }
            case .share: return shared.flatMap { _ in shared }
            case .refCount: return counted.flatMap { _ in counted }
            }
        }

        /// A group for each element.
        private static func newGroups(_ source: Observable<Int>) -> Observable<Observable<Int>> {
            source.enumerated().groupBy { $0.index }.map { $0.map { $0.element } }
        }

        private static func sharedTwice(_ group: Observable<Int>) -> Observable<Int> {
            let shared = group.share()
            return Observable.merge(shared, shared)
        }
    }

    /// The fault: the program hung.
    @Test(
        "A source whose last subscription is postponed is left after a while", arguments: Sharing.allCases,
        [false, true])
    func postponed(_ sharing: Sharing, isSilent: Bool) {
        // A source of one element has sent it before the other subscription to it begins.
        if isSilent, sharing == .share || sharing == .refCount { return }
        let (repeating, log) = (Repeating(isSilent: isSilent), EventLog())
        _ = log.observe(sharing.apply(repeating.source()).take(1))
        #expect(log.text == "1 completed")
        // A source without a subscriber is let go on for a while, as it does in RxSwift: see `ConnectionDemand`.
        #expect(repeating.attempts <= 3_000)
    }

    @Test("A source that a predicate ends is left after a while") func endedByPredicate() {
        let (repeating, log) = (Repeating(), EventLog())
        _ = log.observe(repeating.source().groupBy { $0 }.flatMap { $0 }.take(while: { _ in repeating.attempts < 3 }))
        #expect(log.text == "1 1 completed")
        #expect(repeating.attempts <= 3_000)
    }

    @Test("A short source whose last subscription is postponed runs to its end") func shortSource() {
        let log = EventLog()
        let made = Observable<Int>.create { observer in
            for element in 1...2 { observer.onNext(element) }
            observer.onCompleted()
            return Disposables.create()
        }
        let source = made.do(onNext: { log.note("sent \($0)") }, onCompleted: { log.note("ended") })
        _ = log.observe(source.groupBy { $0 }.flatMap { $0 }.take(1))
        #expect(log.text == "sent 1 1 completed sent 2 ended")
    }

    /// A subscription that only ends may be followed by another one to the same source.
    @Test("A group that is subscribed to again in a completion goes on") func resubscribed() {
        let (source, log) = (PublishSubject<Int>(), EventLog())
        let again = source.groupBy { _ in 0 }.flatMap { $0.take(1).concat($0.map { $0 * 10 }) }
        _ = log.observe(again)
        let collected = source.groupBy { _ in 0 }.take(1).toArray().asObservable().flatMap { $0[0].map { $0 * 100 } }
        _ = log.observe(collected)
        for element in 1...3 { source.onNext(element) }
        #expect(log.text == "1 100 20 200 30 300")
    }

    #if TRACE_RESOURCES
        /// The fault: its subscription kept itself for ever, 9 objects.
        @Test("A group that is subscribed to after everything was disposed of is released") func lateSubscriber() {
            let before = Resources.total
            do {
                let log = EventLog()
                var group: Observable<Int>?
                let source = PublishSubject<Int>()
                let subscription = source.groupBy { $0 }.subscribe(onNext: { group = $0.asObservable() })
                source.onNext(1)
                subscription.dispose()
                _ = log.observe(group!.map { $0 })
                source.onNext(1)
                #expect(log.text == "")
            }
            #expect(Resources.total == before)
        }
    #endif

    /// The fault: the new subscriber joined a connection that had been cancelled, and got nothing.
    @Test("A share is connected anew after its source was left for want of subscribers", arguments: [false, true])
    func connectedAnew(isCounted: Bool) {
        var again: Observable<Int>?
        let (first, second) = (EventLog(), EventLog())
        let source = Observable<Int>.create { observer in
            for element in 1...3_000 {
                observer.onNext(element)
                if element == 2_000, second.text == "" { _ = second.observe(again!.take(2)) }
            }
            return Disposables.create()
        }
        again = isCounted ? source.publish().refCount() : source.share()
        _ = first.observe(again!.take(1))
        #expect(first.text == "1 completed")
        #expect(second.text == "1 2 completed")
    }

    /// The fault: the queue ran nothing else any more.
    @Test("An endless source is let go of by an end that its scheduler cannot run", arguments: 0...6, [false, true])
    func endedOnBusyScheduler(kind: Int, isDisposed: Bool) {
        let start = ContinuousClock.now
        let attempt = Observable<Int>.deferred {
            if ContinuousClock.now - start > .seconds(5) { return .never() }
            return kind == 0 ? .error(NumberedFailure(1)) : .empty()
        }
        let filtered = Observable<Int>.range(start: 0, count: .max).filter { _ in
            ContinuousClock.now - start > .seconds(5)
        }
        let repeated = Observable.repeatElement(1).take(while: { _ in ContinuousClock.now - start < .seconds(5) })
        let sources = [
            attempt.retry(), Observable.concat(sequence(first: attempt) { $0 }), filtered.map { $0 },
            Observable.create { repeated.subscribe($0) }.map { $0 },
            Observable.using({ BooleanDisposable() }, observableFactory: { _ in repeated }).map { $0 },
            Observable.merge(Observable.create { repeated.subscribe($0) }, .never()).map { $0 },
            Observable.just(1).flatMap { _ in Observable.create { repeated.subscribe($0) } },
        ]
        let source = sources[kind]
        let scheduler = SerialDispatchQueueScheduler(qos: .default)
        let stop = PublishSubject<Void>()
        let subscription = source.subscribe(on: scheduler).take(until: stop).subscribe()
        usleep(20_000)
        if isDisposed { subscription.dispose() } else { stop.onNext(()) }
        let hasRun = OneShot()
        _ = scheduler.schedule(()) { _ in
            hasRun.fire()
            return Disposables.create()
        }
        #expect(hasRun.wait(seconds: 10))
        #expect(ContinuousClock.now - start < .seconds(5))
    }

    enum Connection: CaseIterable, Sendable {
        case share, replay, lasting, refCount, mapped, twice, countedTwice, flatMapped, latest, grouped, switched,
            combined, hop

        func apply(_ source: Observable<Int>) -> Observable<Int> {
            switch self {
            case .share: source.share()
            case .replay: source.share(replay: 1)
            case .lasting: source.share(replay: 1, scope: .forever)
            case .refCount: source.publish().refCount()
            case .mapped: source.map { $0 }.catch { _ in .never() }.share()
            case .twice: source.share().map { $0 }.share(replay: 1).share()
            case .countedTwice: source.publish().refCount().replay(1).refCount()
            case .flatMapped: source.share().flatMap { Observable.just($0) }.share()
            case .latest:
                Observable.just(1).flatMap { _ in source }.share().flatMapLatest { Observable.just($0) }.share()
            case .grouped: source.share().groupBy { $0 }.flatMap { $0 }.share()
            case .switched: source.share().ifEmpty(switchTo: .never()).concatMap { Observable.just($0) }.share()
            case .combined:
                Observable.zip(Observable.amb([source.share(), .never()]), Observable.just(1)) { $0 + $1 }.share()
            case .hop: source.share().observe(on: SerialDispatchQueueScheduler(qos: .default)).share()
            }
        }
    }

    /// The fault: attempts without elements were not counted, and no thread could end them.
    @Test(
        "A shared source that only begins anew ends when its last subscriber has left", arguments: Connection.allCases,
        [true, false])
    func withoutElements(_ connection: Connection, isRetry: Bool) {
        let start = ContinuousClock.now
        let attempt = Observable<Int>.deferred {
            if ContinuousClock.now - start > .seconds(5) { return .never() }
            return isRetry ? .error(NumberedFailure(1)) : .empty()
        }
        let source = isRetry ? attempt.retry() : Observable.concat(sequence(first: attempt) { $0 })
        let stop = PublishSubject<Void>()
        let hasReturned = OneShot()
        Thread.detachNewThread {
            _ = connection.apply(source).take(until: stop).subscribe()
            hasReturned.fire()
        }
        usleep(20_000)
        stop.onNext(())
        #expect(hasReturned.wait(seconds: 10))
        #expect(ContinuousClock.now - start < .seconds(5))
    }
}

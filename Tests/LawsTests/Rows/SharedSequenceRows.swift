// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxCocoa
import RxSwift
import TestSupport

extension Laws {
    /// The operators of shared sequences, converted from an observable without errors and back to one.
    static let sharedSequenceRows: [Row] =
        sharedConversionRows + sharedOperatorRows + sharedCombiningRows + sharedCreationRows + sharedTimeRows

    private static let sharedConversionRows: [Row] = [
        shared("asSharedSequence()") { source, _ in source.asSharedSequence() },
        shared("asObservable()") { source, _ in shared(source.asObservable()) },
        shared("asInfallible()") { source, _ in shared(source.asInfallible().asObservable()) },
        row("asSharedSequence(sharingStrategy:onErrorJustReturn:)") { source, _ in
            source.asSharedSequence(sharingStrategy: Inline.self, onErrorJustReturn: 0).asObservable()
                .filter { $0 != 0 }
        },
        row("asSharedSequence(sharingStrategy:onErrorDriveWith:)") { source, _ in shared(source).asObservable() },
        row("asSharedSequence(sharingStrategy:onErrorRecover:)") { source, probe in
            source.asSharedSequence(sharingStrategy: Inline.self) { _ in
                probe.note("onErrorRecover")
                return .empty()
            }.asObservable()
        },
    ]

    private static let sharedOperatorRows: [Row] = [
        shared("map(_:)") { source, probe in
            source.map {
                probe.note("selector")
                return $0
            }
        },
        shared("compactMap(_:)") { source, probe in
            source.compactMap {
                probe.note("selector")
                return $0
            }
        },
        shared("filter(_:)") { source, probe in
            source.filter { _ in
                probe.note("predicate")
                return true
            }
        },
        shared("scan(_:accumulator:)") { source, probe in
            source.scan(0) {
                probe.note("accumulator")
                return $1
            }
        },
        shared("skip(_:)", keeps: .some) { source, _ in source.skip(2) },
        shared("startWith(_:)", keeps: .nothing) { source, _ in source.startWith(1) },
        shared("do(onNext:afterNext:onCompleted:afterCompleted:onSubscribe:onSubscribed:onDispose:)") { source, probe in
            source.do(
                onNext: { _ in probe.note("onNext") }, afterNext: { _ in probe.note("afterNext") },
                onCompleted: { probe.note("onCompleted") }, afterCompleted: { probe.note("afterCompleted") },
                onSubscribe: { probe.note("onSubscribe") }, onSubscribed: { probe.note("onSubscribed") },
                onDispose: { probe.note("onDispose") })
        },
        shared("distinctUntilChanged()") { source, _ in source.distinctUntilChanged() },
        shared("distinctUntilChanged(_:)", "key") { source, probe in
            source.distinctUntilChanged {
                probe.note("keySelector")
                return $0
            }
        },
        shared("distinctUntilChanged(_:)", "comparer") { source, probe in
            source.distinctUntilChanged {
                probe.note("comparer")
                return $0 == $1
            }
        },
        shared("distinctUntilChanged(_:comparer:)") { source, probe in
            source.distinctUntilChanged({ $0 }) {
                probe.note("comparer")
                return $0 == $1
            }
        },
        shared("flatMap(_:)") { source, probe in
            source.flatMap {
                probe.note("selector")
                return .just($0)
            }
        },
        shared("flatMapLatest(_:)") { source, probe in
            source.flatMapLatest {
                probe.note("selector")
                return .just($0)
            }
        },
        shared("flatMapFirst(_:)", keeps: .some) { source, probe in
            source.flatMapFirst {
                probe.note("selector")
                return .just($0)
            }
        },
        row("withUnretained(_:)") { source, _ in
            signal(source).withUnretained(Companion.shared).map { $0.1 }.asObservable()
        },
        row("withUnretained(_:resultSelector:)") { source, probe in
            signal(source).withUnretained(Companion.shared) { _, element in
                probe.note("resultSelector")
                return element
            }.asObservable()
        },
    ]

    private static let sharedCombiningRows: [Row] = [
        row("merge()", sources: 2, keeps: .everything) { sources, _, _ in
            SharedSequence<Inline, SharedSequence<Inline, Int>>.from(sources.map(shared)).merge().asObservable()
        },
        row("merge(maxConcurrent:)", sources: 3) { sources, _, _ in
            SharedSequence<Inline, SharedSequence<Inline, Int>>.from(sources.map(shared)).merge(maxConcurrent: 2)
                .asObservable()
        },
        row("switchLatest()", sources: 2) { sources, _, _ in
            let second = shared(sources[1])
            return shared(sources[0]).map { $0 % 100 == 1 ? second : .just($0) }.switchLatest().asObservable()
        },
        row("merge(_:)", "list", sources: 2, keeps: .everything) { sources, _, _ in
            SharedSequence<Inline, Int>.merge(shared(sources[0]), shared(sources[1])).asObservable()
        },
        row("merge(_:)", "array", sources: 2, keeps: .everything) { sources, _, _ in
            SharedSequence<Inline, Int>.merge(sources.map(shared)).asObservable()
        },
        row("merge(_:)", "collection", sources: 3, keeps: .everything) { sources, _, _ in
            SharedSequence<Inline, Int>.merge(ContiguousArray(sources.map(shared))).asObservable()
        },
        row("withLatestFrom(_:)", sources: 2, keeps: .repeating) { sources, _, _ in
            shared(sources[0]).withLatestFrom(shared(sources[1])).asObservable()
        },
        row("withLatestFrom(_:resultSelector:)", sources: 2) { sources, _, probe in
            shared(sources[0]).withLatestFrom(shared(sources[1])) { first, _ in
                probe.note("resultSelector")
                return first
            }.asObservable()
        },
        row("concat(_:)", "collection", sources: 2) { sources, _, _ in
            SharedSequence<Inline, Int>.concat(sources.map(shared)).asObservable()
        },
        row("concat(_:)", "sequence", sources: 2) { sources, _, _ in
            SharedSequence<Inline, Int>.concat(AnySequence(sources.map(shared))).asObservable()
        },
        row("zip(_:)", sources: 2) { sources, _, _ in
            SharedSequence<Inline, Int>.zip(sources.map(shared)).map { $0[0] }.asObservable()
        },
        row("zip(_:resultSelector:)", sources: 2) { sources, _, probe in
            SharedSequence<Inline, Int>.zip(sources.map(shared)) { elements -> Int in
                try probe.visit("resultSelector")
                return elements[0]
            }.asObservable()
        },
        row("combineLatest(_:)", sources: 2, keeps: .repeating) { sources, tested, _ in
            SharedSequence<Inline, Int>.combineLatest(sources.map(shared)).map { $0[tested] }.asObservable()
        },
        row("combineLatest(_:resultSelector:)", sources: 2, keeps: .repeating) { sources, tested, probe in
            SharedSequence<Inline, Int>.combineLatest(sources.map(shared)) { elements -> Int in
                try probe.visit("resultSelector")
                return elements[tested]
            }.asObservable()
        },
    ]

    private static let sharedCreationRows: [Row] = [
        shared("deferred(_:)") { source, probe in
            .deferred {
                probe.note("observableFactory")
                return source
            }
        },
        shared("just(_:)") { source, _ in source.flatMap { SharedSequence.just($0) } },
        shared("of(_:)") { source, _ in source.flatMap { SharedSequence.of($0) } },
        shared("from(_:)", "array") { source, _ in source.flatMap { SharedSequence.from([$0]) } },
        shared("from(_:)", "sequence") { source, _ in source.flatMap { SharedSequence.from(AnySequence([$0])) } },
        shared("from(optional:)") { source, _ in source.flatMap { SharedSequence.from(optional: $0) } },
        shared("empty()") { source, _ in source.flatMap { SharedSequence.merge(.just($0), .empty()) } },
        shared("never()", completes: false) { source, _ in
            source.flatMap { SharedSequence.merge(.just($0), .never()) }
        },
    ]

    private static let sharedTimeRows: [Row] = [
        timed("delay(_:)", keeps: .everything) { $0.delay(short) },
        timed("debounce(_:)") { $0.debounce(short) },
        timed("throttle(_:latest:)") { $0.throttle(short) },
        timed("throttle(_:latest:)", "first") { $0.throttle(short, latest: false) },
        timed("interval(_:)", keeps: .nothing) { source in
            source.flatMapLatest { _ in firstTwo(SharedSequence.interval(short)) }
        },
        timed("timer(_:period:)", keeps: .nothing) { source in
            source.flatMapLatest { _ in firstTwo(SharedSequence.timer(short, period: short)) }
        },
    ]

    /// A part of an endless sequence, so that a law that waits for quiet gets it.
    private static func firstTwo(_ source: SharedSequence<Queued, Int>) -> SharedSequence<Queued, Int> {
        source.asObservable().take(2).asSharedSequence(onErrorDriveWith: .empty())
    }

    private static let short = RxTimeInterval.microseconds(500)

    private static func row(
        _ name: String, _ variant: String = "",
        build: @escaping @Sendable (Observable<Int>, Probe) -> Observable<Int>
    ) -> Row {
        Row(
            "SharedSequence." + name, variant, keeps: .everything, passesErrors: false, chains: false, build: build)
    }

    private static func row(
        _ name: String, _ variant: String = "", sources: Int, keeps: Keeps = .some,
        build: @escaping @Sendable ([Observable<Int>], Int, Probe) -> Observable<Int>
    ) -> Row {
        Row("SharedSequence." + name, variant, sources: sources, keeps: keeps, passesErrors: false, build: build)
    }

    private static func shared(
        _ name: String, _ variant: String = "", keeps: Keeps = .everything, completes: Bool = true,
        build: @escaping @Sendable (SharedSequence<Inline, Int>, Probe) -> SharedSequence<Inline, Int>
    ) -> Row {
        Row(
            "SharedSequence." + name, variant, keeps: keeps, completes: completes, passesErrors: false, chains: false
        ) { source, probe in build(shared(source), probe).asObservable() }
    }

    private static func timed(
        _ name: String, _ variant: String = "", keeps: Keeps = .some, completes: Bool = true,
        build: @escaping @Sendable (SharedSequence<Queued, Int>) -> SharedSequence<Queued, Int>
    ) -> Row {
        Row(
            "SharedSequence." + name, variant, keeps: keeps, isAsynchronous: true, completes: completes,
            passesErrors: false, chains: false
        ) { source, _ in build(source.asSharedSequence(onErrorDriveWith: .empty())).asObservable() }
    }

    private static func shared(_ source: Observable<Int>) -> SharedSequence<Inline, Int> {
        source.asSharedSequence(onErrorDriveWith: .empty())
    }

    private static func signal(_ source: Observable<Int>) -> Signal<Int> {
        inlined { source.asSignal(onErrorSignalWith: .empty()) }
    }

    /// Returns the result of a body whose drivers and signals deliver on the emitting thread.
    static func inlined<Made>(_ make: () -> Made) -> Made {
        var made: Made?
        SharingScheduler.mock(scheduler: Inline.scheduler) { made = make() }
        return made!
    }

    /// Shares like a signal, on the thread that emits.
    private struct Inline: SharingStrategyProtocol {
        static let scheduler: any SchedulerType = InlineTimedScheduler()

        static func share<Element>(_ source: Observable<Element>) -> Observable<Element> {
            source.share(scope: .whileConnected)
        }
    }

    /// Shares like a driver, on a queue.
    private struct Queued: SharingStrategyProtocol {
        static var scheduler: any SchedulerType { Laws.scheduler }

        static func share<Element>(_ source: Observable<Element>) -> Observable<Element> {
            source.share(replay: 1, scope: .whileConnected)
        }
    }

    /// Runs each action right where it is scheduled. Has no timers.
    private final class InlineTimedScheduler: SchedulerType {
        var now: Date { Date() }

        func schedule<StateType>(
            _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
        ) -> any Disposable {
            action(state)
        }

        func scheduleRelative<StateType>(
            _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
        ) -> any Disposable {
            preconditionFailure("InlineTimedScheduler: has no timers")
        }
    }
}

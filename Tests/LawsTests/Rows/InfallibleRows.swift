// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport

extension Laws {
    /// The operators on `Infallible`. Errors pass through most of them, although there should be none.
    static let infallibleRows: [Row] =
        infallibleBoundaryRows + infallibleCreationRows + infallibleTransformRows + infallibleInnerRows
        + infallibleFilterRows + infallibleTakeRows + infallibleCombineRows + infallibleTimeRows + infallibleShareRows
        + infallibleInspectRows

    /// From an observable, and to a subscriber.
    private static let infallibleBoundaryRows: [Row] = [
        on("asObservable()", keeps: .everything) { source, _ in Infallible(raw: source.asObservable()) },
        Row("Infallible.asInfallible(onErrorJustReturn:)", keeps: .everything, passesErrors: false) { source, _ in
            source.asInfallible(onErrorJustReturn: 0).asObservable()
        },
        Row("Infallible.asInfallible(onErrorFallbackTo:)", sources: 2) { sources, _, _ in
            sources[0].asInfallible(onErrorFallbackTo: Infallible(raw: sources[1])).asObservable()
        },
        Row("Infallible.asInfallible(onErrorRecover:)", sources: 2) { sources, _, probe in
            sources[0].asInfallible { _ in
                probe.note("onErrorRecover")
                return Infallible(raw: sources[1])
            }.asObservable()
        },
        subscribed("subscribe(_:)") { source, observer in source.subscribe { observer.on($0.event) } },
        subscribed("subscribe(onNext:onCompleted:onDisposed:)") { source, observer in
            source.subscribe(onNext: { observer.onNext($0) }, onCompleted: { observer.onCompleted() })
        },
        subscribed("subscribe(with:onNext:onCompleted:onDisposed:)") { source, observer in
            source.subscribe(
                with: Companion.shared, onNext: { _, element in observer.onNext(element) },
                onCompleted: { _ in observer.onCompleted() })
        },
        Row("Infallible.create(subscribe:)", keeps: .everything, passesErrors: false, chains: false) { source, probe in
            let infallible = source.asInfallible(onErrorFallbackTo: .empty())
            let created = Infallible<Int>.create { observer in
                probe.note("subscribe")
                return infallible.subscribe { observer($0) }
            }
            return created.asObservable()
        },
    ]

    private static let infallibleCreationRows: [Row] = [
        on("deferred(_:)", keeps: .everything) { source, probe in
            .deferred {
                try probe.visit("observableFactory")
                return source
            }
        },
        inner("just(_:)") { Infallible.just($0) },
        inner("just(_:scheduler:)") { Infallible.just($0, scheduler: CurrentThreadScheduler.instance) },
        inner("of(_:scheduler:)") { Infallible.of($0) },
        inner("of(_:scheduler:)", "serial", isAsynchronous: true) { Infallible.of($0, scheduler: Laws.scheduler) },
        inner("from(_:scheduler:)", "array") { Infallible.from([$0]) },
        inner("from(_:scheduler:)", "sequence") { Infallible.from(AnySequence([$0])) },
        inner("empty()") { Infallible.merge(.just($0), .empty()) },
        inner("never()", completes: false) { Infallible.merge(.just($0), .never()) },
    ]

    private static let infallibleTransformRows: [Row] = [
        on("map(_:)", keeps: .everything) { source, probe in
            source.map { element in
                probe.note("transform")
                return element
            }
        },
        on("compactMap(_:)", keeps: .everything) { source, probe in
            source.compactMap { element -> Int? in
                probe.note("transform")
                return element
            }
        },
        on("scan(_:accumulator:)", keeps: .everything) { source, probe in
            source.scan(0) { _, element in
                probe.note("accumulator")
                return element
            }
        },
        on("scan(into:accumulator:)", keeps: .everything) { source, probe in
            source.scan(into: 0) { accumulated, element in
                probe.note("accumulator")
                accumulated = element
            }
        },
    ]

    private static let infallibleInnerRows: [Row] = [
        on("flatMap(_:)", keeps: .everything) { source, probe in
            source.flatMap { element -> Infallible<Int> in
                probe.note("selector")
                return .of(element)
            }
        },
        on("flatMapLatest(_:)") { source, probe in
            source.flatMapLatest { element -> Infallible<Int> in
                probe.note("selector")
                return .just(element)
            }
        },
        Row("Infallible.flatMapLatest(_:)", "of an observable", sources: 3) { sources, _, probe in
            let latest = sources[0].flatMapLatest { element -> Infallible<Int> in
                try probe.visit("selector")
                return Infallible(raw: sources[1 + element % 2])
            }
            return latest.asObservable()
        },
        on("flatMapFirst(_:)") { source, probe in
            source.flatMapFirst { element -> Infallible<Int> in
                probe.note("selector")
                return .just(element)
            }
        },
        on("concatMap(_:)", keeps: .everything) { source, probe in
            source.concatMap { element -> Infallible<Int> in
                probe.note("selector")
                return .of(element)
            }
        },
    ]

    private static let infallibleFilterRows: [Row] = [
        on("filter(_:)") { source, probe in
            source.filter { element in
                probe.note("predicate")
                return element.isMultiple(of: 2)
            }
        },
        on("distinctUntilChanged()", keeps: .everything) { source, _ in source.distinctUntilChanged() },
        on("distinctUntilChanged(_:)", "key", keeps: .everything) { source, probe in
            source.distinctUntilChanged { (element: Int) -> Int in
                try probe.visit("keySelector")
                return element
            }
        },
        on("distinctUntilChanged(_:)", "comparer", keeps: .everything) { source, probe in
            source.distinctUntilChanged { (old: Int, new: Int) -> Bool in
                try probe.visit("comparer")
                return old == new
            }
        },
        on("distinctUntilChanged(_:comparer:)", keeps: .everything) { source, probe in
            source.distinctUntilChanged(
                { (element: Int) -> Int in
                    try probe.visit("keySelector")
                    return element
                },
                comparer: { (old: Int, new: Int) -> Bool in
                    try probe.visit("comparer")
                    return old == new
                })
        },
        on("distinctUntilChanged(at:)", keeps: .everything) { source, _ in source.distinctUntilChanged(at: \.self) },
    ]

    private static let infallibleTakeRows: [Row] = [
        on("take(_:)") { source, _ in source.take(3) },
        two("take(until:)", "infallible") { source, other in source.take(until: other) },
        two("take(until:)", "observable") { source, other in source.take(until: other.asObservable()) },
        on("take(until:behavior:)") { source, probe in
            source.take(until: { element in
                try probe.visit("predicate")
                return element % 100 == 3
            })
        },
        on("take(while:behavior:)", keeps: .everything) { source, probe in
            source.take(while: { _ in
                try probe.visit("predicate")
                return true
            })
        },
        on("skip(while:)", keeps: .everything) { source, probe in
            source.skip { _ in
                try probe.visit("predicate")
                return false
            }
        },
        two("skip(until:)", completes: false) { source, other in source.skip(until: other.asObservable()) },
    ]

    private static let infallibleCombineRows: [Row] = [
        on("startWith(_:)", keeps: .nothing) { source, _ in source.startWith(1) },
        two("withLatestFrom(_:)", keeps: .repeating) { source, other in source.withLatestFrom(other) },
        Row("Infallible.withLatestFrom(_:resultSelector:)", sources: 2) { sources, _, probe in
            let combined = Infallible(raw: sources[0]).withLatestFrom(Infallible(raw: sources[1])) {
                (first: Int, _: Int) -> Int in
                try probe.visit("resultSelector")
                return first
            }
            return combined.asObservable()
        },
        two("concat(_:)", "second") { source, other in source.concat(other) },
        several("concat(_:)", "list") { .concat($0[0], $0[1], $0[2]) },
        several("concat(_:)", "collection") { .concat($0) },
        several("concat(_:)", "sequence") { .concat(AnySequence($0)) },
        several("merge(_:)", "list", keeps: .everything) { .merge($0[0], $0[1], $0[2]) },
        several("merge(_:)", "array", keeps: .everything) { .merge($0) },
        several("merge(_:)", "collection") { .merge(ContiguousArray($0)) },
        Row("Infallible.combineLatest(_:)", sources: 3, keeps: .repeating) { sources, tested, _ in
            Infallible.combineLatest(sources.map { Infallible(raw: $0) }).map { $0[tested] }.asObservable()
        },
        Row("Infallible.combineLatest(_:resultSelector:)", sources: 3, keeps: .repeating) { sources, tested, probe in
            let combined = Infallible<Int>.combineLatest(sources.map { Infallible(raw: $0) }) { elements in
                try probe.visit("resultSelector")
                return elements[tested]
            }
            return combined.asObservable()
        },
    ]

    private static let infallibleTimeRows: [Row] = [
        timed("debounce(_:scheduler:)") { $0.debounce(.microseconds(500), scheduler: Laws.scheduler) },
        timed("throttle(_:latest:scheduler:)") { $0.throttle(.microseconds(500), scheduler: Laws.scheduler) },
        timed("throttle(_:latest:scheduler:)", "first") {
            $0.throttle(.microseconds(500), latest: false, scheduler: Laws.scheduler)
        },
        timed("take(for:scheduler:)") { $0.take(for: .microseconds(500), scheduler: Laws.scheduler) },
        timed("debounce(for:clock:)") { $0.debounce(for: .microseconds(500)) },
        timed("throttle(for:latest:clock:)") { $0.throttle(for: .microseconds(500)) },
        timed("take(for:clock:)") { $0.take(for: .microseconds(500)) },
    ]

    private static let infallibleShareRows: [Row] = [
        on("share(replay:scope:)", keeps: .everything) { source, _ in source.share() },
        on("share(replay:scope:)", "replay 2 forever", keeps: .everything) { source, _ in
            source.share(replay: 2, scope: .forever)
        },
    ]

    private static let infallibleInspectRows: [Row] = [
        on(
            "do(onNext:afterNext:onCompleted:afterCompleted:onSubscribe:onSubscribed:onDispose:)",
            keeps: .everything, lateSites: ["afterCompleted"]
        ) { source, probe in
            source.do(
                onNext: { _ in try probe.visit("onNext") },
                afterNext: { _ in try probe.visit("afterNext") },
                onCompleted: { try probe.visit("onCompleted") },
                afterCompleted: { try probe.visit("afterCompleted") },
                onSubscribe: { probe.note("onSubscribe") },
                onSubscribed: { probe.note("onSubscribed") },
                onDispose: { probe.note("onDispose") })
        },
        on("withUnretained(_:resultSelector:)", keeps: .everything) { source, probe in
            source.withUnretained(Companion.shared) { _, element in
                probe.note("resultSelector")
                return element
            }
        },
        on("withUnretained(_:)", keeps: .everything) { source, _ in
            source.withUnretained(Companion.shared).map { $0.1 }
        },
    ]
}

extension Laws {
    /// An operator on one infallible.
    private static func on(
        _ name: String, _ variant: String = "", keeps: Keeps = .some, lateSites: Set<String> = [],
        _ build: @escaping @Sendable (Infallible<Int>, Probe) -> Infallible<Int>
    ) -> Row {
        Row("Infallible.\(name)", variant, keeps: keeps, lateSites: lateSites) { source, probe in
            build(Infallible(raw: source), probe).asObservable()
        }
    }

    /// An operator on an infallible and another.
    private static func two(
        _ name: String, _ variant: String = "", keeps: Keeps = .some, completes: Bool = true,
        _ build: @escaping @Sendable (Infallible<Int>, Infallible<Int>) -> Infallible<Int>
    ) -> Row {
        Row("Infallible.\(name)", variant, sources: 2, keeps: keeps, completes: completes) { sources, _, _ in
            build(Infallible(raw: sources[0]), Infallible(raw: sources[1])).asObservable()
        }
    }

    /// A function of three infallibles.
    private static func several(
        _ name: String, _ variant: String, keeps: Keeps = .some,
        _ build: @escaping @Sendable ([Infallible<Int>]) -> Infallible<Int>
    ) -> Row {
        Row("Infallible.\(name)", variant, sources: 3, keeps: keeps) { sources, _, _ in
            build(sources.map { Infallible(raw: $0) }).asObservable()
        }
    }

    /// A function that makes an infallible out of nothing, as the inner sequence of `flatMap`.
    private static func inner(
        _ name: String, _ variant: String = "", isAsynchronous: Bool = false, completes: Bool = true,
        _ make: @escaping @Sendable (Int) -> Infallible<Int>
    ) -> Row {
        Row(
            "Infallible.\(name)", variant, keeps: .everything, isAsynchronous: isAsynchronous, completes: completes
        ) { source, probe in
            source.flatMap { element in
                try probe.visit("selector")
                return make(element)
            }
        }
    }

    /// A way to subscribe. Errors, which would go to the hooks, are replaced by `completed`.
    private static func subscribed(
        _ name: String, _ subscribe: @escaping @Sendable (Infallible<Int>, AnyObserver<Int>) -> any Disposable
    ) -> Row {
        Row("Infallible.\(name)", keeps: .everything, passesErrors: false, chains: false) { source, probe in
            let infallible = source.asInfallible(onErrorFallbackTo: .empty())
            return .create { observer in
                probe.note("subscribe")
                return subscribe(infallible, observer)
            }
        }
    }

    private static func timed(
        _ name: String, _ variant: String = "", _ build: @escaping @Sendable (Infallible<Int>) -> Infallible<Int>
    ) -> Row {
        Row(
            "Infallible.\(name)", variant, isAsynchronous: true, schedulers: [.serial, .queue("rx.clock")],
            passesErrors: false, chains: false
        ) { source, _ in build(Infallible(raw: source)).asObservable() }
    }
}

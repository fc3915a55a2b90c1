// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport

extension Laws {
    static let maybeRows: [Row] =
        maybe.commonRows + maybeCreationRows + maybeElementRows + maybeEmptyRows + maybeSubscribeRows

    private static let maybe = TraitForm<MaybeTrait, Int>(
        prefix: "Maybe.", hasElements: true, enter: { PrimitiveSequence(raw: $0) }, leave: { $0.asObservable() })

    private static let maybeCreationRows: [Row] = [
        Row("Maybe.create(subscribe:)", chains: false) { source, probe in
            Maybe<Int>.create { receive in
                probe.note("subscribe")
                return source.subscribe(
                    onNext: { receive(.success($0)) }, onError: { receive(.error($0)) },
                    onCompleted: { receive(.completed) })
            }.asObservable()
        },
        innerMaybe("just(_:)") { .just($0) },
        innerMaybe("just(_:scheduler:)") { .just($0, scheduler: CurrentThreadScheduler.instance) },
        innerMaybe("error(_:)") { element in Maybe<Int>.error(LawError.source).catch { _ in .just(element) } },
        innerMaybe("never()", keeps: .nothing, completes: false) { _ in .never() },
        innerMaybe("empty()", keeps: .nothing) { _ in .empty() },
        innerMaybe("timer(_:scheduler:)", keeps: .nothing, isAsynchronous: true) {
            .timer(.microseconds(500 + $0 % 10), scheduler: Laws.scheduler)
        },
    ]

    private static func innerMaybe(
        _ name: String, keeps: Keeps = .everything, isAsynchronous: Bool = false, completes: Bool = true,
        _ make: @escaping @Sendable (Int) -> Maybe<Int>
    ) -> Row {
        Row(
            "Maybe." + name, keeps: keeps, isAsynchronous: isAsynchronous, completes: completes,
            chains: !isAsynchronous
        ) { source, probe in
            source.flatMap { element in
                try probe.visit("selector")
                return make(element)
            }
        }
    }

    private static let maybeElementRows: [Row] = [
        maybe.row("map(_:)") { source, probe in
            source.map {
                try probe.visit("transform")
                return $0
            }
        },
        maybe.row("compactMap(_:)") { source, probe in
            source.compactMap { (element: Int) -> Int? in
                try probe.visit("transform")
                return element
            }
        },
        maybe.row("filter(_:)") { source, probe in
            source.filter { _ in
                try probe.visit("predicate")
                return true
            }
        },
        maybe.row("flatMap(_:)") { source, probe in
            source.flatMap {
                try probe.visit("selector")
                return .just($0)
            }
        },
        maybe.row(
            "do(onNext:afterNext:onError:afterError:onCompleted:afterCompleted:onSubscribe:onSubscribed:onDispose:)",
            lateSites: ["afterError", "afterCompleted"]
        ) { source, probe in
            source.do(
                onNext: { _ in try probe.visit("onNext") },
                afterNext: { _ in try probe.visit("afterNext") },
                onError: { _ in try probe.visit("onError") },
                afterError: { _ in try probe.visit("afterError") },
                onCompleted: { try probe.visit("onCompleted") },
                afterCompleted: { try probe.visit("afterCompleted") },
                onSubscribe: { probe.note("onSubscribe") },
                onSubscribed: { probe.note("onSubscribed") },
                onDispose: { probe.note("onDispose") })
        },
        maybe.row("catchAndReturn(_:)", passesErrors: false) { source, _ in source.catchAndReturn(0) },
    ]

    private static let maybeEmptyRows: [Row] = [
        Row("Maybe.ifEmpty(default:)", keeps: .everything) { source, _ in
            Maybe(raw: source).ifEmpty(default: 0).asObservable()
        },
        maybe.row("ifEmpty(switchTo:)", "maybe", sources: 2) { sources, _ in
            sources[0].ifEmpty(switchTo: sources[1])
        },
        maybe.row("ifEmpty(switchTo:)", "empty") { source, _ in Maybe.empty().ifEmpty(switchTo: source) },
        Row("Maybe.ifEmpty(switchTo:)", "single", sources: 2) { sources, _, _ in
            Maybe(raw: sources[0]).ifEmpty(switchTo: Single(raw: sources[1])).asObservable()
        },
    ]

    private static let maybeSubscribeRows: [Row] = [
        Row("Maybe.subscribe(_:)", chains: false) { source, probe in
            .create { observer in
                Maybe(raw: source).subscribe { (event: MaybeEvent<Int>) in
                    probe.note("observer")
                    switch event {
                    case .success(let element):
                        observer.onNext(element)
                        observer.onCompleted()
                    case .error(let error): observer.onError(error)
                    case .completed: observer.onCompleted()
                    }
                }
            }
        },
        Row("Maybe.subscribe(onSuccess:onError:onCompleted:onDisposed:)", chains: false) { source, probe in
            .create { observer in
                Maybe(raw: source).subscribe(
                    onSuccess: { element in
                        probe.note("onSuccess")
                        observer.onNext(element)
                        observer.onCompleted()
                    }, onError: { observer.onError($0) }, onCompleted: { observer.onCompleted() },
                    onDisposed: { probe.note("onDisposed") })
            }
        },
        Row("Maybe.subscribe(with:onSuccess:onError:onCompleted:onDisposed:)", chains: false) { source, probe in
            .create { observer in
                Maybe(raw: source).subscribe(
                    with: Companion.shared,
                    onSuccess: { _, element in
                        probe.note("onSuccess")
                        observer.onNext(element)
                        observer.onCompleted()
                    }, onError: { observer.onError($1) }, onCompleted: { _ in observer.onCompleted() },
                    onDisposed: { _ in probe.note("onDisposed") })
            }
        },
    ]
}

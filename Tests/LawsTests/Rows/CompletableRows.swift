// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport

extension Laws {
    static let completableRows: [Row] =
        completable.commonRows + completableCreationRows + completableCombineRows + andThenRows
        + completableSubscribeRows

    private static let completable = TraitForm<CompletableTrait, Never>(
        prefix: "Completable.", hasElements: false, enter: { PrimitiveSequence(raw: $0.ignoreElements()) },
        leave: { $0.asObservable().map { _ in 0 } })

    private static let completableCreationRows: [Row] = [
        completable.row("create(subscribe:)") { source, probe in
            .create { receive in
                probe.note("subscribe")
                return source.subscribe(onCompleted: { receive(.completed) }, onError: { receive(.error($0)) })
            }
        },
        innerCompletable("error(_:)") { Completable.error(LawError.source).catch { _ in .empty() } },
        innerCompletable("never()", completes: false) { .never() },
        innerCompletable("empty()") { .empty() },
        completable.row(
            "do(onError:afterError:onCompleted:afterCompleted:onSubscribe:onSubscribed:onDispose:)",
            lateSites: ["afterError", "afterCompleted"]
        ) { source, probe in
            source.do(
                onError: { _ in try probe.visit("onError") },
                afterError: { _ in try probe.visit("afterError") },
                onCompleted: { try probe.visit("onCompleted") },
                afterCompleted: { try probe.visit("afterCompleted") },
                onSubscribe: { probe.note("onSubscribe") },
                onSubscribed: { probe.note("onSubscribed") },
                onDispose: { probe.note("onDispose") })
        },
    ]

    private static func innerCompletable(
        _ name: String, completes: Bool = true, _ make: @escaping @Sendable () -> Completable
    ) -> Row {
        Row("Completable." + name, keeps: .nothing, completes: completes) { source, probe in
            source.flatMap { (_: Int) -> Observable<Int> in
                try probe.visit("selector")
                return make().asObservable().map { _ in 0 }
            }
        }
    }

    private static let completableCombineRows: [Row] = [
        completable.row("concat(_:)", "second", sources: 2) { sources, _ in sources[0].concat(sources[1]) },
        completable.row("concat(_:)", "first") { source, _ in source.concat(.empty()) },
        completable.row("concat(_:)", "collection", sources: 3) { sources, _ in .concat(sources) },
        completable.row("concat(_:)", "sequence", sources: 3) { sources, _ in .concat(AnySequence(sources)) },
        completable.row("concat(_:)", "list", sources: 2) { sources, _ in .concat(sources[0], sources[1]) },
        completable.row("zip(_:)", "collection", sources: 3) { sources, _ in .zip(ContiguousArray(sources)) },
        completable.row("zip(_:)", "array", sources: 3) { sources, _ in .zip(sources) },
        completable.row("zip(_:)", "list", sources: 2) { sources, _ in .zip(sources[0], sources[1]) },
        completable.row("zip(_:)", "one") { source, _ in .zip([source]) },
    ]

    private static let andThenRows: [Row] = [
        Row("Completable.andThen(_:)", "single", sources: 2) { sources, _, _ in
            completable.enter(sources[0]).andThen(Single(raw: sources[1])).asObservable()
        },
        Row("Completable.andThen(_:)", "maybe", sources: 2) { sources, _, _ in
            completable.enter(sources[0]).andThen(Maybe(raw: sources[1])).asObservable()
        },
        Row("Completable.andThen(_:)", "observable", sources: 2) { sources, _, _ in
            completable.enter(sources[0]).andThen(sources[1])
        },
        completable.row("andThen(_:)", "completable", sources: 2) { sources, _ in sources[0].andThen(sources[1]) },
        completable.row("andThen(_:)", "first") { source, _ in source.andThen(.empty()) },
        Row("Completable.andThen(_:)", "first of an observable", keeps: .nothing, weight: 2) { source, _ in
            completable.enter(source).andThen(Observable<Int>.empty())
        },
        Row("Completable.andThen(_:)", "second", keeps: .everything) { source, _ in
            Completable.empty().andThen(source)
        },
        completable.row("andThen(_:)", "second completable") { source, _ in Completable.empty().andThen(source) },
    ]

    private static let completableSubscribeRows: [Row] = [
        Row("Completable.subscribe(_:)", keeps: .nothing, weight: 3) { source, probe in
            .create { observer in
                completable.enter(source).subscribe { (event: CompletableEvent) in
                    probe.note("observer")
                    switch event {
                    case .error(let error): observer.onError(error)
                    case .completed: observer.onCompleted()
                    }
                }
            }
        },
        Row("Completable.subscribe(onCompleted:onError:onDisposed:)", keeps: .nothing, weight: 3) { source, probe in
            .create { observer in
                completable.enter(source).subscribe(
                    onCompleted: { observer.onCompleted() }, onError: { observer.onError($0) },
                    onDisposed: { probe.note("onDisposed") })
            }
        },
        Row("Completable.subscribe(with:onCompleted:onError:onDisposed:)", keeps: .nothing, weight: 3) {
            source, probe in
            .create { observer in
                completable.enter(source).subscribe(
                    with: Companion.shared, onCompleted: { _ in observer.onCompleted() },
                    onError: { observer.onError($1) }, onDisposed: { _ in probe.note("onDisposed") })
            }
        },
    ]
}

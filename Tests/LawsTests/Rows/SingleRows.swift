// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport

extension Laws {
    static let singleRows: [Row] =
        single.commonRows + singleCreationRows + singleElementRows + singleSubscribeRows + singleZipRows

    private static let single = TraitForm<SingleTrait, Int>(
        prefix: "Single.", hasElements: true, enter: { PrimitiveSequence(raw: $0) }, leave: { $0.asObservable() })

    private static let singleCreationRows: [Row] = [
        Row("Single.create(subscribe:)", chains: false) { source, probe in
            Single<Int>.create { receive in
                probe.note("subscribe")
                return source.subscribe(
                    onNext: { receive(.success($0)) }, onError: { receive(.failure($0)) },
                    onCompleted: { receive(.failure(RxError.noElements)) })
            }.asObservable()
        },
        innerSingle("just(_:)") { .just($0) },
        innerSingle("just(_:scheduler:)") { .just($0, scheduler: CurrentThreadScheduler.instance) },
        innerSingle("error(_:)") { element in Single<Int>.error(LawError.source).catch { _ in .just(element) } },
        innerSingle("never()", completes: false) { _ in .never() },
        innerSingle("timer(_:scheduler:)", isAsynchronous: true) {
            .timer(.microseconds(500 + $0 % 10), scheduler: Laws.scheduler)
        },
    ]

    private static func innerSingle(
        _ name: String, isAsynchronous: Bool = false, completes: Bool = true,
        _ make: @escaping @Sendable (Int) -> Single<Int>
    ) -> Row {
        Row(
            "Single." + name, keeps: isAsynchronous || !completes ? .nothing : .everything,
            isAsynchronous: isAsynchronous, completes: completes, chains: !isAsynchronous
        ) { source, probe in
            source.flatMap { element in
                try probe.visit("selector")
                return make(element)
            }
        }
    }

    private static let singleElementRows: [Row] = [
        single.row("map(_:)") { source, probe in
            source.map {
                try probe.visit("transform")
                return $0
            }
        },
        Row("Single.compactMap(_:)", keeps: .everything) { source, probe in
            Single(raw: source).compactMap { (element: Int) -> Int? in
                try probe.visit("transform")
                return element
            }.asObservable()
        },
        Row("Single.filter(_:)", keeps: .everything) { source, probe in
            Single(raw: source).filter { _ in
                try probe.visit("predicate")
                return true
            }.asObservable()
        },
        single.row("flatMap(_:)") { source, probe in
            source.flatMap {
                try probe.visit("selector")
                return .just($0)
            }
        },
        Row("Single.flatMapMaybe(_:)", keeps: .everything) { source, probe in
            Single(raw: source).flatMapMaybe {
                try probe.visit("selector")
                return .just($0)
            }.asObservable()
        },
        Row("Single.flatMapCompletable(_:)", keeps: .nothing) { source, probe in
            Single(raw: source).flatMapCompletable { _ in
                try probe.visit("selector")
                return .empty()
            }.asObservable().map { _ in 0 }
        },
        single.row(
            "do(onSuccess:afterSuccess:onError:afterError:onSubscribe:onSubscribed:onDispose:)",
            lateSites: ["afterError"]
        ) { source, probe in
            source.do(
                onSuccess: { _ in try probe.visit("onSuccess") },
                afterSuccess: { _ in try probe.visit("afterSuccess") },
                onError: { _ in try probe.visit("onError") },
                afterError: { _ in try probe.visit("afterError") },
                onSubscribe: { probe.note("onSubscribe") },
                onSubscribed: { probe.note("onSubscribed") },
                onDispose: { probe.note("onDispose") })
        },
        single.row("catchAndReturn(_:)", passesErrors: false) { source, _ in source.catchAndReturn(0) },
        Row("Single.asMaybe()", keeps: .everything) { source, _ in Single(raw: source).asMaybe().asObservable() },
        Row("Single.asCompletable()", keeps: .nothing) { source, _ in
            Single(raw: source).asCompletable().asObservable().map { _ in 0 }
        },
    ]

    private static let singleSubscribeRows: [Row] = [
        Row("Single.subscribe(_:)", chains: false) { source, probe in
            .create { observer in
                Single(raw: source).subscribe { (result: Result<Int, any Error>) in
                    probe.note("observer")
                    switch result {
                    case .success(let element):
                        observer.onNext(element)
                        observer.onCompleted()
                    case .failure(let error): observer.onError(error)
                    }
                }
            }
        },
        Row("Single.subscribe(onSuccess:onFailure:onDisposed:)", chains: false) { source, probe in
            .create { observer in
                Single(raw: source).subscribe(
                    onSuccess: { element in
                        probe.note("onSuccess")
                        observer.onNext(element)
                        observer.onCompleted()
                    }, onFailure: { observer.onError($0) }, onDisposed: { probe.note("onDisposed") })
            }
        },
        Row("Single.subscribe(with:onSuccess:onFailure:onDisposed:)", chains: false) { source, probe in
            .create { observer in
                Single(raw: source).subscribe(
                    with: Companion.shared,
                    onSuccess: { _, element in
                        probe.note("onSuccess")
                        observer.onNext(element)
                        observer.onCompleted()
                    }, onFailure: { observer.onError($1) }, onDisposed: { _ in probe.note("onDisposed") })
            }
        },
    ]

    private static let singleZipRows: [Row] = [
        Row("Single.zip(_:)", sources: 3, keeps: .tested) { sources, tested, _ in
            Single.zip(sources.map { Single(raw: $0) }).asObservable().map { $0[tested] }
        },
        Row("Single.zip(_:resultSelector:)", sources: 3, keeps: .tested) { sources, tested, probe in
            Single.zip(sources.map { Single(raw: $0) }) { elements in
                try probe.visit("resultSelector")
                return elements[tested]
            }.asObservable()
        },
    ]
}

// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport

extension Laws {
    /// Functions that make a sequence out of nothing run as the inner sequence of `flatMap`, so that a source drives them.
    static let creationRows: [Row] = directCreationRows + innerCreationRows

    private static let directCreationRows: [Row] = [
        Row("create(_:)", keeps: .everything) { source, probe in
            .create { observer in
                probe.note("subscribe")
                return source.subscribe(observer)
            }
        },
        Row("asObservable()", keeps: .everything) { source, _ in source.asObservable() },
        Row("deferred(_:)", keeps: .everything) { source, probe in
            .deferred {
                try probe.visit("observableFactory")
                return source
            }
        },
        Row("using(_:observableFactory:)", keeps: .everything) { source, probe in
            .using { () throws -> BooleanDisposable in
                try probe.visit("resourceFactory")
                return BooleanDisposable()
            } observableFactory: { (_: BooleanDisposable) -> Observable<Int> in
                try probe.visit("observableFactory")
                return source
            }
        },
        Row("generate(initialState:condition:scheduler:iterate:)", keeps: .everything) { source, probe in
            source.flatMap { element in
                Observable.generate(
                    initialState: element,
                    condition: {
                        try probe.visit("condition")
                        return $0 == element
                    },
                    iterate: {
                        try probe.visit("iterate")
                        return $0 + 1
                    })
            }
        },
    ]

    private static let innerCreationRows: [Row] = [
        inner("just(_:)") { Observable<Int>.just($0) },
        inner("just(_:scheduler:)") { Observable<Int>.just($0, scheduler: CurrentThreadScheduler.instance) },
        inner("just(_:scheduler:)", "serial", isAsynchronous: true) {
            Observable<Int>.just($0, scheduler: Laws.scheduler)
        },
        inner("of(_:scheduler:)") { Observable<Int>.of($0) },
        inner("of(_:scheduler:)", "serial", isAsynchronous: true) { Observable<Int>.of($0, scheduler: Laws.scheduler) },
        inner("from(_:scheduler:)", "array") { Observable<Int>.from([$0]) },
        inner("from(_:scheduler:)", "sequence") { Observable<Int>.from(AnySequence([$0])) },
        inner("from(optional:)") { Observable<Int>.from(optional: $0) },
        inner("from(optional:scheduler:)") {
            Observable<Int>.from(optional: $0, scheduler: CurrentThreadScheduler.instance)
        },
        inner("range(start:count:scheduler:)") { Observable<Int>.range(start: $0, count: 1) },
        inner("repeatElement(_:scheduler:)") { Observable.repeatElement($0).take(1) },
        inner("empty()") { Observable<Int>.merge(.just($0), .empty()) },
        inner("error(_:)") { element in
            Observable<Int>.error(LawError.source).catch { (_: any Error) -> Observable<Int> in .just(element) }
        },
        inner("never()", completes: false) { Observable<Int>.merge(.just($0), .never()) },
    ]

    private static func inner(
        _ name: String, _ variant: String = "", isAsynchronous: Bool = false, completes: Bool = true,
        _ make: @escaping @Sendable (Int) -> Observable<Int>
    ) -> Row {
        Row(name, variant, keeps: .everything, isAsynchronous: isAsynchronous, completes: completes) {
            source, probe in
            source.flatMap { element in
                try probe.visit("selector")
                return make(element)
            }
        }
    }
}

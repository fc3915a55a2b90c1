// SPDX-License-Identifier: Apache-2.0

import RxCocoa
import RxSwift
import TestSupport

extension Laws {
    /// Bindings of a source to the observer of `create`, and functions that sources are bound to.
    static let bindRows: [Row] = [
        bindRow("bind(to:)", "observer") { source, observer, _ in source.bind(to: observer) },
        bindRow("bind(to:)", "observer of optionals") { source, observer, probe in
            let target: AnyObserver<Int?> = observer.mapObserver { element in
                probe.note("mapObserver")
                return element!
            }
            return source.bind(to: target)
        },
        bindRow("bind(to:)", "infallible") { source, observer, _ in
            let target: AnyObserver<Event<Int>> = AnyObserver { if let event = $0.element { observer.on(event) } }
            return Infallible<Event<Int>>(raw: source.materialize()).bind(to: target)
        },
        Row("bind(to:)", "function", keeps: .everything) { source, _ in
            source.bind(to: { (source: Observable<Int>) -> Observable<Int> in source.filter { _ in true } })
        },
        Row("bind(to:curriedArgument:)", keeps: .everything) { source, probe in
            source.bind(to: filtered, curriedArgument: probe)
        },
        bindRow("bind(onNext:)") { source, observer, probe in
            source.materialize().bind(onNext: { (event: Event<Int>) in
                probe.note("onNext")
                observer.on(event)
            })
        },
        bindRow("bind(onNext:)", "infallible") { source, observer, probe in
            Infallible<Event<Int>>(raw: source.materialize()).bind(onNext: { (event: Event<Int>) in
                probe.note("onNext")
                observer.on(event)
            })
        },
        bindRow("bind(with:onNext:)") { source, observer, probe in
            let object = ReleaseToken()
            return source.materialize().bind(with: object) { (_: ReleaseToken, event: Event<Int>) in
                probe.note("onNext")
                observer.on(event)
                // Otherwise no object would retain it.
                withExtendedLifetime(object) {}
            }
        },
    ]

    private static func bindRow(
        _ name: String, _ variant: String = "",
        _ bind: @escaping @Sendable (Observable<Int>, AnyObserver<Int>, Probe) -> any Disposable
    ) -> Row {
        // Counted as two: `create` and the binding.
        Row(name, variant, keeps: .everything, weight: 2) { source, probe in
            Observable<Int>.create { observer in bind(source, observer, probe) }
        }
    }

    private static func filtered(_ source: Observable<Int>) -> (Probe) -> Observable<Int> {
        { probe in
            source.filter { _ in
                try probe.visit("filter")
                return true
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport

extension Laws {
    static let primitiveSequenceRows: [Row] =
        conversionRows + singleRows + maybeRows + completableRows

    private static let conversionRows: [Row] = [
        Row("asMaybe()", chains: false) { source, _ in source.asMaybe().asObservable() },
        Row("asMaybe()", "of one") { source, _ in source.take(1).asMaybe().asObservable() },
        Row("asCompletable()", keeps: .nothing) { source, _ in
            source.ignoreElements().asCompletable().asObservable().map { _ in 0 }
        },
    ]

    /// The conversions of the sources of a row to sequences of a trait, and of such a sequence to an observable.
    ///
    /// Singles and maybes are made without a check, so that all elements of the sources come to the operator.
    struct TraitForm<Trait, Element>: Sendable {
        /// In front of the function's name.
        let prefix: String
        /// True if the trait has elements.
        let hasElements: Bool
        let enter: @Sendable (Observable<Int>) -> PrimitiveSequence<Trait, Element>
        let leave: @Sendable (PrimitiveSequence<Trait, Element>) -> Observable<Int>

        func row(
            _ name: String, _ variant: String = "", sources: Int, completes: Bool = true, isAsynchronous: Bool = false,
            build: @escaping @Sendable ([PrimitiveSequence<Trait, Element>], Probe) -> PrimitiveSequence<Trait, Element>
        ) -> Row {
            Row(
                prefix + name, variant, sources: sources, keeps: hasElements ? .some : .nothing,
                isAsynchronous: isAsynchronous, completes: completes
            ) { [enter, leave] sources, _, probe in leave(build(sources.map(enter), probe)) }
        }

        func row(
            _ name: String, _ variant: String = "", keeps: Keeps = .everything, isAsynchronous: Bool = false,
            completes: Bool = true, passesErrors: Bool = true, chains: Bool = true, errorWeight: Int = 1,
            lateSites: Set<String> = [],
            build: @escaping @Sendable (PrimitiveSequence<Trait, Element>, Probe) -> PrimitiveSequence<Trait, Element>
        ) -> Row {
            Row(
                prefix + name, variant, keeps: hasElements ? keeps : .nothing, isAsynchronous: isAsynchronous,
                schedulers: [.serial, .queue("rx.clock")], completes: completes, passesErrors: passesErrors,
                chains: chains, weight: hasElements ? 1 : 3, errorWeight: errorWeight,
                lateSites: lateSites
            ) { [enter, leave] source, probe in leave(build(enter(source), probe)) }
        }

        private func timed(
            _ name: String, keeps: Keeps = .some, completes: Bool = true,
            build: @escaping @Sendable (PrimitiveSequence<Trait, Element>) -> PrimitiveSequence<Trait, Element>
        ) -> Row {
            row(name, keeps: keeps, isAsynchronous: true, completes: completes, passesErrors: false, chains: false) {
                source, _ in build(source)
            }
        }

        /// The operators that all traits have.
        var commonRows: [Row] { creationRows + recoveryRows + schedulingRows }

        private var creationRows: [Row] {
            [
                row("deferred(_:)") { source, probe in
                    .deferred {
                        try probe.visit("observableFactory")
                        return source
                    }
                },
                row("using(_:primitiveSequenceFactory:)") { source, probe in
                    .using { () throws -> BooleanDisposable in
                        try probe.visit("resourceFactory")
                        return BooleanDisposable()
                    } primitiveSequenceFactory: { (_: BooleanDisposable) -> PrimitiveSequence<Trait, Element> in
                        try probe.visit("primitiveSequenceFactory")
                        return source
                    }
                },
            ]
        }

        private var recoveryRows: [Row] {
            [
                row("catch(_:)", sources: 2) { sources, probe in
                    sources[0].catch { _ in
                        try probe.visit("handler")
                        return sources[1]
                    }
                },
                row("catch(_:)", "one") { source, probe in
                    source.catch { error in
                        try probe.visit("handler")
                        throw error
                    }
                },
                row("retry(_:)", "once") { source, _ in source.retry(1) },
                row("retry(_:)", "thrice", passesErrors: false, chains: false) { source, _ in source.retry(3) },
                row("retry(when:)", errorWeight: 3) { source, probe in
                    source.retry { (errors: Observable<any Error>) -> Observable<Int> in
                        errors.flatMap { (error: any Error) -> Observable<Int> in
                            try probe.visit("trigger")
                            return .error(error)
                        }
                    }
                },
                row("retry(when:)", "typed", passesErrors: false, chains: false) { source, _ in
                    source.retry { (errors: Observable<LawError>) in errors.take(2) }
                },
            ]
        }

        private var schedulingRows: [Row] {
            let long = RxTimeInterval.seconds(1_000)
            let short = RxTimeInterval.microseconds(500)
            return [
                row("observe(on:)", isAsynchronous: true, chains: false) { source, _ in
                    source.observe(on: Laws.scheduler)
                },
                row("subscribe(on:)") { source, _ in source.subscribe(on: CurrentThreadScheduler.instance) },
                timed("delay(_:scheduler:)", keeps: .everything) { $0.delay(short, scheduler: Laws.scheduler) },
                // The events that the source sends before the subscription are lost, its end included.
                timed("delaySubscription(_:scheduler:)", completes: false) {
                    $0.delaySubscription(short, scheduler: Laws.scheduler)
                },
                row("timeout(_:scheduler:)", "long") { source, _ in source.timeout(long, scheduler: Laws.scheduler) },
                timed("timeout(_:scheduler:)") { $0.timeout(short, scheduler: Laws.scheduler) },
                timed("delay(for:clock:)", keeps: .everything) { $0.delay(for: .microseconds(500)) },
                timed("delaySubscription(for:clock:)", completes: false) {
                    $0.delaySubscription(for: .microseconds(500))
                },
                timed("timeout(after:clock:)") { $0.timeout(after: .microseconds(500)) },
                row("timeout(_:other:scheduler:)", sources: 2, completes: false, isAsynchronous: true) { sources, _ in
                    sources[0].timeout(short, other: sources[1], scheduler: Laws.scheduler)
                },
            ]
        }
    }
}

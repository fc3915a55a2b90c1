// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

/// The events of each operator for one course of two sources. The laws check errors, disposal and release.
@Suite struct InfallibleOperatorsTests {
    struct Form: @unchecked Sendable, CustomTestStringConvertible {
        let name: String
        let expected: String
        let build: (Infallible<Int>, Infallible<Int>) -> Observable<String>
        var testDescription: String { name }

        init<Element>(
            _ name: String, _ expected: String,
            _ build: @escaping (Infallible<Int>, Infallible<Int>) -> Infallible<Element>
        ) {
            self.name = name
            self.expected = expected
            self.build = { build($0, $1).map { "\($0)" }.asObservable() }
        }
    }

    @Test(
        "Each operator sends the expected events",
        arguments: transformations + parts + combinations + collections + innerSequences + inspections)
    func operators(_ form: Form) {
        let source = PublishSubject<Int>()
        let other = PublishSubject<Int>()
        let log = EventLog(form.build(Infallible(raw: source), Infallible(raw: other)))
        source.onNext(1)
        other.onNext(10)
        for element in [2, 2, 3] { source.onNext(element) }
        other.onNext(20)
        source.onNext(4)
        source.onCompleted()
        other.onNext(30)
        other.onCompleted()
        #expect(log.text == form.expected)
        #expect(!source.hasObservers && !other.hasObservers)
    }

    static let transformations: [Form] = [
        Form("map", "10 20 20 30 40 completed") { source, _ in source.map { $0 * 10 } },
        Form("compactMap", "1 3 completed") { source, _ in source.compactMap { $0 % 2 == 0 ? nil : $0 } },
        Form("scan", "1 3 5 8 12 completed") { source, _ in source.scan(0) { $0 + $1 } },
        Form("scan(into:)", "1 3 5 8 12 completed") { source, _ in source.scan(into: 0) { $0 += $1 } },
        Form("filter", "2 2 4 completed") { source, _ in source.filter { $0 % 2 == 0 } },
        Form("distinctUntilChanged", "1 2 3 4 completed") { source, _ in source.distinctUntilChanged() },
        Form("distinctUntilChanged by key", "1 2 4 completed") { source, _ in
            source.distinctUntilChanged { $0 / 2 }
        },
        Form("distinctUntilChanged by comparer", "1 3 completed") { source, _ in
            source.distinctUntilChanged { $1 - $0 < 2 }
        },
        Form("distinctUntilChanged by key and comparer", "1 3 completed") { source, _ in
            source.distinctUntilChanged({ $0 * 10 }, comparer: { $1 - $0 < 20 })
        },
        Form("distinctUntilChanged(at:)", "1 2 3 4 completed") { source, _ in
            source.distinctUntilChanged(at: \.magnitude)
        },
    ]

    static let parts: [Form] = [
        Form("take", "1 2 completed") { source, _ in source.take(2) },
        Form("take none", "completed") { source, _ in source.take(0) },
        Form("take(until: infallible)", "1 completed") { source, other in source.take(until: other) },
        Form("take(until: observable)", "1 completed") { source, other in source.take(until: other.asObservable()) },
        Form("take(until: predicate)", "1 2 2 completed") { source, _ in source.take(until: { $0 == 3 }) },
        Form("take(until: predicate), inclusive", "1 2 2 3 completed") { source, _ in
            source.take(until: { $0 == 3 }, behavior: .inclusive)
        },
        Form("take(while:)", "1 2 2 completed") { source, _ in source.take(while: { $0 < 3 }) },
        Form("take(while:), inclusive", "1 2 2 3 completed") { source, _ in
            source.take(while: { $0 < 3 }, behavior: .inclusive)
        },
        Form("skip(while:)", "2 2 3 4 completed") { source, _ in source.skip(while: { $0 < 2 }) },
        Form("skip(until:)", "2 2 3 4 completed") { source, other in source.skip(until: other.asObservable()) },
    ]

    static let combinations: [Form] = [
        Form("startWith", "0 1 2 2 3 4 completed") { source, _ in source.startWith(0) },
        Form("withLatestFrom", "10 10 10 20 completed") { source, other in source.withLatestFrom(other) },
        Form("withLatestFrom with selector", "12 12 13 24 completed") { source, other in
            source.withLatestFrom(other) { $0 + $1 }
        },
        Form("concat", "1 2 2 3 4 30 completed") { source, other in source.concat(other) },
        Form("concat of observable", "1 2 2 3 4 30 completed") { source, other in source.concat(other.asObservable()) },
        Form("concat of list", "1 2 2 3 4 30 completed") { .concat($0, $1) },
        Form("concat of array", "1 2 2 3 4 30 completed") { .concat([$0, $1]) },
        Form("concat of sequence", "1 2 2 3 4 30 completed") { .concat(AnySequence([$0, $1])) },
        Form("merge of list", "1 10 2 2 3 20 4 30 completed") { .merge($0, $1) },
        Form("merge of array", "1 10 2 2 3 20 4 30 completed") { .merge([$0, $1]) },
        // RxSwift merges other collections in turn as well.
        Form("merge of another collection", "1 2 2 3 4 30 completed") { .merge(ContiguousArray([$0, $1])) },
    ]

    static let collections: [Form] = [
        Form("combineLatest", "[1, 10] [2, 10] [2, 10] [3, 10] [3, 20] [4, 20] [4, 30] completed") {
            Infallible.combineLatest([$0, $1])
        },
        Form("combineLatest with selector", "11 12 12 13 23 24 34 completed") { source, other in
            Infallible<Int>.combineLatest([source, other]) { (elements: [Int]) -> Int in elements[0] + elements[1] }
        },
        Form("combineLatest of none", "[] completed") { _, _ in Infallible.combineLatest([Infallible<Int>]()) },
    ]

    static let innerSequences: [Form] = [
        Form("flatMap", "1 3 20 20 4 30 30 completed") { source, other in
            source.flatMap { $0 == 2 ? other : .just($0) }
        },
        Form("flatMapLatest", "1 3 4 completed") { source, other in
            source.flatMapLatest { $0 == 2 ? other : .just($0) }
        },
        Form("flatMapLatest of an observable", "1 3 4 completed") { source, other in
            source.asObservable().flatMapLatest { $0 == 2 ? other : .just($0) }
        },
        Form("flatMapFirst", "1 20 30 completed") { source, other in
            source.flatMapFirst { $0 == 2 ? other : .just($0) }
        },
        Form("concatMap", "1 20 30 3 4 completed") { source, other in
            source.concatMap { $0 == 2 ? other : .just($0) }
        },
    ]

    static let inspections: [Form] = [
        Form("share", "1 2 2 3 4 completed") { source, _ in source.share() },
        Form("debug", "1 2 2 3 4 completed") { source, _ in source.debug("InfallibleOperatorsTests") },
        Form("withUnretained", "7 1 7 2 7 2 7 3 7 4 completed") { source, _ in
            let object = ReleaseToken(7)
            return source.do(onDispose: { withExtendedLifetime(object) {} }).withUnretained(object).map {
                "\($0) \($1)"
            }
        },
        Form("withUnretained of what is gone", "completed") { source, _ in
            source.withUnretained(ReleaseToken()) { $1 }
        },
    ]

    @Test(
        "Each source sends the expected events",
        arguments: [
            (Infallible<Int>.just(1), "1 completed"),
            (.just(1, scheduler: CurrentThreadScheduler.instance), "1 completed"),
            (.of(1, 2), "1 2 completed"), (.of(), "completed"), (.from([1, 2]), "1 2 completed"),
            (.from(AnySequence([1, 2])), "1 2 completed"), (.empty(), "completed"), (.never(), ""),
            (.deferred { .of(1, 2) }, "1 2 completed"), (.merge(.of(1, 2, 3), .of(4, 5, 6)), "1 4 2 5 3 6 completed"),
            (.merge([]), "completed"), (.concat([]), "completed"),
        ] as [(Infallible<Int>, String)]) func sources(_ infallible: Infallible<Int>, _ expected: String)
    {
        #expect(text(of: infallible.asObservable()) == expected)
    }

    /// The promise is broken, and the error passes.
    @Test("An error that a closure throws ends the sequence", arguments: throwing) func throwingClosures(_ form: Form) {
        #expect(text(of: form.build(.of(1, 2), .just(0))) == form.expected)
    }

    static let throwing: [Form] = [
        Form("deferred", "error(expected)") { _, _ in Infallible<Int>.deferred { throw Failure.expected } },
        Form("distinctUntilChanged by key", "error(expected)") { source, _ in
            source.distinctUntilChanged { (_: Int) -> Int in throw Failure.expected }
        },
        Form("distinctUntilChanged by comparer", "1 error(expected)") { source, _ in
            source.distinctUntilChanged { (_: Int, _: Int) -> Bool in throw Failure.expected }
        },
        Form("distinctUntilChanged by key and comparer", "1 error(expected)") { source, _ in
            source.distinctUntilChanged({ $0 }, comparer: { (_: Int, _: Int) -> Bool in throw Failure.expected })
        },
        Form("take(until:)", "error(expected)") { source, _ in
            source.take(until: { _ in throw Failure.expected })
        },
        Form("take(while:)", "error(expected)") { source, _ in
            source.take(while: { _ in throw Failure.expected })
        },
        Form("skip(while:)", "error(expected)") { source, _ in
            source.skip(while: { _ in throw Failure.expected })
        },
        Form("withLatestFrom", "error(expected)") { source, other in
            source.withLatestFrom(other) { (_: Int, _: Int) -> Int in throw Failure.expected }
        },
        Form("combineLatest", "error(expected)") { source, other in
            Infallible<Int>.combineLatest([source, other]) { (_: [Int]) -> Int in throw Failure.expected }
        },
        Form("do(onNext:)", "error(expected)") { source, _ in source.do(onNext: { _ in throw Failure.expected }) },
        Form("do(onCompleted:)", "1 2 error(expected)") { source, _ in
            source.do(onCompleted: { throw Failure.expected })
        },
        Form("flatMapLatest of an observable", "error(expected)") { source, _ in
            source.asObservable().flatMapLatest { _ -> Infallible<Int> in throw Failure.expected }
        },
    ]

    @Test("do runs its closures") func doClosures() {
        let log = EventLog()
        let infallible = Infallible.just(1).do(
            onNext: { log.note("onNext \($0)") }, afterNext: { log.note("afterNext \($0)") },
            onCompleted: { log.note("onCompleted") }, afterCompleted: { log.note("afterCompleted") },
            onSubscribe: { log.note("onSubscribe") }, onSubscribed: { log.note("onSubscribed") },
            onDispose: { log.note("onDispose") })
        _ = infallible.subscribe { log.note("\($0)") }
        #expect(
            log.lines == [
                "onSubscribe", "onNext 1", "next(1)", "afterNext 1", "onCompleted", "completed", "afterCompleted",
                "onSubscribed", "onDispose",
            ])
    }

    @Test("share subscribes once and replays") func sharing() {
        let log = EventLog()
        let subject = PublishSubject<Int>()
        let shared = Infallible(raw: subject).do(onSubscribe: { log.note("subscribed") }).share(replay: 1)
        let first = log.observe(shared.asObservable(), "a")
        subject.onNext(1)
        let second = log.observe(shared.asObservable(), "b")
        subject.onNext(2)
        first.dispose()
        second.dispose()
        #expect(log.text == "subscribed a1 b1 a2 b2" && !subject.hasObservers)
    }

    @Test("concat takes its sources from the sequence once") func concatSources() {
        var iterations = 0
        let sources = AnySequence { () -> AnyIterator<Infallible<Int>> in
            iterations += 1
            return AnyIterator([Infallible.just(iterations)].makeIterator())
        }
        let infallible = Infallible.concat(sources).asObservable()
        #expect(iterations == 1)
        #expect(text(of: infallible) == "1 completed" && text(of: infallible) == "1 completed")
    }

    @Test("combineLatest takes its sources from the collection at each subscription") func combineLatestSources() {
        var made = 0
        let sources = (0..<2).lazy.map { index in
            made += 1
            return Infallible.just(made * 10 + index)
        }
        let infallible = Infallible.combineLatest(sources).asObservable()
        #expect(made == 0)
        #expect(text(of: infallible) == "[10, 21] completed" && text(of: infallible) == "[30, 41] completed")
    }
}

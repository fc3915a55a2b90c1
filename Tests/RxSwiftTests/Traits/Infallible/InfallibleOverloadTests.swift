// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

/// Calls as users write them, most of them without a type. They test that the calls compile, and the type of their result.
@Suite struct InfallibleOverloadTests {
    private func kind<Element>(of _: Infallible<Element>) -> String { "Infallible<\(Element.self)>" }
    private func kind<Element>(of _: Observable<Element>) -> String { "Observable<\(Element.self)>" }

    private let infallible = Infallible.of(1, 2, 2)
    private let observable = Observable.of(1, 2, 2)

    @Test("Operators with inner sequences have the expected types") func innerSequences() {
        #expect(kind(of: infallible.flatMap { Infallible.just($0) }) == "Infallible<Int>")
        #expect(kind(of: infallible.flatMap { Observable.just("\($0)") }) == "Infallible<String>")
        #expect(kind(of: infallible.flatMapLatest { x in Infallible.just(x) }) == "Infallible<Int>")
        #expect(kind(of: infallible.flatMapLatest { Single.just($0) }) == "Infallible<Int>")
        #expect(kind(of: infallible.flatMapFirst { Infallible.just($0) }) == "Infallible<Int>")
        #expect(kind(of: infallible.concatMap { Infallible.just($0) }) == "Infallible<Int>")
        #expect(kind(of: observable.flatMap { Infallible.just($0) }) == "Observable<Int>")
        #expect(kind(of: observable.flatMapLatest { Infallible.just($0) }) == "Infallible<Int>")
        #expect(kind(of: observable.flatMapLatest { Observable.just($0) }) == "Observable<Int>")
        #expect(kind(of: observable.flatMapLatest { Single.just($0) }) == "Observable<Int>")
        let asked: Observable<Int> = observable.flatMapLatest { Infallible.just($0) }
        #expect(kind(of: asked) == "Observable<Int>")
        let several = observable.flatMapLatest { element -> Infallible<String> in
            let text = "\(element)"
            return element > 1 ? .just(text) : .of(text, text)
        }
        #expect(text(of: several.asObservable()) == "1 2 2 completed")
    }

    @Test("A chain of operators remains an Infallible") func chains() {
        let chain = infallible.map { $0 + 1 }.filter { $0 > 2 }.distinctUntilChanged().startWith(0).map { "\($0)" }
        #expect(kind(of: chain) == "Infallible<String>")
        #expect(text(of: chain.asObservable()) == "0 3 completed")
        let mixed = observable.asInfallible(onErrorJustReturn: 0).scan(0) { $0 + $1 }.take(2).share()
        #expect(kind(of: mixed) == "Infallible<Int>")
        #expect(kind(of: infallible.compactMap { Int("\($0)") }) == "Infallible<Int>")
    }

    @Test("Overloads of one name are told apart by the shape of their closures") func closureShapes() {
        #expect(text(of: infallible.distinctUntilChanged { $0 }.asObservable()) == "1 2 completed")
        #expect(text(of: infallible.distinctUntilChanged { $0 == $1 }.asObservable()) == "1 2 completed")
        #expect(text(of: infallible.take(until: { $0 > 1 }).asObservable()) == "1 completed")
        let subject = PublishSubject<Void>()
        #expect(kind(of: infallible.take(until: subject)) == "Infallible<Int>")
        #expect(kind(of: infallible.take(until: Infallible<Void>.never())) == "Infallible<Int>")
        #expect(kind(of: infallible.skip(until: subject)) == "Infallible<Int>")
        #expect(kind(of: infallible.withLatestFrom(Infallible.just("a"))) == "Infallible<String>")
        #expect(kind(of: infallible.withLatestFrom(Infallible.just("a")) { ($0, $1) }) == "Infallible<(Int, String)>")
        #expect(kind(of: infallible.withUnretained(ReleaseToken()) { $1 }) == "Infallible<Int>")
    }

    @Test("The context determines the element type") func contextualTypes() {
        let sources: [Infallible<Int>] = [.just(1), .empty(), .of(2, 3), .from([4]), .deferred { .just(5) }]
        #expect(text(of: Infallible.concat(sources).asObservable()) == "1 2 3 4 5 completed")
        #expect(kind(of: Infallible.merge(sources)) == "Infallible<Int>")
        #expect(kind(of: Infallible.merge(.just(1), .just(2))) == "Infallible<Int>")
        #expect(kind(of: Infallible.merge(sources.map { $0.map { "\($0)" } })) == "Infallible<String>")
        #expect(kind(of: Infallible.combineLatest(sources)) == "Infallible<Array<Int>>")
        let sum = Infallible.combineLatest(sources) { $0.reduce(0, +) }
        #expect(kind(of: sum) == "Infallible<Int>")
        let made =
            Infallible.create { observer in
                observer(.next(1))
                observer(.completed)
                return Disposables.create()
            } as Infallible<Int>
        #expect(text(of: made.asObservable()) == "1 completed")
    }

    @Test("Each way to subscribe compiles and receives the events") func subscribing() {
        let log = EventLog()
        _ = infallible.subscribe { event in log.note("\(event)") }
        _ = infallible.subscribe { log.note("\($0)") }
        _ = infallible.subscribe(onNext: { log.note("\($0)") })
        _ = infallible.subscribe {
            log.note("\($0)")
        } onCompleted: {
            log.note("end")
        }
        let bag = DisposeBag()
        infallible.subscribe().disposed(by: bag)
        let events = "next(1) next(2) next(2) completed"
        #expect(log.text == "\(events) \(events) 1 2 2 1 2 2 end")
    }
}

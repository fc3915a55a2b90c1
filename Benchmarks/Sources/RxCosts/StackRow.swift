// SPDX-License-Identifier: Apache-2.0

import Dispatch
import RxSwift

/// Operators that are repeated in a chain, whose stack is measured per operator.
struct StackRow {
    let name: String
    /// The number of operators that `stage` adds to a chain.
    let operators: Int
    let stage: (Observable<Int>) -> Observable<Int>

    init(_ name: String, operators: Int = 1, _ stage: @escaping (Observable<Int>) -> Observable<Int>) {
        self.name = name
        self.operators = operators
        self.stage = stage
    }

    static var all: [StackRow] { linear + combining + flattening + sharing + timed + made }

    private static var linear: [StackRow] {
        [
            StackRow("map") { $0.map { $0 } },
            StackRow("filter") { $0.filter { _ in true } },
            StackRow("scan") { $0.scan(0) { $0 &+ $1 } },
            StackRow("do") { $0.do(onNext: { _ in }, onCompleted: {}, onDispose: {}) },
            StackRow("materialize, dematerialize", operators: 2) { $0.materialize().dematerialize() },
            StackRow("toArray, map", operators: 2) { $0.toArray().asObservable().map { $0.first ?? 0 } },
            StackRow("takeLast") { $0.takeLast(1) },
            StackRow("observe(on:)") { $0.observe(on: CurrentThreadScheduler.instance) },
            StackRow("subscribe(on:)") { $0.subscribe(on: CurrentThreadScheduler.instance) },
        ]
    }

    private static var combining: [StackRow] {
        [
            StackRow("merge") { Observable.merge($0, .empty()) },
            StackRow("combineLatest") { Observable.combineLatest($0, Observable.just(1)) { a, _ in a } },
            StackRow("zip") { Observable.zip($0, Observable.of(1, 2)) { a, _ in a } },
            StackRow("withLatestFrom") { $0.withLatestFrom(Observable.just(1)) { a, _ in a } },
            StackRow("amb") { $0.amb(Observable<Int>.never()) },
            StackRow("take(until:)") { $0.take(until: Observable<Int>.never()) },
            StackRow("skip(until:)") { $0.skip(until: Observable.just(1)) },
            StackRow("concat") { $0.concat(Observable.empty()) },
            StackRow("startWith, skip", operators: 2) { $0.startWith(0).skip(1) },
            StackRow("ifEmpty(switchTo:)") { $0.ifEmpty(switchTo: .just(3)) },
            StackRow("catch") { $0.catch { _ in .just(0) } },
            StackRow("retry") { $0.retry(2) },
            StackRow("retry(when:)") { $0.retry(when: { (errors: Observable<any Error>) in errors }) },
        ]
    }

    private static var flattening: [StackRow] {
        [
            StackRow("flatMap") { $0.flatMap { Observable.just($0) } },
            StackRow("flatMapLatest") { $0.flatMapLatest { Observable.just($0) } },
            StackRow("flatMapFirst") { $0.flatMapFirst { Observable.just($0) } },
            StackRow("concatMap") { $0.concatMap { Observable.just($0) } },
            StackRow("map, merge(maxConcurrent:)", operators: 2) {
                $0.map { Observable.just($0) }.merge(maxConcurrent: 1)
            },
            StackRow("groupBy, flatMap", operators: 2) { $0.groupBy { $0 }.flatMap { $0 } },
        ]
    }

    private static var sharing: [StackRow] {
        [
            StackRow("share") { $0.share() },
            StackRow("share(replay: 1)") { $0.share(replay: 1) },
            StackRow("publish, refCount") { $0.publish().refCount() },
            StackRow("multicast, with a selector") { $0.multicast({ PublishSubject<Int>() }, selector: { $0 }) },
        ]
    }

    private static var timed: [StackRow] {
        let queue = SerialDispatchQueueScheduler(qos: .default)
        return [
            StackRow("timeout") { $0.timeout(.seconds(3_600), scheduler: queue) },
            StackRow("debounce") { $0.debounce(.seconds(3_600), scheduler: queue) },
            StackRow("throttle") { $0.throttle(.seconds(3_600), scheduler: queue) },
            StackRow("buffer, flatMap", operators: 2) {
                $0.buffer(timeSpan: .seconds(3_600), count: 2, scheduler: queue).flatMap { Observable.from($0) }
            },
            StackRow("window, flatMap", operators: 2) {
                $0.window(timeSpan: .seconds(3_600), count: 2, scheduler: queue).flatMap { $0 }
            },
        ]
    }

    private static var made: [StackRow] {
        [
            StackRow("deferred") { source in .deferred { source } },
            StackRow("using") { source in .using({ BooleanDisposable() }, observableFactory: { _ in source }) },
            StackRow("create") { source in .create { source.subscribe($0) } },
            StackRow("take(1), asSingle, flatMap", operators: 3) {
                $0.take(1).asSingle().flatMap { .just($0) }.asObservable()
            },
        ]
    }
}

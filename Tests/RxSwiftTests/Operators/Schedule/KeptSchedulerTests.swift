// SPDX-License-Identifier: Apache-2.0

import RxPrimitives
import RxSwift
import TestSupport
import Testing

/// An endless source keeps the scheduler that it was subscribed to on. A dispose by another thread frees it, though no element comes down to
/// the stage that waits for the scheduler.
@Suite struct KeptSchedulerTests {
    /// A chain whose observer sees no element of the source.
    struct Chain: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let make: @Sendable (_ endless: Observable<Int>) -> Observable<Int>

        init(_ name: String, _ make: @escaping @Sendable (_ endless: Observable<Int>) -> Observable<Int>) {
            testDescription = name
            self.make = make
        }
    }

    static let never = Observable<Int>.never()
    static let main = MainScheduler.instance

    static let linear = [
        Chain("ignoreElements", { $0.ignoreElements().map { _ in 0 } }),
        Chain("takeLast", { $0.takeLast(1) }),
        Chain("reduce", { $0.reduce(0) { $1 } }),
        Chain("distinctUntilChanged", { $0.map { _ in 1 }.distinctUntilChanged() }),
        Chain("materialize", { $0.materialize().filter { _ in false }.dematerialize() }),
    ]

    static let combining = [
        Chain("zip", { .zip($0, never) { $1 } }),
        Chain("zip of an array", { .zip([never, $0.filter { _ in false }]) { $0[0] } }),
        Chain("combineLatest", { .combineLatest(never, $0) { $1 } }),
        Chain("withLatestFrom", { $0.withLatestFrom(never) }),
        Chain("withLatestFrom, other", { never.withLatestFrom($0) }),
        Chain("sample", { $0.sample(never) }),
        Chain("skip(until:)", { $0.skip(until: never) }),
        Chain("take(until:)", { $0.filter { _ in false }.take(until: never) }),
        Chain("merge", { .merge(never, $0.filter { _ in false }) }),
        Chain("amb", { $0.filter { _ in false }.amb(never) }),
        Chain("zip of one source twice", { Observable.zip($0.filter { _ in false }, $0) { $1 } }),
    ]

    static let sharing = [
        Chain("groupBy", { $0.groupBy { $0 % 2 }.flatMap { $0.filter { _ in false } } }),
        Chain("groups nobody wants", { $0.groupBy { $0 % 2 }.flatMap { _ in never } }),
        Chain("window", { $0.window(timeSpan: .seconds(1_000), count: 0, scheduler: main).map { _ in 1 }.skip(1) }),
        Chain("share", { $0.share().filter { _ in false } }),
        Chain("share(replay:)", { $0.share(replay: 1).filter { _ in false } }),
        Chain("multicast", { $0.multicast({ PublishSubject<Int>() }, selector: { $0.filter { _ in false } }) }),
    ]

    static let timed = [
        Chain("debounce", { $0.debounce(.seconds(1_000), scheduler: main) }),
        Chain("throttle", { $0.skip(1).throttle(.seconds(1_000), scheduler: main).skip(1) }),
        Chain("timeout", { $0.filter { _ in false }.timeout(.seconds(1_000), scheduler: main) }),
        Chain("skip(_:scheduler:)", { $0.skip(.seconds(1_000), scheduler: main) }),
    ]

    static let flattening = [
        Chain("concatMap", { $0.filter { $0 == 0 }.concatMap { _ in never } }),
        Chain("flatMapFirst", { $0.flatMapFirst { _ in never } }),
        Chain("flatMapLatest", { $0.flatMapLatest { _ in never } }),
        Chain("flatMap", { endless in Observable.just(0).flatMap { _ in endless.filter { _ in false } } }),
        Chain("concat", { Observable.just(0).concat($0.filter { _ in false }) }),
        Chain("catch", { endless in Observable.error(Failure.expected).catch { _ in endless.filter { _ in false } } }),
        Chain("retry", { $0.filter { _ in false }.retry() }),
        Chain("ifEmpty(switchTo:)", { $0.filter { _ in false }.ifEmpty(switchTo: never) }),
    ]

    @Test(
        "A dispose by another thread ends an endless source",
        arguments: linear + combining + sharing + timed + flattening)
    func endless(_ chain: Chain) {
        let serial = SerialDispatchQueueScheduler(internalSerialQueueName: "kept")
        let emitted = AtomicWord(0)
        let endless = Observable.generate(initialState: 0, condition: { _ in true }, iterate: { $0 &+ 1 })
            .do(onNext: { _ in _ = emitted.fetchAdd(1) })
        let subscription = chain.make(endless).subscribe(on: serial).subscribe()
        #expect(settles { emitted.loadRelaxed() > 10 })
        subscription.dispose()
        #expect(isFree(serial))
    }

    @Test("Two endless sources that take turns end as well") func twoSources() {
        let serial = SerialDispatchQueueScheduler(internalSerialQueueName: "kept")
        let emitted = AtomicWord(0)
        let endless = Observable.repeatElement(1).do(onNext: { _ in _ = emitted.fetchAdd(1) })
        let subscription = Observable.zip(endless, endless, KeptSchedulerTests.never) { $2 }.subscribe(on: serial)
            .subscribe()
        #expect(settles { emitted.loadRelaxed() > 10 })
        subscription.dispose()
        #expect(isFree(serial))
    }

    private func isFree(_ scheduler: SerialDispatchQueueScheduler) -> Bool {
        let hasRun = AtomicWord(0)
        _ = scheduler.schedule(()) { _ in
            hasRun.storeRelaxed(1)
            return Disposables.create()
        }
        return settles { hasRun.loadRelaxed() == 1 }
    }
}

// SPDX-License-Identifier: Apache-2.0

import RxRelay
import RxSwift
import TestSupport
import Testing

/// The behaviour that all relays have in common.
@Suite struct EveryRelayTests {
    /// A relay of any kind that has accepted no element, except for the nil of a behavior relay.
    struct Relay: @unchecked Sendable, CustomTestStringConvertible {
        let testDescription: String
        let accept: (Int?) -> Void
        let observable: Observable<Int?>
        let bound: (Observable<Int?>) -> any Disposable
        let subscribe: (AnyObserver<Int?>) -> any Disposable
        /// The elements that a late subscriber has yet to see.
        var lateSubscribers: Observable<Int?> { observable.filter { $0 != nil } }

        static let makers: [@Sendable () -> Relay] = [
            {
                let relay = PublishRelay<Int?>()
                return Relay(
                    testDescription: "publish", accept: relay.accept, observable: relay.asObservable(),
                    bound: { $0.bind(to: relay) }, subscribe: relay.subscribe)
            },
            {
                let relay = BehaviorRelay<Int?>(value: nil)
                return Relay(
                    testDescription: "behavior", accept: relay.accept, observable: relay.asObservable(),
                    bound: { $0.bind(to: relay) }, subscribe: relay.subscribe)
            },
            {
                let relay = ReplayRelay<Int?>.create(bufferSize: 1)
                return Relay(
                    testDescription: "replay 1", accept: relay.accept, observable: relay.asObservable(),
                    bound: { $0.bind(to: relay) }, subscribe: relay.subscribe)
            },
            {
                let relay = ReplayRelay<Int?>.createUnbound()
                return Relay(
                    testDescription: "replay all", accept: relay.accept, observable: relay.asObservable(),
                    bound: { $0.bind(to: relay) }, subscribe: relay.subscribe)
            },
        ]
    }

    @Test("Elements reach all subscribers in the order of subscription", arguments: Relay.makers.indices)
    func subscriptionOrder(_ index: Int) {
        let relay = Relay.makers[index]()
        let log = EventLog()
        let first = log.observe(relay.lateSubscribers.map { $0! }, "a ")
        _ = log.observe(relay.lateSubscribers.map { $0! }, "b ")
        relay.accept(1)
        first.dispose()
        relay.accept(2)
        #expect(log.lines == ["a 1", "b 1", "b 2"])
    }

    /// This is law L3: no nested delivery.
    @Test("An element accepted in a callback follows the current one", arguments: Relay.makers.indices)
    func elementInCallback(_ index: Int) {
        let relay = Relay.makers[index]()
        let log = EventLog()
        _ = log.observe(relay.lateSubscribers.map { $0! }, "a ") { event in
            guard event.element == 1 else { return }
            relay.accept(2)
            relay.accept(3)
            log.note("-")
        }
        _ = log.observe(relay.lateSubscribers.map { $0! }, "b ")
        relay.accept(1)
        #expect(log.lines == ["a 1", "-", "b 1", "a 2", "b 2", "a 3", "b 3"])
        #expect(!log.hasOverlapped)
    }

    @Test("subscribe(_:) of a relay passes its elements to an observer", arguments: Relay.makers.indices)
    func ownObserver(_ index: Int) {
        let relay = Relay.makers[index]()
        let log = EventLog()
        let subscription = relay.subscribe(
            AnyObserver { event in if let number = event.element ?? nil { log.note("\(number)") } })
        relay.accept(1)
        subscription.dispose()
        relay.accept(2)
        #expect(log.lines == ["1"])
    }

    @Test("A subscriber that disposes in a callback receives nothing more", arguments: Relay.makers.indices)
    func disposeInCallback(_ index: Int) {
        let relay = Relay.makers[index]()
        let log = EventLog()
        let own = SingleAssignmentDisposable()
        own.setDisposable(
            log.observe(relay.lateSubscribers.map { $0! }) { _ in
                own.dispose()
                relay.accept(2)
            })
        relay.accept(1)
        relay.accept(3)
        #expect(log.lines == ["1"])
    }

    /// These are the laws L2 and L4: no overlap, no loss.
    @Test(
        "Elements of several threads arrive one at a time in the order of each thread", arguments: Relay.makers.indices)
    func threads(_ index: Int) {
        for _ in 0..<3 {
            let relay = Relay.makers[index]()
            let log = EventLog()
            _ = log.observe(relay.lateSubscribers.map { $0! })
            race(
                { for number in 1...1_000 { relay.accept(number) } },
                { for number in 1...1_000 { relay.accept(-number) } },
                {
                    for _ in 0..<300 {
                        let churn = EventLog()
                        let subscription = churn.observe(relay.observable)
                        subscription.dispose()
                        if churn.hasOverlapped { log.note("0") }
                    }
                })
            #expect(settles { log.lines.count >= 2_000 })
            let numbers = log.lines.map { Int($0)! }
            #expect(!log.hasOverlapped)
            #expect(numbers.filter { $0 > 0 } == Array(1...1_000))
            #expect(numbers.filter { $0 < 0 } == (1...1_000).map { -$0 })
            #expect(numbers.count == 2_000)
        }
    }

    @Test("At most one element arrives after a dispose on another thread", arguments: Relay.makers.indices)
    func lateElement(_ index: Int) {
        for _ in 0..<200 {
            let relay = Relay.makers[index]()
            let isDisposed = AtomicCounter(0)
            let late = AtomicCounter(0)
            let subscription = relay.observable.subscribe(onNext: { _ in if isDisposed.value > 0 { late.increment() } })
            race(
                { for number in 1...50 { relay.accept(number) } },
                {
                    subscription.dispose()
                    isDisposed.increment()
                })
            #expect(late.value <= 1)
        }
    }

    @Test("Bindings from several threads lose no element", arguments: Relay.makers.indices)
    func bindings(_ index: Int) {
        let relay = Relay.makers[index]()
        let log = EventLog()
        _ = log.observe(relay.lateSubscribers.map { $0! })
        race(
            (0..<4).map { thread in
                {
                    let source: Observable<Int?> = Observable.range(start: thread * 1_000, count: 500).map { $0 }
                    _ = relay.bound(source)
                }
            })
        #expect(Set(log.lines.map { Int($0)! }) == Set((0..<4).flatMap { $0 * 1_000..<$0 * 1_000 + 500 }))
        #expect(log.lines.count == 2_000 && !log.hasOverlapped)
    }

    @Test(
        "Subscribers are released with their subscription or with the relay", arguments: Relay.makers.indices,
        [false, true])
    func release(index: Int, isDisposed: Bool) {
        weak var token: ReleaseToken?
        var relay: Relay? = Relay.makers[index]()
        let subscription: any Disposable
        do {
            let strong = ReleaseToken()
            token = strong
            subscription = relay!.observable.subscribe(onNext: { _ in _ = strong })
        }
        #expect(token != nil)
        if isDisposed { subscription.dispose() } else { relay = nil }
        #expect(token == nil)
        withExtendedLifetime((relay, subscription)) {}
    }
}

// SPDX-License-Identifier: Apache-2.0

import RxRelay
import RxSwift
import TestSupport
import Testing

@Suite struct BindToRelayTests {
    typealias Bind = @Sendable (Observable<Int>, EventLog) -> any Disposable

    /// Each form with two relays, whose elements are written down as `a` and `b`.
    static let forms: [(name: String, bind: Bind)] = [
        (
            "publish",
            { source, log in
                let relays = (PublishRelay<Int>(), PublishRelay<Int>())
                _ = log.observe(relays.0.asObservable(), "a ")
                _ = log.observe(relays.1.asObservable(), "b ")
                return source.bind(to: relays.0, relays.1)
            }
        ),
        (
            "publish, optional",
            { source, log in
                let relays = (PublishRelay<Int?>(), PublishRelay<Int?>())
                _ = log.observe(relays.0.map { $0! }, "a ")
                _ = log.observe(relays.1.map { $0! }, "b ")
                return source.bind(to: relays.0, relays.1)
            }
        ),
        (
            "behavior",
            { source, log in
                let relays = (BehaviorRelay<Int>(value: 0), BehaviorRelay<Int>(value: 0))
                _ = log.observe(relays.0.skip(1), "a ")
                _ = log.observe(relays.1.skip(1), "b ")
                return source.bind(to: relays.0, relays.1)
            }
        ),
        (
            "behavior, optional",
            { source, log in
                let relays = (BehaviorRelay<Int?>(value: nil), BehaviorRelay<Int?>(value: nil))
                _ = log.observe(relays.0.compactMap { $0 }, "a ")
                _ = log.observe(relays.1.compactMap { $0 }, "b ")
                return source.bind(to: relays.0, relays.1)
            }
        ),
        (
            "replay",
            { source, log in
                let relays = (ReplayRelay<Int>.create(bufferSize: 1), ReplayRelay<Int>.createUnbound())
                _ = log.observe(relays.0.asObservable(), "a ")
                _ = log.observe(relays.1.asObservable(), "b ")
                return source.bind(to: relays.0, relays.1)
            }
        ),
        (
            "replay, optional",
            { source, log in
                let relays = (ReplayRelay<Int?>.create(bufferSize: 1), ReplayRelay<Int?>.createUnbound())
                _ = log.observe(relays.0.compactMap { $0 }, "a ")
                _ = log.observe(relays.1.compactMap { $0 }, "b ")
                return source.bind(to: relays.0, relays.1)
            }
        ),
    ]

    @Test("Each element reaches all relays through one subscription", arguments: forms.indices)
    func oneSubscription(_ index: Int) {
        let log = EventLog()
        let source = Observable<Int>.create { observer in
            log.note("subscribed")
            observer.onNext(1)
            observer.onNext(2)
            observer.onCompleted()
            return Disposables.create { log.note("disposed") }
        }
        let subscription = Self.forms[index].bind(source, log)
        subscription.dispose()
        #expect(log.lines == ["subscribed", "a 1", "b 1", "a 2", "b 2", "disposed"])
    }

    @Test("dispose ends the binding", arguments: forms.indices) func dispose(_ index: Int) {
        let log = EventLog()
        let subject = PublishSubject<Int>()
        let subscription = Self.forms[index].bind(subject, log)
        subject.onNext(1)
        subscription.dispose()
        #expect(!subject.hasObservers)
        subject.onNext(2)
        #expect(log.lines == ["a 1", "b 1"])
    }

    @Test("empty and never pass nothing", arguments: forms.indices) func emptyAndNever(_ index: Int) {
        let log = EventLog()
        _ = Self.forms[index].bind(.empty(), log)
        Self.forms[index].bind(.never(), log).dispose()
        #expect(log.lines == [])
    }

    @Test("Optional elements bind to relays of the same type") func optionalElements() {
        let relay = BehaviorRelay<Int?>(value: 0)
        _ = Observable<Int?>.just(nil).bind(to: relay)
        #expect(relay.value == nil)
    }

    @Test("Two relays bound to each other come to rest") func mutualBinding() {
        let celsius = BehaviorRelay(value: 0)
        let copy = BehaviorRelay(value: 0)
        let log = EventLog()
        _ = log.observe(copy.asObservable())
        let forth = celsius.distinctUntilChanged().bind(to: copy)
        let back = copy.distinctUntilChanged().bind(to: celsius)
        celsius.accept(1)
        copy.accept(2)
        #expect(celsius.value == 2 && copy.value == 2)
        #expect(log.lines == ["0", "0", "1", "2", "2"])
        forth.dispose()
        back.dispose()
    }

    @Test("A binding retains its relay") func retainedRelay() {
        weak var relay: PublishRelay<Int>?
        let source = PublishSubject<Int>()
        let subscription: any Disposable
        do {
            let strong = PublishRelay<Int>()
            relay = strong
            subscription = source.bind(to: strong)
        }
        #expect(relay != nil)
        subscription.dispose()
        #expect(relay == nil)
        withExtendedLifetime(source) {}
    }

    #if DEBUG
        @Test("An error stops the program in debug builds") func errorStops() async {
            await #expect(processExitsWith: .failure) {
                _ = Observable<Int>.error(Failure.expected).bind(to: PublishRelay())
            }
            await #expect(processExitsWith: .failure) {
                _ = Observable<Int>.error(Failure.expected).bind(to: BehaviorRelay<Int?>(value: nil))
            }
            await #expect(processExitsWith: .failure) {
                _ = Observable<Int>.error(Failure.expected).bind(to: ReplayRelay.createUnbound())
            }
        }
    #else
        @Test("An error goes to the default error handler in release builds") func errorHandler() async {
            await #expect(processExitsWith: .success) {
                let log = EventLog()
                Hooks.defaultErrorHandler = { _, error in log.note("\(error)") }
                for form in BindToRelayTests.forms {
                    _ = form.bind(.error(Failure.expected), EventLog())
                }
                precondition(log.lines == Array(repeating: "expected", count: 6))
            }
        }
    #endif
}

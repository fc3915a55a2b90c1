// SPDX-License-Identifier: Apache-2.0

import RxCocoa
import RxRelay
import RxSwift
import RxTest
import TestSupport
import Testing

extension SharedSequences {
    @Suite struct EmitTests {
        /// A form of `emit` that logs its events.
        struct Form: Sendable, CustomTestStringConvertible {
            let name: String
            /// The lines of the log after the elements 1 and 2 and the completion.
            let expected: [String]
            let emit: @Sendable (Signal<Int>, EventLog) -> any Disposable
            var testDescription: String { name }
        }

        static let observing: [Form] = [
            Form(name: "observers", expected: ["next(1)", "next(1)", "next(2)", "next(2)", "completed", "completed"]) {
                signal, log in
                signal.emit(
                    to: AnyObserver<Int> { log.note("\($0)") }, AnyObserver<Int> { log.note("\($0)") })
            },
            Form(name: "observer of optionals", expected: ["next(Optional(1))", "next(Optional(2))", "completed"]) {
                signal, log in
                signal.emit(to: AnyObserver<Int?> { log.note("\($0)") })
            },
            Form(name: "subject", expected: ["next(1)", "next(2)", "completed"]) { signal, log in
                let subject = PublishSubject<Int>()
                _ = subject.subscribe { log.note("\($0)") }
                return signal.emit(to: subject)
            },
            Form(name: "binder", expected: ["1", "2"]) { signal, log in
                signal.emit(to: Binder(log, scheduler: HereScheduler()) { log, element in log.note("\(element)") })
            },
            Form(name: "onNext", expected: ["1", "2"]) { signal, log in signal.emit(onNext: { log.note("\($0)") }) },
            Form(name: "all closures", expected: ["1", "2", "completed", "disposed"]) { signal, log in
                signal.emit(
                    onNext: { log.note("\($0)") }, onCompleted: { log.note("completed") },
                    onDisposed: { log.note("disposed") })
            },
            Form(name: "with", expected: ["1", "2", "completed", "disposed"]) { signal, log in
                signal.emit(
                    with: log, onNext: { log, element in log.note("\(element)") },
                    onCompleted: { $0.note("completed") }, onDisposed: { $0.note("disposed") })
            },
            Form(name: "nothing", expected: []) { signal, _ in signal.emit() },
        ]

        static let relaying: [Form] = [
            Form(name: "behavior relay", expected: ["0", "1", "2"]) { signal, log in
                let relay = BehaviorRelay(value: 0)
                _ = relay.subscribe(onNext: { log.note("\($0)") })
                return signal.emit(to: relay)
            },
            Form(name: "behavior relay of optionals", expected: ["nil", "Optional(1)", "Optional(2)"]) { signal, log in
                let relay = BehaviorRelay<Int?>(value: nil)
                _ = relay.subscribe(onNext: { log.note("\(String(describing: $0))") })
                return signal.emit(to: relay)
            },
            Form(name: "publish relays", expected: ["a1", "b1", "a2", "b2"]) { signal, log in
                let relays = (PublishRelay<Int>(), PublishRelay<Int>())
                _ = relays.0.subscribe(onNext: { log.note("a\($0)") })
                _ = relays.1.subscribe(onNext: { log.note("b\($0)") })
                return signal.emit(to: relays.0, relays.1)
            },
            Form(name: "publish relay of optionals", expected: ["Optional(1)", "Optional(2)"]) { signal, log in
                let relay = PublishRelay<Int?>()
                _ = relay.subscribe(onNext: { log.note("\(String(describing: $0))") })
                return signal.emit(to: relay)
            },
            Form(name: "replay relay", expected: ["1", "2"]) { signal, log in
                let relay = ReplayRelay<Int>.create(bufferSize: 2)
                _ = relay.subscribe(onNext: { log.note("\($0)") })
                return signal.emit(to: relay)
            },
            Form(name: "replay relay of optionals", expected: ["Optional(1)", "Optional(2)"]) { signal, log in
                let relay = ReplayRelay<Int?>.create(bufferSize: 2)
                _ = relay.subscribe(onNext: { log.note("\(String(describing: $0))") })
                return signal.emit(to: relay)
            },
        ]

        @Test("Elements arrive over one subscription", arguments: observing + relaying)
        func oneSubscription(_ form: Form) {
            let scheduler = ticks()
            let log = EventLog()
            SharingScheduler.mock(scheduler: scheduler) {
                let source = scheduler.createHotObservable(script((210, 1), (220, 2)) + [.completed(230)])
                let subscription = form.emit(source.asSignal(onErrorJustReturn: 0), log)
                scheduler.start()
                #expect(source.subscriptions == [Subscription(0, 230)])
                subscription.dispose()
            }
            #expect(log.lines == form.expected)
        }

        @Test("No element arrives after dispose", arguments: observing + relaying) func afterDispose(_ form: Form) {
            let log = EventLog()
            SharingScheduler.mock(scheduler: HereScheduler()) {
                let source = PublishSubject<Int>()
                let subscription = form.emit(source.asSignal(onErrorJustReturn: 0), log)
                source.onNext(1)
                subscription.dispose()
                log.clear()
                source.onNext(2)
                #expect(!source.hasObservers)
            }
            #expect(log.lines == [])
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import RxCocoa
import RxRelay
import RxSwift
import RxTest
import TestSupport
import Testing

extension SharedSequences {
    @Suite struct DriveTests {
        /// A form of `drive` that logs its elements.
        struct Form: Sendable, CustomTestStringConvertible {
            let name: String
            /// The lines of the log after the elements 1 and 2, before the completion.
            let expected: [String]
            var seesCompletion = false
            let drive: @Sendable (Driver<Int>, EventLog) -> any Disposable
            var testDescription: String { name }
        }

        static let observing: [Form] = [
            Form(name: "observer", expected: ["1", "2"], seesCompletion: true) { driver, log in
                driver.drive(AnyObserver { log.note($0.text) })
            },
            Form(name: "observers", expected: ["a1", "b1", "a2", "b2"]) { driver, log in
                driver.drive(
                    AnyObserver<Int> { event in if let element = event.element { log.note("a\(element)") } },
                    AnyObserver<Int> { event in if let element = event.element { log.note("b\(element)") } })
            },
            Form(name: "observer of optionals", expected: ["Optional(1)", "Optional(2)"], seesCompletion: true) {
                driver, log in
                driver.drive(AnyObserver<Int?> { log.note($0.text) })
            },
            Form(name: "subject", expected: ["1", "2"], seesCompletion: true) { driver, log in
                let subject = PublishSubject<Int>()
                _ = subject.subscribe { log.note($0.text) }
                return driver.drive(subject)
            },
            Form(name: "binder", expected: ["1", "2"]) { driver, log in
                driver.drive(Binder(log, scheduler: HereScheduler()) { log, element in log.note("\(element)") })
            },
            Form(name: "onNext", expected: ["1", "2"]) { driver, log in
                driver.drive(onNext: { log.note("\($0)") })
            },
            Form(name: "onNext, onCompleted", expected: ["1", "2"], seesCompletion: true) { driver, log in
                driver.drive(onNext: { log.note("\($0)") }, onCompleted: { log.note("completed") })
            },
            Form(name: "with", expected: ["1", "2"], seesCompletion: true) { driver, log in
                driver.drive(
                    with: log, onNext: { log, element in log.note("\(element)") },
                    onCompleted: { log in log.note("completed") })
            },
            Form(name: "nothing", expected: []) { driver, _ in driver.drive() },
        ]

        static let relaying: [Form] = [
            Form(name: "behavior relays", expected: ["a0", "b0", "a1", "b1", "a2", "b2"]) { driver, log in
                let relays = (BehaviorRelay(value: 0), BehaviorRelay(value: 0))
                _ = relays.0.subscribe(onNext: { log.note("a\($0)") })
                _ = relays.1.subscribe(onNext: { log.note("b\($0)") })
                return driver.drive(relays.0, relays.1)
            },
            Form(name: "behavior relay of optionals", expected: ["nil", "Optional(1)", "Optional(2)"]) { driver, log in
                let relay = BehaviorRelay<Int?>(value: nil)
                _ = relay.subscribe(onNext: { log.note("\(String(describing: $0))") })
                return driver.drive(relay)
            },
            Form(name: "replay relay", expected: ["1", "2"]) { driver, log in
                let relay = ReplayRelay<Int>.create(bufferSize: 1)
                _ = relay.subscribe(onNext: { log.note("\($0)") })
                return driver.drive(relay)
            },
            Form(name: "replay relay of optionals", expected: ["Optional(1)", "Optional(2)"]) { driver, log in
                let relay = ReplayRelay<Int?>.createUnbound()
                _ = relay.subscribe(onNext: { log.note("\(String(describing: $0))") })
                return driver.drive(relay)
            },
            Form(name: "function", expected: ["10", "20"], seesCompletion: true) { driver, log in
                driver.drive { observable in observable.map { $0 * 10 }.subscribe { log.note($0.text) } }
            },
            Form(name: "function of an argument", expected: ["x1", "x2"]) { driver, log in
                let prefixed: (Observable<Int>) -> (String) -> any Disposable = { observable in
                    { prefix in observable.subscribe(onNext: { log.note("\(prefix)\($0)") }) }
                }
                return driver.drive(prefixed, curriedArgument: "x")
            },
        ]

        @Test("Elements arrive over one subscription", arguments: observing + relaying, [false, true])
        func oneSubscription(form: Form, isDisposed: Bool) {
            let scheduler = ticks()
            let log = EventLog()
            SharingScheduler.mock(scheduler: scheduler) {
                let source = scheduler.createHotObservable(
                    script((210, 1), (220, 2)) + [.completed(isDisposed ? 300 : 230)])
                let subscription = form.drive(source.asDriver(onErrorJustReturn: 0), log)
                scheduler.scheduleAt(250) { subscription.dispose() }
                scheduler.start()
                #expect(source.subscriptions == [Subscription(0, isDisposed ? 250 : 230)])
            }
            #expect(log.lines == form.expected + (form.seesCompletion && !isDisposed ? ["completed"] : []))
        }

        @Test("onDisposed runs at the end and at dispose", arguments: [Event<Int>.completed, .next(1)])
        func onDisposed(event: Event<Int>) {
            let log = EventLog()
            let subject = PublishSubject<Int>()
            SharingScheduler.mock(scheduler: HereScheduler()) {
                let driver = subject.asDriver(onErrorJustReturn: 0)
                let subscriptions = [
                    driver.drive(onDisposed: { log.note("closure") }),
                    driver.drive(with: log, onDisposed: { $0.note("object") }),
                ]
                subject.on(event)
                for subscription in subscriptions { subscription.dispose() }
            }
            #expect(log.lines == ["closure", "object"])
        }

        @Test("drive(with:) does not retain the object") func weakObject() {
            final class Object: @unchecked Sendable {}
            var object: Object? = Object()
            nonisolated(unsafe) var calls = 0
            let relay = BehaviorRelay(value: 1)
            SharingScheduler.mock(scheduler: HereScheduler()) {
                let subscription = relay.asDriver().drive(with: object!, onNext: { _, _ in calls += 1 })
                object = nil
                relay.accept(2)
                subscription.dispose()
            }
            #expect(calls == 1)
        }

        @Test("On the main queue the value of a relay arrives inside drive") func insideDrive() async {
            let log = EventLog()
            await onMainQueue {
                let relay = BehaviorRelay(value: 1)
                let subscription = relay.asDriver().map { $0 * 10 }.drive(onNext: { log.note("\($0)") })
                log.note("driven")
                relay.accept(2)
                subscription.dispose()
                relay.accept(3)
            }
            #expect(log.lines == ["10", "driven", "20"])
        }

        @Test("Elements from other threads arrive on the main queue in order") func otherThreads() async {
            let main = MainQueueMark()
            let relay = BehaviorRelay(value: 0)
            let log = EventLog()
            let elsewhere = AtomicCounter(0)
            let subscription = relay.asDriver().map { $0 }.drive(onNext: { element in
                if !main.isHere { elsewhere.increment() }
                log.note("\(element)")
            })
            for element in 1...500 { relay.accept(element) }
            #expect(await eventually { log.lines.count == 501 })
            #expect(log.lines == (0...500).map(String.init))
            #expect(elsewhere.value == 0)
            subscription.dispose()
        }
    }
}

extension Event {
    /// The text of the element, or `completed`.
    fileprivate var text: String { element.map { "\($0)" } ?? debugDescription }
}

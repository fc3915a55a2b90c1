// SPDX-License-Identifier: Apache-2.0

import Dispatch
import RxCocoa
import RxRelay
import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct ControlEventTests {
    /// Returns true on the main queue: only there does that scheduler run an action before `schedule` returns.
    static func isOnMain() -> Bool {
        var hasRun = false
        ConcurrentMainScheduler.instance.schedule(()) { _ in
            hasRun = true
            return Disposables.create()
        }.dispose()
        return hasRun
    }

    @Test("Events pass unchanged, and each subscriber subscribes to the source once") func events() async {
        let log = EventLog()
        await onMainQueue {
            let source = Observable<Int>.create { observer in
                log.note("subscribed")
                observer.onNext(1)
                observer.onCompleted()
                return Disposables.create { log.note("disposed") }
            }
            let event = ControlEvent(events: source)
            log.note("-")
            _ = log.observe(event.asControlEvent().asObservable())
            _ = event.subscribe(AnyObserver { log.note($0.debugDescription) })
        }
        #expect(
            log.lines == [
                "-", "subscribed", "1", "completed", "disposed", "subscribed", "next(1)", "completed", "disposed",
            ])
    }

    @Test("Subscribing and unsubscribing take place on the main queue", arguments: [false, true])
    func mainQueue(isProperty: Bool) async {
        let log = EventLog()
        let source = Observable<Int>.create { _ in
            log.note("subscribed \(Self.isOnMain())")
            return Disposables.create { log.note("disposed \(Self.isOnMain())") }
        }
        let observable =
            isProperty
            ? ControlProperty(values: source, valueSink: PublishSubject<Int>()).asObservable()
            : ControlEvent(events: source).asObservable()
        let subscription = observable.subscribe()
        #expect(await eventually { log.lines.count == 1 })
        subscription.dispose()
        #expect(await eventually { log.lines == ["subscribed true", "disposed true"] })
    }

    @Test("asInfallible completes at an error") func asInfallible() async {
        let log = EventLog()
        await onMainQueue {
            let failing: Infallible<Int> = ControlEvent(events: sequence(1, error: .expected)).asInfallible()
            let completing: Infallible<Int> = ControlEvent(events: sequence(1, 2)).asInfallible()
            _ = log.observe(failing.asObservable(), "a ")
            _ = log.observe(completing.asObservable(), "b ")
        }
        #expect(log.lines == ["a 1", "a completed", "b 1", "b 2", "b completed"])
    }

    @Test("asDriver and asSignal share and deliver on the sharing scheduler") func asDriverAndAsSignal() async {
        let log = EventLog()
        let subject = PublishSubject<Int>()
        await onMainQueue {
            let scheduler = TestScheduler(initialClock: 0)
            let source = subject.do(onSubscribe: { log.note("subscribed") }, onDispose: { log.note("disposed") })
            SharingScheduler.mock(scheduler: scheduler) {
                let driver = ControlEvent(events: source).asDriver()
                let signal = ControlEvent(events: source).asSignal()
                let subscriptions = [
                    log.observe(driver.asObservable(), "a "), log.observe(signal.asObservable(), "c "),
                ]
                subject.onNext(1)
                log.note("-")
                scheduler.start()
                let others = [log.observe(driver.asObservable(), "b "), log.observe(signal.asObservable(), "d ")]
                for subscription in subscriptions + others { subscription.dispose() }
            }
        }
        #expect(
            log.lines == ["subscribed", "subscribed", "-", "a 1", "c 1", "b 1", "disposed", "disposed"])
        #expect(!subject.hasObservers)
    }

    #if DEBUG
        @Test("An error of the source of a driver stops the program in debug builds") func driverErrorStops() async {
            await #expect(processExitsWith: .failure) {
                SharingScheduler.mock(scheduler: CurrentThreadTime()) {
                    _ = ControlEvent(events: Observable<Int>.error(Failure.expected)).asDriver().asObservable()
                        .subscribe()
                }
                _ = await eventually { false }
            }
        }
    #else
        @Test("An error of the source goes to the default error handler in release builds")
        func driverErrorHandler() async {
            let log = EventLog()
            await onMainQueue {
                let former = Hooks.defaultErrorHandler
                defer { Hooks.defaultErrorHandler = former }
                Hooks.defaultErrorHandler = { _, error in log.note("hook \(error)") }
                let failing = Observable<Int>.error(Failure.expected)
                let property = ControlProperty(values: failing, valueSink: PublishSubject<Int>())
                SharingScheduler.mock(scheduler: CurrentThreadTime()) {
                    _ = log.observe(ControlEvent(events: failing).asDriver().asObservable())
                    _ = log.observe(ControlEvent(events: failing).asSignal().asObservable())
                    _ = log.observe(property.asDriver().asObservable())
                    property.onError(Failure.other)
                }
            }
            let expected = Array(repeating: ["hook expected", "completed"], count: 3).joined() + ["hook other"]
            #expect(log.lines == Array(expected))
        }
    #endif

    /// The current thread's trampoline, as a scheduler that knows the time.
    final class CurrentThreadTime: SchedulerType {
        let now = RxTime()

        func schedule<StateType>(
            _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
        ) -> any Disposable {
            CurrentThreadScheduler.instance.schedule(state, action: action)
        }

        func scheduleRelative<StateType>(
            _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
        ) -> any Disposable {
            CurrentThreadScheduler.instance.schedule(state, action: action)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import RxCocoa
import RxRelay
import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct ControlPropertyTests {
    @Test("A property reads from its values and writes to its sink") func readsAndWrites() async {
        let log = EventLog()
        let values = BehaviorSubject(value: 0)
        await onMainQueue {
            let sink = PublishSubject<Int>()
            _ = log.observe(sink, "written ")
            let property = ControlProperty(values: values, valueSink: sink).asControlProperty()
            let subscription = log.observe(property.asObservable(), "read ")
            let other = property.subscribe(AnyObserver { log.note("other \($0.debugDescription)") })
            property.onNext(1)
            values.onNext(2)
            property.onCompleted()
            property.onNext(3)
            subscription.dispose()
            other.dispose()
        }
        #expect(
            log.lines == ["read 0", "other next(0)", "written 1", "read 2", "other next(2)", "written completed"])
        #expect(!values.hasObservers)
    }

    @Test("changed omits the first value of each subscription") func changed() async {
        let log = EventLog()
        await onMainQueue {
            let values = BehaviorSubject(value: 0)
            let property = ControlProperty(values: values, valueSink: PublishSubject<Int>())
            let changed: ControlEvent<Int> = property.changed
            _ = log.observe(changed.asObservable(), "a ")
            values.onNext(1)
            _ = log.observe(changed.asObservable(), "b ")
            values.onNext(2)
            values.onCompleted()
        }
        #expect(log.lines == ["a 1", "a 2", "b 2", "a completed", "b completed"])
    }

    @Test("orEmpty reads nil as empty and writes through") func orEmpty() async {
        let log = EventLog()
        await onMainQueue {
            let values = BehaviorSubject<String?>(value: nil)
            let sink = PublishSubject<String?>()
            _ = log.observe(sink.map { $0 ?? "nil" }, "written ")
            let property: ControlProperty<String> = ControlProperty(values: values, valueSink: sink).orEmpty
            _ = log.observe(property.map { "<\($0)>" }, "read ")
            values.onNext("x")
            property.onNext("y")
            property.onCompleted()
            values.onCompleted()
        }
        #expect(log.lines == ["read <>", "read <x>", "written y", "written completed", "read completed"])
    }

    @Test("A two-way binding shows the model and follows the user") func twoWayBinding() async {
        let log = EventLog()
        let typed = PublishSubject<String?>()
        await onMainQueue {
            let model = BehaviorRelay(value: "model")
            let shown = BehaviorRelay<String?>(value: nil)
            let sink = AnyObserver<String?> { event in if let text = event.element { shown.accept(text) } }
            let values = Observable<String?>.deferred { typed.startWith(shown.value) }
            let property = ControlProperty<String?>(values: values, valueSink: sink)
            let forth = model.bind(to: property)
            let back = property.orEmpty.changed.bind(to: model)
            log.note("\(model.value) \(shown.value!)")
            typed.onNext("typed")
            log.note("\(model.value) \(shown.value!)")
            typed.onNext(nil)
            log.note("<\(model.value)> <\(shown.value!)>")
            forth.dispose()
            back.dispose()
        }
        #expect(log.lines == ["model model", "typed typed", "<> <>"])
        #expect(!typed.hasObservers)
    }

    @Test("asDriver shares the values and repeats the latest") func asDriver() async {
        let log = EventLog()
        let values = BehaviorSubject(value: 0)
        await onMainQueue {
            let scheduler = TestScheduler(initialClock: 0)
            let property = ControlProperty(
                values: values.do(onSubscribe: { log.note("subscribed") }), valueSink: PublishSubject<Int>())
            SharingScheduler.mock(scheduler: scheduler) {
                let driver = property.asDriver()
                let first = log.observe(driver.asObservable(), "a ")
                scheduler.start()
                let second = log.observe(driver.asObservable(), "b ")
                first.dispose()
                second.dispose()
            }
        }
        #expect(log.lines == ["subscribed", "a 0", "b 0"])
        #expect(!values.hasObservers)
    }

    #if DEBUG
        @Test("Writing an error stops the program in debug builds") func errorStops() async {
            await #expect(processExitsWith: .failure) {
                ControlProperty(values: Observable.never(), valueSink: PublishSubject<Int>()).onError(Failure.expected)
            }
        }
    #endif
}

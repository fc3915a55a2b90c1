// SPDX-License-Identifier: Apache-2.0

import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct DelayTests {
    @Test("Elements and completion come later by the span", arguments: [42, 50, 100, 150])
    func span(span: Int) {
        let scheduler = ticks()
        let source = scheduler.createHotObservable(script((150, 1), (250, 2), (350, 3), (450, 4)) + [.completed(550)])
        let result = scheduler.start { source.delay(.seconds(span), scheduler: scheduler) }
        #expect(
            result.events == [
                .next(250 + span, 2), .next(350 + span, 3), .next(450 + span, 4), .completed(550 + span),
            ])
        #expect(source.subscriptions == [Subscription(200, 550)])
    }

    @Test("Events of one tick come a tick apart") func sameTick() throws {
        try expectMarbles(
            source: "^---------(123|)",
            result: "^-------------------123|",
            ticks: 1
        ) { $0.delay(.seconds(10), scheduler: $1) }
    }

    @Test("An error comes at once and drops the waiting elements") func error() throws {
        try expectMarbles(
            source: "1^2-3-4-#",
            result: " ^---2-3#",
            active: " ^------!",
            ticks: 50
        ) { $0.delay(.seconds(150), scheduler: $1) }
    }

    @Test("Completion of an empty source comes later by the span") func empty() throws {
        try expectMarbles(
            source: "1^|",
            result: " ^---|",
            active: " ^!",
            ticks: 50
        ) { $0.delay(.seconds(150), scheduler: $1) }
    }

    /// The fault: the source was never paused, and millions of elements waited after some seconds.
    @Test("A source pauses while the scheduler is late", arguments: [false, true]) func lateScheduler(hops: Bool) {
        let (producer, late) = (
            SerialDispatchQueueScheduler(qos: .default), SerialDispatchQueueScheduler(qos: .default)
        )
        let (sent, delivered, most) = (AtomicCounter(0), AtomicCounter(0), Guarded(0))
        let delayed = Observable.range(start: 0, count: 80_000, scheduler: producer)
            .do(onNext: { number in
                sent.increment()
                if number % 1_000 == 0 { most.change { $0 = max($0, sent.value - delivered.value) } }
            })
            .delay(.milliseconds(1), scheduler: late)
        let ended = OneShot()
        let isInOrder = Guarded(true)
        let subscription = (hops ? delayed.observe(on: late) : delayed).subscribe(
            onNext: { number in
                spin(nanoseconds: 5_000)
                if number != delivered.value { isInOrder.value = false }
                delivered.increment()
            }, onCompleted: { ended.fire() })
        #expect(ended.wait(seconds: 30))
        #expect(delivered.value == 80_000 && isInOrder.value)
        #expect(most.value < 40_000, "\(most.value)")
        subscription.dispose()
    }

    @Test("Elements whose time has not come do not pause their source") func inTime() {
        let producer = SerialDispatchQueueScheduler(qos: .default)
        let (log, sent) = (EventLog(), OneShot())
        _ = log.observe(
            Observable.range(start: 0, count: 50_000, scheduler: producer).do(onCompleted: { sent.fire() })
                .delay(.seconds(60), scheduler: SerialDispatchQueueScheduler(qos: .default)).map { "\($0)" }
        )
        #expect(sent.wait(seconds: 10))
        #expect(log.text == "")
    }
}

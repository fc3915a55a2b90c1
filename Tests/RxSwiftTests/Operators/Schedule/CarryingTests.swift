// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct CarryingTests {
    private enum Trace {
        @TaskLocal static var id = 0
    }

    @Test("A task-local value goes with each element across hops and timers") func carries() async {
        let scheduler = SerialDispatchQueueScheduler(qos: .default)
        let subject = PublishSubject<String>()
        let log = EventLog(
            subject
                .carrying(Trace.$id) {
                    $0.observe(on: scheduler).delay(.milliseconds(1), scheduler: scheduler)
                }
                .map { "\($0)\(Trace.id)" })
        Trace.$id.withValue(1) { subject.onNext("a") }
        await Trace.$id.withValue(2) { await Task { subject.onNext("b") }.value }
        subject.onNext("c")
        subject.onCompleted()
        #expect(await eventually { log.lines.count == 4 })
        #expect(log.text == "a1 b2 c0 completed")
    }

    @Test("Tasks that an observer makes inherit the value; an error passes") func inherited() async {
        let seen = AtomicCounter(0)
        let subject = PublishSubject<Int>()
        let log = EventLog(
            subject.carrying(Trace.$id) { $0.observe(on: SerialDispatchQueueScheduler(qos: .default)) }
                .do(onNext: { _ in Task { if Trace.id == 5 { seen.increment() } } }))
        Trace.$id.withValue(5) { subject.onNext(1) }
        subject.onError(Failure.expected)
        #expect(await eventually { seen.value == 1 && log.lines.count == 2 })
        #expect(log.text == "1 error(expected)")
    }

    @Test("Elements weigh what they weigh without the value") func weight() {
        let carried = Observable.just("four").carrying(Trace.$id) { source in
            source.map { element in
                #expect(element.weightInBytes == 4)
                return element
            }
        }
        #expect(text(of: carried) == "four completed")
    }
}

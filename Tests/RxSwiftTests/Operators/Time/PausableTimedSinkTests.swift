// SPDX-License-Identifier: Apache-2.0

import RxSwift
import RxTest
import TestSupport
import Testing

/// The time in which a source is paused does not count (law L13).
@Suite struct PausableTimedSinkTests {
    /// A source whose timed operator is paused by a zip while 256 elements wait there, and resumed when 128 do.
    private final class PausedTime {
        let probe = PausableProbe()
        let scheduler = TestScheduler(initialClock: 0)
        let log = EventLog()
        let other = PublishSubject<Int>()
        private let subscription = SingleAssignmentDisposable()

        init(_ build: (Observable<Int>, TestScheduler) -> Observable<Int>) {
            let log = log
            let source = build(probe.observable, scheduler).do(
                onNext: { log.note("\($0)") }, onError: { log.note("\($0)") })
            subscription.setDisposable(Observable.zip(source, other).subscribe(onError: { _ in }))
        }

        func resume() { for number in 0..<128 { other.onNext(number) } }

        deinit { subscription.dispose() }
    }

    @Test("timeout goes on with the time that was left")
    func timeout() {
        let test = PausedTime { $0.timeout(.seconds(10), scheduler: $1) }
        for _ in 0..<256 { test.probe.emit() }
        #expect(test.probe.isPaused)
        test.scheduler.advanceTo(100)
        #expect(test.log.lines.count == 256)
        test.resume()
        #expect(test.probe.resumeCount == 1 && !test.probe.ask())
        test.scheduler.advanceTo(109)
        #expect(test.log.lines.count == 256)
        test.scheduler.advanceTo(111)
        #expect(test.log.lines.last == "Sequence timeout." || test.log.lines.last == "timeout")
        #expect(test.log.lines.count == 257)
    }

    @Test("The time before the pause counts")
    func timeBefore() {
        let test = PausedTime { $0.timeout(.seconds(10), scheduler: $1) }
        for _ in 0..<255 { test.probe.emit() }
        #expect(!test.probe.isPaused)
        test.probe.emit()
        test.resume()
        for _ in 0..<127 { test.probe.emit() }
        #expect(!test.probe.isPaused)
        test.scheduler.advanceTo(4)
        test.probe.emit()
        #expect(test.probe.isPaused)
        test.scheduler.advanceTo(50)
        test.resume()
        test.scheduler.advanceTo(59)
        #expect(test.log.lines.count == 384)
        test.scheduler.advanceTo(61)
        #expect(test.log.lines.count == 385)
    }

    @Test("An element that comes nevertheless restarts the time, which begins when the source goes on")
    func elementWhilePaused() {
        let test = PausedTime { $0.timeout(.seconds(10), scheduler: $1) }
        for _ in 0..<256 { test.probe.emit() }
        test.scheduler.advanceTo(7)
        test.probe.emit()
        test.scheduler.advanceTo(100)
        test.resume()
        test.resume()
        test.scheduler.advanceTo(109)
        #expect(test.log.lines.count == 257)
        test.scheduler.advanceTo(111)
        #expect(test.log.lines.count == 258)
    }

    @Test("debounce holds its element while the source is paused")
    func debounce() {
        let test = PausedTime { $0.debounce(.seconds(1), scheduler: $1) }
        for number in 1...256 {
            test.probe.emit()
            test.scheduler.advanceTo(number * 2)
        }
        #expect(test.log.lines.count == 256)
        test.probe.emit()
        #expect(test.probe.isPaused)
        test.scheduler.advanceTo(1_000)
        #expect(test.log.lines.count == 256)
        test.resume()
        #expect(test.probe.resumeCount == 1)
        test.scheduler.advanceTo(1_002)
        #expect(test.log.lines.last == "257")
    }

    @Test("A disposal of the operator resumes a source that it has paused")
    func dispose() {
        let probe = PausableProbe()
        let shared = probe.observable.publish()
        let connection = shared.connect()
        let subscription = Observable.zip(
            shared.timeout(.seconds(10), scheduler: TestScheduler(initialClock: 0)), Observable<Int>.never()
        ).subscribe()
        #expect(probe.emitUntilPaused(limit: 1_000) == 256)
        subscription.dispose()
        #expect(probe.resumeCount >= 1 && !probe.ask())
        connection.dispose()
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxSwift
import TestSupport
import Testing

@Suite struct VirtualTimeSchedulerTests {
    private static func date(_ seconds: Double) -> Date { Date(timeIntervalSince1970: seconds) }

    private func at(
        _ seconds: Double, on scheduler: HistoricalScheduler, _ action: @escaping () -> Void
    ) -> any Disposable {
        scheduler.scheduleAbsoluteVirtual((), time: Self.date(seconds)) { _ in
            action()
            return Disposables.create()
        }
    }

    @Test("Actions run in order of time, then of scheduling") func timeOrder() {
        let scheduler = HistoricalScheduler()
        var log: [Int] = []
        let times = [5, 3, 5, 1, 4, 3, 1, 2, 5, 0]
        for (index, time) in times.enumerated() {
            _ = at(Double(time), on: scheduler) { log.append(time * 100 + index) }
        }
        scheduler.start()
        #expect(log == [9, 103, 106, 207, 301, 305, 404, 500, 502, 508])
        #expect(scheduler.clock == Self.date(5))
        #expect(scheduler.now == Self.date(5))
    }

    /// The fault: what was disposed of stayed until the clock came to it.
    @Test("Disposed actions are released though the clock stands still") func disposedActions() {
        struct Weak { weak var object: AnyObject? }
        let scheduler = HistoricalScheduler()
        let kept = (0..<10).map { at(Double($0), on: scheduler) {} }
        let disposed = (0..<1_000).map { number in
            let action = at(Double(number % 7), on: scheduler) {}
            action.dispose()
            return Weak(object: action as AnyObject)
        }
        #expect(disposed.filter { $0.object != nil }.count < 100)
        var log: [Int] = []
        for number in 0..<100 { _ = at(Double(number % 3), on: scheduler) { log.append(number % 3 * 100 + number) } }
        scheduler.start()
        #expect(log.count == 100 && log == log.sorted())
        withExtendedLifetime(kept) {}
    }

    @Test("A random agenda keeps its order") func randomAgenda() {
        let scheduler = HistoricalScheduler()
        var log: [[Int]] = []
        var expected: [[Int]] = []
        var random = SystemRandomNumberGenerator()
        for index in 0..<1_000 {
            let time = Int.random(in: 0..<50, using: &random)
            let action = at(Double(time), on: scheduler) { log.append([time, index]) }
            if Bool.random(using: &random) { action.dispose() } else { expected.append([time, index]) }
        }
        scheduler.start()
        #expect(log == expected.sorted { ($0[0], $0[1]) < ($1[0], $1[1]) })
    }

    @Test("A disposed action does not move the clock") func disposedAction() {
        let scheduler = HistoricalScheduler(initialClock: Self.date(100))
        let disposable = at(200, on: scheduler) { Issue.record("was disposed of") }
        _ = at(150, on: scheduler) {}
        disposable.dispose()
        scheduler.start()
        #expect(scheduler.clock == Self.date(150))
    }

    @Test("Disposing releases a waiting action and disposes of the result of one that ran") func disposal() {
        weak var token: ReleaseToken?
        let scheduler = HistoricalScheduler()
        let result = BooleanDisposable()
        let waiting: any Disposable
        do {
            let captured = ReleaseToken()
            token = captured
            waiting = at(10, on: scheduler) { withExtendedLifetime(captured) {} }
        }
        let run = scheduler.schedule(()) { _ in result }
        waiting.dispose()
        #expect(token == nil)
        scheduler.start()
        #expect(!result.isDisposed)
        run.dispose()
        #expect(result.isDisposed)
    }

    @Test("advanceTo runs the actions that are due, and sleep runs none") func advanceAndSleep() {
        let scheduler = HistoricalScheduler()
        var log: [Int] = []
        for time in [10, 20, 30] { _ = at(Double(time), on: scheduler) { log.append(time) } }
        scheduler.advanceTo(Self.date(20))
        #expect(log == [10, 20] && scheduler.clock == Self.date(20))
        scheduler.sleep(15)
        #expect(log == [10, 20] && scheduler.clock == Self.date(35))
        scheduler.start()
        #expect(log == [10, 20, 30] && scheduler.clock == Self.date(35))
    }

    @Test("stop returns after the running action") func stop() {
        let scheduler = HistoricalScheduler()
        var log: [Int] = []
        for time in [1, 2, 3] {
            _ = at(Double(time), on: scheduler) {
                log.append(time)
                if time == 2 { scheduler.stop() } else { scheduler.start() }
            }
        }
        #expect(scheduler.debugDescription == "\([1, 2, 3].map { Self.date($0) })")
        scheduler.start()
        #expect(log == [1, 2] && scheduler.clock == Self.date(2))
        scheduler.start()
        #expect(log == [1, 2, 3])
    }

    @Test("Relative times add to the clock") func relativeTimes() {
        let scheduler = HistoricalScheduler(initialClock: Self.date(1_000))
        var clocks: [Date] = []
        _ = scheduler.scheduleRelativeVirtual((), dueTime: 5) { _ in
            clocks.append(scheduler.clock)
            return scheduler.scheduleRelative((), dueTime: .milliseconds(2_500)) { _ in
                clocks.append(scheduler.clock)
                return Disposables.create()
            }
        }
        scheduler.start()
        #expect(clocks == [Self.date(1_005), Self.date(1_007.5)])
    }

    @Test("Misuse stops the program") func misuse() async {
        await #expect(processExitsWith: .failure) { HistoricalScheduler().sleep(-1) }
        await #expect(processExitsWith: .failure) {
            let scheduler = HistoricalScheduler()
            _ = scheduler.schedule(()) { _ in
                scheduler.advanceTo(Date())
                return Disposables.create()
            }
            scheduler.start()
        }
        await #expect(processExitsWith: .failure) {
            let scheduler = HistoricalScheduler()
            _ = scheduler.schedule(()) { _ in
                let done = DispatchSemaphore(value: 0)
                Thread.detachNewThread {
                    scheduler.sleep(1)
                    done.signal()
                }
                done.wait()
                return Disposables.create()
            }
            scheduler.start()
        }
    }

    /// The fault: both threads changed the agenda, which lost actions or crashed later.
    @Test("Scheduling from two threads at once stops the program") func schedulingFromTwoThreads() async throws {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let compares = DispatchSemaphore(value: 0)
            let scheduler = VirtualTimeScheduler(
                initialClock: 0,
                converter: StoppingConverter {
                    _ = compares.signal()
                    sleep(60)
                })
            @Sendable func schedule() {
                _ = scheduler.scheduleAbsoluteVirtual((), time: 1) { _ in Disposables.create() }
            }
            schedule()
            // The second action is compared with the first, within the scheduling.
            Thread.detachNewThread { schedule() }
            compares.wait()
            schedule()
        }
        let message = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(message.contains("VirtualTimeScheduler.schedule: called on one thread while another"))
    }

    /// Threads may take turns: each of them finds what the other has scheduled.
    @Test("Threads that schedule in turn lose nothing") func schedulingInTurn() {
        let scheduler = HistoricalScheduler()
        let count = AtomicCounter(0)
        for _ in 0..<50 {
            let done = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                _ = scheduler.schedule(()) { _ in
                    count.increment()
                    return Disposables.create()
                }
                done.signal()
            }
            done.wait()
        }
        scheduler.start()
        #expect(count.value == 50)
    }

    /// The fault: nanoseconds since 1970 did not fit, and the program ended.
    @Test(
        "Elements wait by a clock that shows any date",
        arguments: [.distantPast, .distantFuture, Self.date(9_224_000_000), Self.date(-11_676_096_000)])
    func distantDates(_ start: Date) {
        let scheduler = HistoricalScheduler(initialClock: start)
        var log: [String] = []
        let source = Observable.of(1, 2, 3)
        _ = source.delay(.seconds(1), scheduler: scheduler).subscribe(onNext: { log.append("delay \($0)") })
        _ = source.throttle(.milliseconds(1_500), scheduler: scheduler)
            .subscribe(onNext: { log.append("throttle \($0)") })
        _ = source.throttle(.seconds(1), latest: false, scheduler: scheduler)
            .subscribe(onNext: { log.append("first \($0)") })
        #expect(log == ["throttle 1", "first 1"])
        scheduler.advanceTo(start.addingTimeInterval(0.9))
        #expect(log.count == 2)
        scheduler.advanceTo(start.addingTimeInterval(5))
        #expect(log.dropFirst(2) == ["delay 1", "delay 2", "delay 3", "throttle 3"])
    }

    @Test(
        "Times without an end are longer than any other",
        arguments: [.never, .seconds(.max), .milliseconds(.max), .nanoseconds(.max)] as [RxTimeInterval])
    func endlessTimes(_ time: RxTimeInterval) {
        let scheduler = HistoricalScheduler(initialClock: Self.date(-1_000))
        let count = AtomicCounter(0)
        let source = Observable.of(1, 2)
        _ = source.delay(time, scheduler: scheduler).subscribe(onNext: { _ in count.increment() })
        _ = source.throttle(time, scheduler: scheduler).subscribe(onNext: { _ in count.increment() })
        scheduler.advanceTo(Self.date(1e9))
        #expect(count.value == 1)
        scheduler.start()
        #expect(count.value == 4)
    }
}

/// Counts time in whole seconds, and calls a closure whenever it compares two points.
private struct StoppingConverter: VirtualTimeConverterType {
    let willCompare: @Sendable () -> Void

    init(_ willCompare: @escaping @Sendable () -> Void) { self.willCompare = willCompare }

    func convertFromVirtualTime(_ virtualTime: Int) -> RxTime { Date(timeIntervalSince1970: Double(virtualTime)) }

    func convertToVirtualTime(_ time: RxTime) -> Int { Int(time.timeIntervalSince1970) }

    func convertFromVirtualTimeInterval(_ virtualTimeInterval: Int) -> TimeInterval { Double(virtualTimeInterval) }

    func convertToVirtualTimeInterval(_ timeInterval: TimeInterval) -> Int { Int(timeInterval) }

    func offsetVirtualTime(_ time: Int, offset: Int) -> Int { time + offset }

    func compareVirtualTime(_ lhs: Int, _ rhs: Int) -> VirtualTimeComparison {
        willCompare()
        return lhs < rhs ? .lessThan : lhs == rhs ? .equal : .greaterThan
    }
}

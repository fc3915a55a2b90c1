// SPDX-License-Identifier: Apache-2.0

import Dispatch
import RxSwift
import RxTest
import TestSupport
import Testing

/// Each test in a process of its own, since the hooks are the process's.
@Suite struct BacklogTests {
    @Test("A place is reported once for each multiple of the threshold, also when the queue empties in between")
    func oncePerPlace() async {
        await #expect(processExitsWith: .success) {
            nonisolated(unsafe) var reports: [Int] = []
            Hooks.backlogThreshold = 1_000
            Hooks.backlogHandler = { name, count in
                precondition(name == "observe(on:)")
                reports.append(count)
            }
            let queue = DispatchQueue(label: "busy")
            let scheduler = SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "test")
            let source = PublishSubject<Int>()
            let subscription = source.observe(on: scheduler).subscribe()
            for burst in [1_500, 1_500, 3_500] {
                // A block that is running still would go on beside the burst.
                queue.sync {}
                queue.suspend()
                for element in 0..<burst { source.onNext(element) }
                queue.resume()
                let done = DispatchSemaphore(value: 0)
                _ = scheduler.schedule(()) { _ in
                    done.signal()
                    return Disposables.create()
                }
                done.wait()
            }
            precondition(reports.map { $0 / 1_000 } == [1, 2, 3], "\(reports)")
            subscription.dispose()
        }
    }

    /// The fault: what counted was only what had come since other work was submitted to the scheduler.
    @Test("Hops that share a scheduler are reported, each with all that waits in it") func sharedScheduler() async {
        await #expect(processExitsWith: .success) {
            nonisolated(unsafe) var reports: [Int] = []
            Hooks.backlogThreshold = 1_000
            Hooks.backlogHandler = { name, count in
                precondition(name == "observe(on:)")
                reports.append(count / 1_000)
            }
            let queue = DispatchQueue(label: "suspended")
            let scheduler = SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "test")
            let source = PublishSubject<Int>()
            queue.suspend()
            let hops = (0..<2).map { _ in source.observe(on: scheduler).subscribe() }
            for element in 0..<2_500 { source.onNext(element) }
            precondition(reports == [1, 1, 2, 2], "\(reports)")
            for hop in hops { hop.dispose() }
            queue.resume()
        }
    }

    @Test("Elements that wait for a task are reported, if their source cannot pause") func values() async {
        await #expect(processExitsWith: .success) {
            nonisolated(unsafe) var reports: [String] = []
            Hooks.backlogHandler = { name, count in reports.append("\(name) \(count / 1_000)") }
            let source = PublishSubject<Int>()
            let throwing = source.values
            let suspending = source.values(buffering: .suspend)
            let others = [source.values(buffering: .unbounded), source.values(buffering: .latest)]
            for element in 0..<11_000 { source.onNext(element) }
            precondition(reports == ["values 10", "values 10"], "\(reports)")
            withExtendedLifetime((throwing, suspending, others)) {}
        }
    }

    @Test("Elements and sequences that wait in an operator are reported, if their source cannot pause")
    func operators() async {
        await #expect(processExitsWith: .success) {
            nonisolated(unsafe) var reports: [String] = []
            Hooks.backlogThreshold = 1_000
            Hooks.backlogHandler = { name, count in reports.append("\(name) \(count)") }
            let source = PublishSubject<Int>()
            let never = Observable<Int>.never()
            let scheduler = TestScheduler(initialClock: 0)
            let pipelines = [
                Observable.zip(source, never) { $0 + $1 }, Observable.zip([source, never]) { $0.count },
                source.concatMap { _ in never }, source.flatMap(maxConcurrent: 2) { _ in never },
                source.map { _ in never }.concat(), source.delay(.seconds(1), scheduler: scheduler),
            ]
            let subscriptions = pipelines.map { $0.subscribe() }
            for element in 0..<1_100 { source.onNext(element) }
            let expected = [
                "concat 1000", "concatMap 1000", "delay 1000", "flatMap(maxConcurrent:) 1000", "zip 1024", "zip 1024",
            ]
            precondition(reports.sorted() == expected, "\(reports)")
            for subscription in subscriptions { subscription.dispose() }
        }
    }

    @Test("Without a handler each place prints one line to standard error")
    func prints() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let queue = DispatchQueue(label: "busy")
            let scheduler = SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "test")
            queue.suspend()
            let source = PublishSubject<Int>()
            let subscription = source.observe(on: scheduler).subscribe()
            for element in 0..<35_000 { source.onNext(element) }
            let nested = PublishSubject<Int>()
            let other = nested.subscribe(onNext: { if $0 == 0 { for next in 1...25_000 { nested.onNext(next) } } })
            nested.onNext(0)
            queue.resume()
            subscription.dispose()
            other.dispose()
        }
        let lines = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self).split(separator: "\n")
            .filter { $0.hasPrefix("swift-rx: ") }
        let advice = "bound them with onBackpressure(buffer:overflow:) or observe(on:buffer:overflow:)"
        #expect(lines.count == 2)
        #expect(lines.allSatisfy { $0.contains("events are pending") && $0.hasSuffix(advice) })
        #expect(lines.first?.hasPrefix("swift-rx: observe(on:): 10") == true)
        #expect(lines.last?.hasPrefix("swift-rx: PublishSubject: 10000 ") == true)
    }

    @Test("A queue that drops elements is not reported, nor one whose source is paused")
    func bounded() async {
        await #expect(processExitsWith: .success) {
            Hooks.backlogHandler = { name, count in preconditionFailure("\(name) \(count)") }
            let gated = GatedScheduler()
            let source = PublishSubject<Int>()
            let dropping = source.observe(on: gated.scheduler, buffer: 10, overflow: .dropOldest).subscribe()
            for element in 0..<35_000 { source.onNext(element) }
            let probe = PausableProbe()
            let paused = probe.observable.observe(on: gated.scheduler).subscribe()
            for _ in 0..<35_000 { probe.emit() }
            gated.open()
            dropping.dispose()
            paused.dispose()
        }
    }

    /// The fault: one source that was paused hid the growth by another one.
    @Test("A queue that has paused a source is reported if another one goes on")
    func mixture() async {
        await #expect(processExitsWith: .success) {
            nonisolated(unsafe) var reports: [String] = []
            Hooks.backlogHandler = { name, count in reports.append("\(name) \(count / 10_000)") }
            for isBuffered in [false, true] {
                let (probe, source, gated) = (PausableProbe(), PublishSubject<Int>(), GatedScheduler())
                let merged = Observable.merge(probe.observable, source)
                let kept = isBuffered ? merged.onBackpressure(buffer: 10, overflow: .suspend) : merged
                let subscription = kept.observe(on: gated.scheduler).subscribe()
                for _ in 0..<20_000 { probe.emit() }
                precondition(probe.isPaused && reports.isEmpty, "\(reports)")
                for element in 0..<100_000 { source.onNext(element) }
                let name = isBuffered ? "onBackpressure(buffer:overflow:)" : "observe(on:)"
                precondition(reports.first == "\(name) 10", "\(reports)")
                reports = []
                gated.open()
                subscription.dispose()
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct GroupByUntilTests {
    private let source = PublishSubject<Int>()
    private let log = EventLog()

    /// Subscribes to the groups of the last digit and logs all that they send, with the number of the group in front.
    private func logGroups(_ groups: Observable<GroupedObservable<Int, Int>>) -> any Disposable {
        var count = 0
        return groups.subscribe(
            onNext: { group in
                count += 1
                let number = count
                log.note("\(number): key \(group.key)")
                _ = group.subscribe(
                    onNext: { log.note("\(number): \($0)") }, onError: { _ in log.note("\(number): error") },
                    onCompleted: { log.note("\(number): end") })
            }, onError: { _ in log.note("error") }, onCompleted: { log.note("end") })
    }

    @Test("A group ends when its sequence sends an element, and a later element of its key opens another")
    func ends() {
        let subscription = logGroups(
            source.groupBy {
                $0 % 10
            } until: {
                $0.filter { $0 >= 100 }
            })
        for element in [1, 2, 11, 101, 21, 102] { source.onNext(element) }
        source.onCompleted()
        #expect(
            log.lines == [
                "1: key 1", "1: 1", "2: key 2", "2: 2", "1: 11", "1: 101", "1: end", "3: key 1", "3: 21", "2: 102",
                "2: end",
                "3: end", "end",
            ])
        subscription.dispose()
    }

    @Test("The element that opens a group is delivered, though the group's sequence ends at once")
    func endsAtOnce() {
        let subscription = logGroups(
            source.groupBy {
                $0 % 10
            } until: { _ in
                Observable<Int>.just(0)
            })
        source.onNext(1)
        source.onNext(11)
        #expect(log.lines == ["1: key 1", "1: 1", "1: end", "2: key 1", "2: 11", "2: end"])
        subscription.dispose()
    }

    @Test(
        "An error of a group's sequence, of either closure and of the source ends the groups and the result",
        arguments: 0..<4)
    func fails(origin: Int) {
        let subscription = logGroups(
            source.groupBy { element in
                if origin == 0, element == 3 { throw NumberedFailure(0) }
                return element % 10
            } until: { group -> Observable<Int> in
                if origin == 1, group.key == 3 { throw NumberedFailure(1) }
                return origin == 2 && group.key == 3 ? .error(NumberedFailure(2)) : .never()
            })
        for element in [1, 2, 3] { source.onNext(element) }
        if origin == 3 { source.onError(NumberedFailure(3)) }
        #expect(log.lines.suffix(1) == ["error"] && log.lines.contains("1: error") && log.lines.contains("2: error"))
        #expect(!source.hasObservers)
        source.onNext(4)
        #expect(log.lines.suffix(1) == ["error"])
        subscription.dispose()
    }

    @Test("The source stays subscribed to while the result or a group is, not on account of a group's sequence")
    func life() {
        var group: (any Disposable)?
        let subscription = source.groupBy {
            $0
        } until: {
            $0.skip(1_000)
        }.subscribe(onNext: { group = $0.subscribe() })
        source.onNext(1)
        subscription.dispose()
        #expect(source.hasObservers)
        group?.dispose()
        #expect(!source.hasObservers)
    }

    @Test("Keys of which there are ever new ones leave nothing behind")
    func manyKeys() {
        #if TRACE_RESOURCES
            var subscription: any Disposable = source.groupBy {
                $0
            } until: {
                $0
            }.subscribe(onNext: { _ = $0.subscribe() })
            for key in 0..<100 { source.onNext(key) }
            let before = Resources.total
            for key in 100..<10_000 { source.onNext(key) }
            #expect(Resources.total <= before)
            subscription.dispose()
            subscription = Disposables.create()
        #endif
    }

    @Test("A group to which no element comes for the idle time ends")
    func idle() async {
        let scheduler = SerialDispatchQueueScheduler(internalSerialQueueName: "idle")
        let subscription = logGroups(source.groupBy({ $0 % 10 }, idleTimeout: .milliseconds(100), scheduler: scheduler))
        source.onNext(1)
        #expect(await eventually { log.lines.last == "1: end" })
        source.onNext(11)
        #expect(await eventually { log.lines.suffix(3) == ["2: key 1", "2: 11", "2: end"] })
        subscription.dispose()
    }

    /// The fault: the group ended behind the element in whose delivery the time had passed.
    @Test("The idle time begins anew behind an element in whose delivery it passes")
    func idleTimePassesInDelivery() {
        let scheduler = TestScheduler(initialClock: 0)
        let seen = EventLog()
        let subscription = source.groupBy({ _ in 0 }, idleTimeout: .seconds(100), scheduler: scheduler)
            .flatMap { $0.do(onCompleted: { seen.note("end") }) }
            .subscribe(onNext: { element in
                seen.note("\(element)")
                if element == 2 { scheduler.advanceTo(120) }
            })
        source.onNext(1)
        scheduler.advanceTo(90)
        source.onNext(2)
        source.onNext(3)
        scheduler.advanceTo(200)
        #expect(seen.text == "1 2 3")
        scheduler.advanceTo(300)
        #expect(seen.text == "1 2 3 end")
        subscription.dispose()
    }

    @Test("A group does not end in a time in which its source pauses")
    func idleWhilePaused() async {
        // Made before the group's time begins, as that takes some time under a sanitizer.
        let text = String(repeating: "x", count: 1 << 20)
        let probe = PausableProbe { _ in text }
        let queue = DispatchQueue(label: "groups")
        queue.suspend()
        let slow = SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "groups.target")
        let timers = SerialDispatchQueueScheduler(internalSerialQueueName: "timers")
        let ends = AtomicCounter(0)
        let subscription = probe.observable.groupBy(
            { $0.utf8.count }, idleTimeout: .milliseconds(50), scheduler: timers
        )
        .flatMap { $0.do(onCompleted: { ends.increment() }) }.observe(on: slow).subscribe()
        probe.emitUntilPaused(limit: 100)
        #expect(probe.isPaused)
        Thread.sleep(forTimeInterval: 0.3)
        #expect(ends.value == 0)
        queue.resume()
        #expect(await eventually { probe.resumeCount > 0 })
        #expect(!probe.ask())
        #expect(await eventually { ends.value == 1 })
        subscription.dispose()
    }

    /// The fault: the elements that came out of a `delay` behind the pause of its source said that the source went on.
    @Test("A group does not end in a time in which its source pauses, behind elements that were on their way")
    func idleBehindElementsOnTheirWay() {
        let probe = PausableProbe()
        let scheduler = TestScheduler(initialClock: 0)
        let other = PublishSubject<Int>()
        var ends = 0
        let groups = probe.observable.groupBy({ _ in 0 }, idleTimeout: .seconds(10), scheduler: scheduler)
            .flatMap { $0.do(onCompleted: { ends += 1 }) }
        // A zip pauses a source while 256 elements wait, until 128 do.
        let subscription = Observable.zip(groups, other).subscribe()
        for _ in 0..<256 { probe.emit() }
        #expect(probe.isPaused)
        probe.emitWithoutAsking()
        scheduler.advanceTo(100)
        #expect(ends == 0)
        for number in 0..<130 { other.onNext(number) }
        #expect(probe.resumeCount == 1)
        // The idle time begins when the source goes on.
        scheduler.advanceTo(109)
        #expect(ends == 0)
        scheduler.advanceTo(130)
        #expect(ends == 1)
        subscription.dispose()
        #expect(probe.isStopped)
    }

    /// The fault: above a consumer that is always slower, each idle time contains a pause, and no group ended.
    @Test("A group ends for which nothing came between two pauses of its source")
    func idleBesidePauses() {
        let probe = PausableProbe()
        let scheduler = TestScheduler(initialClock: 0)
        let other = PublishSubject<Int>()
        var ends: [Bool] = []
        let groups = probe.observable.groupBy({ $0 == 1 }, idleTimeout: .seconds(10), scheduler: scheduler)
            .flatMap { group in group.do(onCompleted: { ends.append(group.key) }) }
        let subscription = Observable.zip(groups, other).subscribe()
        #expect(probe.emitUntilPaused(limit: 1_000) == 256)
        for _ in 0..<2 {
            for number in 0..<128 { other.onNext(number) }
            scheduler.advanceTo(scheduler.clock + 4)
            #expect(probe.emitUntilPaused(limit: 1_000) == 128)
        }
        scheduler.advanceTo(scheduler.clock + 11)
        // That of the later elements waits for its source.
        #expect(ends == [true])
        subscription.dispose()
    }

    @Test("The source pauses only while the result and all open groups pause it; the groups' sequences do not count")
    func pauses() {
        let probe = PausableProbe { _ in String(repeating: "x", count: 1 << 20) }
        let queue = DispatchQueue(label: "groups")
        queue.suspend()
        let slow = SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "groups.target")
        let subscription = probe.observable.groupBy {
            $0.utf8.count
        } until: {
            $0.skip(1_000)
        }
        .flatMap { $0 }.observe(on: slow).subscribe()
        #expect(probe.emitUntilPaused(limit: 100) == 2)
        queue.resume()
        subscription.dispose()
    }
}

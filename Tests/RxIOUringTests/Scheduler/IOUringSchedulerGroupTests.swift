// SPDX-License-Identifier: Apache-2.0

import CRxIOUring
import Foundation
import RxIOUring
import RxPrimitives
import RxSwift
import TestSupport
import Testing

@Suite struct IOUringSchedulerGroupTests {
    @Test("next() returns each loop in turn", arguments: Backend.built)
    func next(_ backend: Backend) {
        let group = IOUringSchedulerGroup(count: 3, name: "spread", backend: backend)
        let names = (0..<6).map { _ in group.next().name }
        #expect(names == ["spread.0", "spread.1", "spread.2", "spread.0", "spread.1", "spread.2"])
        #expect(group.schedulers.allSatisfy { $0.backend == backend.kind })
        let counts = (0..<3).map { _ in AtomicCounter(0) }
        race(
            (0..<3).map { _ in
                {
                    for _ in 0..<300 {
                        let scheduler = group.next()
                        scheduler.run {
                            for (place, loop) in group.schedulers.enumerated() where loop.isCurrent {
                                counts[place].increment()
                            }
                        }
                    }
                }
            })
        group.shutdown()
        #expect(counts.map(\.value) == [300, 300, 300])
    }

    /// The fault: a listener's connections went to the loop that had ended, and were reset.
    @Test("next() passes over loops that have ended", arguments: Backend.built)
    func nextBesideEnded(_ backend: Backend) {
        let group = IOUringSchedulerGroup(count: 3, name: "spread", backend: backend)
        group.schedulers[1].shutdown()
        let names = (0..<6).map { _ in group.next().name }
        #expect(Set(names) == ["spread.0", "spread.2"])
        group.shutdown()
        #expect(group.schedulers.contains { $0 === group.next() })
    }

    @Test("A pinned loop stays on its processor", arguments: Backend.built)
    func pinned(_ backend: Backend) {
        let processors = UsableProcessors.numbers()
        let group = IOUringSchedulerGroup(count: processors.count, name: "pin", pinned: true, backend: backend)
        #expect(allowedProcessors(of: group) == processors.map { "\($0)" })
        group.shutdown()
    }

    @Test(
        "A group has a loop for each processor that its maker may use, and pins within them", arguments: Backend.built)
    func affinity(_ backend: Backend) throws {
        let last = try #require(UsableProcessors.numbers().last)
        nonisolated(unsafe) var (automatic, pinned): ([String], [String]) = ([], [])
        nonisolated(unsafe) var notices: [String] = []
        let before = IOHooks.noticeHandler
        defer { IOHooks.noticeHandler = before }
        // On a thread of its own, whose processors the test may choose.
        onEightMebibytes {
            _ = rx_thread_pin(CInt(last))
            let group = IOUringSchedulerGroup(name: "few", backend: backend)
            automatic = allowedProcessors(of: group)
            group.shutdown()
            let three = IOUringSchedulerGroup(count: 3, name: "pin", pinned: true, backend: backend)
            pinned = allowedProcessors(of: three)
            three.shutdown()
            IOHooks.noticeHandler = { notices.append($0) }
            IOUringScheduler(name: "outside", processor: last == 0 ? 1 : 0, backend: backend).shutdown()
        }
        #expect(automatic == ["\(last)"])
        #expect(pinned == ["\(last)", "\(last)", "\(last)"])
        #expect(notices == ["outside: cannot be pinned to processor \(last == 0 ? 1 : 0)"])
    }

    /// The processors that the threads of a group may use, as the system lists them.
    private func allowedProcessors(of group: IOUringSchedulerGroup) -> [String] {
        group.schedulers.map { scheduler in scheduler.performAndWait { TestSupport.allowedProcessors() } }
    }

    @Test("A processor that does not exist is reported and does no harm", arguments: Backend.built)
    func missingProcessor(_ backend: Backend) {
        let before = IOHooks.noticeHandler
        defer { IOHooks.noticeHandler = before }
        let log = EventLog()
        IOHooks.noticeHandler = { log.note($0) }
        let scheduler = IOUringScheduler(name: "nowhere", processor: 100_000, backend: backend)
        let done = OneShot()
        scheduler.run { done.fire() }
        #expect(done.wait())
        #expect(log.lines == ["nowhere: cannot be pinned to processor 100000"])
        scheduler.shutdown()
    }

    /// The race: each of two loops shuts both down. If one waited for the other, neither would end.
    @Test("Loops that end their group at once do not wait for each other", arguments: Backend.built)
    func mutualShutdown(_ backend: Backend) async {
        for _ in 0..<50 {
            let group = IOUringSchedulerGroup(count: 2, name: "both", backend: backend)
            let arrived = AtomicCounter(0)
            for scheduler in group.schedulers {
                scheduler.run {
                    arrived.increment()
                    spin { arrived.value == 2 }
                    group.shutdown()
                }
            }
            let ended = await eventually { (0..<2).allSatisfy { threadCount(named: "both.\($0)") == 0 } }
            guard ended else { return #expect(Bool(false), "the loops wait for each other") }
            group.shutdown()
        }
    }

    @Test("A group that is released leaves no thread", arguments: Backend.built)
    func released(_ backend: Backend) async {
        do {
            let group = IOUringSchedulerGroup(count: 4, name: "gone", backend: backend)
            for scheduler in group.schedulers { scheduler.run {} }
        }
        #expect(await eventually { (0..<4).allSatisfy { threadCount(named: "gone.\($0)") == 0 } })
    }
}

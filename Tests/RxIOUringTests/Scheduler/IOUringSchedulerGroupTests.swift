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

    @Test("A pinned loop stays on its processor", arguments: Backend.built)
    func pinned(_ backend: Backend) {
        let processors = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        let group = IOUringSchedulerGroup(name: "pin", pinned: true, backend: backend)
        #expect(group.schedulers.count == processors)
        for (number, scheduler) in group.schedulers.enumerated() {
            nonisolated(unsafe) var allowed = ""
            let done = OneShot()
            scheduler.run {
                allowed = allowedProcessors()
                done.fire()
            }
            #expect(done.wait())
            #expect(allowed == "\(number)")
        }
        group.shutdown()
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

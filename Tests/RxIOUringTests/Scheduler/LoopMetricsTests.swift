// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import RxIOUring
import RxPrimitives
import RxSwift
import TestSupport
import Testing

@Suite struct LoopMetricsTests {
    @Test("Actions, also of the last turn, are counted as steps", arguments: Backend.built, [1, 10_000])
    func steps(_ backend: Backend, _ count: Int) {
        let scheduler = IOUringScheduler(backend: backend)
        #expect(scheduler.performAndWait { true })
        #expect(soon { scheduler.metrics.steps == 2 })
        for _ in 0..<count { scheduler.run {} }
        scheduler.shutdown()
        let metrics = scheduler.metrics
        // The shutdown is a job of its own, which uses the rest of its slice up.
        #expect(metrics.steps >= 2 + 2 * count && metrics.steps <= 2 + 2 * count + 20)
        #expect(metrics.turns >= 1 + count / 512)
        #expect(metrics.firedTimers == 0 && metrics.operationsInFlight == 0 && metrics.stalls == 0)
    }

    @Test("A loop at rest makes no turns", arguments: Backend.built)
    func rest(_ backend: Backend) {
        let scheduler = IOUringScheduler(backend: backend)
        #expect(scheduler.performAndWait { true })
        usleep(50_000)
        let before = scheduler.metrics
        usleep(100_000)
        #expect(scheduler.metrics == before)
        scheduler.shutdown()
    }

    @Test("Timers are counted while they are armed, and when they have fired", arguments: Backend.built)
    func timers(_ backend: Backend) {
        let scheduler = IOUringScheduler(backend: backend)
        let fired = AtomicCounter(0)
        for _ in 0..<100 {
            _ = scheduler.scheduleRelative((), dueTime: .milliseconds(5)) { _ in
                fired.increment()
                return Disposables.create()
            }
        }
        let far = (0..<50).map { _ in
            scheduler.scheduleRelative((), dueTime: .seconds(100)) { _ in Disposables.create() }
        }
        #expect(soon { fired.value == 100 && scheduler.metrics.firedTimers == 100 })
        #expect(scheduler.metrics.armedTimers == 50)
        for timer in far { timer.dispose() }
        #expect(soon { scheduler.metrics.armedTimers == 0 })
        #expect(scheduler.metrics.firedTimers == 100)
        scheduler.shutdown()
    }

    @Test("The lateness of a timer behind a slow action is noted", arguments: Backend.built)
    func lateness(_ backend: Backend) {
        let scheduler = IOUringScheduler(backend: backend)
        let fired = AtomicCounter(0)
        @Sendable func arm() {
            _ = scheduler.scheduleRelative((), dueTime: .milliseconds(1)) { _ in
                fired.increment()
                return Disposables.create()
            }
        }
        scheduler.run {
            arm()
            keepBusy(until: { true }, andThen: 0.06)
        }
        #expect(soon { fired.value == 1 && scheduler.metrics.firedTimers == 1 })
        let metrics = scheduler.metrics
        #expect(metrics.greatestTimerLateness >= 50_000_000 && metrics.longestTurn >= 55_000_000)
        scheduler.resetMaxima()
        #expect(scheduler.metrics.greatestTimerLateness == 0)
        #expect(scheduler.metrics.firedTimers == 1)
        scheduler.shutdown()
    }

    @Test("A timer that waits for slow timers before it is late", arguments: Backend.built)
    func latenessInLane(_ backend: Backend) {
        let scheduler = IOUringScheduler(backend: backend)
        let fired = AtomicCounter(0)
        for _ in 0..<20 {
            _ = scheduler.scheduleRelative((), dueTime: .milliseconds(20)) { _ in
                fired.increment()
                keepBusy(until: { true }, andThen: 0.01)
                return Disposables.create()
            }
        }
        #expect(soon { fired.value == 20 && scheduler.metrics.firedTimers == 20 })
        // The last turn fires some of the twenty.
        #expect(scheduler.metrics.greatestTimerLateness >= 100_000_000)
        scheduler.shutdown()
    }

    @Test("The longest turn includes the current one, without sleep", arguments: Backend.built)
    func longestTurn(_ backend: Backend) {
        let scheduler = IOUringScheduler(backend: backend)
        let isOver = Guarded(false)
        #expect(scheduler.performAndWait { true })
        scheduler.run { keepBusy(until: { isOver.value }, andThen: 0) }
        #expect(soon { scheduler.metrics.longestTurn >= 100_000_000 })
        isOver.value = true
        #expect(scheduler.performAndWait { true })
        #expect(scheduler.metrics.longestTurn >= 95_000_000)
        usleep(20_000)
        scheduler.resetMaxima()
        let start = MonotonicClock.now()
        usleep(300_000)
        #expect(scheduler.performAndWait { true })
        #expect(scheduler.metrics.longestTurn < Int(MonotonicClock.now() - start) / 2)
        scheduler.shutdown()
    }

    @Test("Echoes are counted as completions", arguments: Backend.built)
    func completions(_ backend: Backend) throws {
        let server = try Server.echo(backend)
        let peer = PlainSocket(connectedTo: server.address)
        #expect(peer.send([1]) && peer.receive(1) == [1])
        let before = server.scheduler.metrics
        for number: UInt8 in 0..<100 { #expect(peer.send([number]) && peer.receive(1) == [number]) }
        #expect(soon { server.scheduler.metrics.completions >= before.completions + 100 })
        #expect(soon { server.scheduler.metrics.operationsInFlight >= 2 })
        peer.close()
        server.end()
        #expect(server.scheduler.metrics.operationsInFlight == 0)
    }

    // The simulated pool is exhausted at times, and chunks then have memory of their own.
    @Test("Chunks that an observer keeps are receive buffers in use", arguments: Backend.withoutFaults, [false, true])
    func receiveBuffers(_ backend: Backend, _ releasesOnLoop: Bool) throws {
        let chunks = Guarded<[ByteChunk]>([])
        let server = try Server(
            backend,
            onConnection: { connection in
                _ = connection.received.subscribe(onNext: { chunk in
                    chunks.change { $0.append(chunk) }
                    connection.send(chunk)
                })
            })
        let peer = PlainSocket(connectedTo: server.address)
        for number: UInt8 in 0..<3 { #expect(peer.send([number]) && peer.receive(1) == [number]) }
        #expect(soon { server.scheduler.metrics.receiveBuffersInUse == 3 })
        if releasesOnLoop {
            server.scheduler.performAndWait { chunks.value = [] }
        } else {
            chunks.value = []
        }
        // The loop takes buffers back when it sleeps next.
        #expect(
            soon {
                server.scheduler.run {}
                return server.scheduler.metrics.receiveBuffersInUse == 0
            })
        peer.close()
        server.end()
    }

    @Test("Snapshots are taken while the loop runs, and counters never fall", arguments: Backend.built)
    func race(_ backend: Backend) {
        let scheduler = IOUringScheduler(backend: backend)
        let isOver = AtomicCounter(0)
        TestSupport.race(
            {
                for _ in 0..<20_000 { scheduler.run {} }
                #expect(scheduler.performAndWait { true })
                isOver.increment()
            },
            {
                var last = scheduler.metrics
                while isOver.value == 0 {
                    let next = scheduler.metrics
                    #expect(next.turns >= last.turns && next.steps >= last.steps)
                    last = next
                    scheduler.resetMaxima()
                }
            })
        scheduler.shutdown()
    }
}

// SPDX-License-Identifier: Apache-2.0

import Glibc
import RxIOUring
import RxSwift
import TestSupport
import Testing

/// Timers that are armed at the end of a tick, behind the loop's look at its timers, while nothing else wakes the loop.
@Suite struct LateTimerTests {
    private func arm(_ scheduler: IOUringScheduler, _ fired: OneShot) {
        _ = scheduler.scheduleRelative((), dueTime: .milliseconds(2)) { _ in
            fired.fire()
            return Disposables.create()
        }
    }

    /// The fault: the loop slept without a time, and the timer fired when something else woke it, or never.
    @Test("A timer that the outcome of a write arms fires", arguments: Backend.built)
    func behindWrite(_ backend: Backend) throws {
        try leavingNothingBehind {
            let server = try Server(backend, keeps: true)
            let peer = PlainSocket(connectedTo: server.address)
            let connection = try #require(server.firstConnection())
            for _ in 0..<50 {
                let (fired, scheduler) = (OneShot(), server.scheduler)
                _ = connection.write(ByteChunk("a")).subscribe(onCompleted: {
                    arm(scheduler, fired)
                })
                #expect(fired.wait(seconds: 5))
                #expect(peer.receive(1).count == 1)
            }
            peer.close()
            server.end()
        }
    }

    /// The same behind the bytes that the loop hands on at the end of a tick: a subscriber has left them, or had no time for them.
    @Test("A timer that a rest of bytes arms fires", arguments: Backend.built)
    func behindRest(_ backend: Backend) throws {
        try leavingNothingBehind {
            let server = try Server(backend, keeps: true)
            for round in 0..<20 {
                let peer = PlainSocket(connectedTo: server.address)
                #expect(waitUntil { server.connections.value.count == round + 1 })
                let connection = server.connections.value[round]
                let (fired, scheduler, lines) = (OneShot(), server.scheduler, Guarded(0))
                let reading = connection.received.lines().subscribe(onNext: { _ in
                    spin(nanoseconds: 100_000)
                    if lines.change({
                        $0 += 1
                        return $0
                    }) < 20 {
                        return
                    }
                    arm(scheduler, fired)
                })
                peer.send([UInt8](repeating: 0x0A, count: 20))
                #expect(fired.wait(seconds: 5))
                reading.dispose()
                peer.close()
            }
            server.end()
        }
    }
}

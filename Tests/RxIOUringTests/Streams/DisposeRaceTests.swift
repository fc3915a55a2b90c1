// SPDX-License-Identifier: Apache-2.0

import Glibc
import RxIOUring
import RxSwift
import TestSupport
import Testing

/// A dispose races with a completion, a million times.
@Suite struct DisposeRaceTests {
    static let rounds = stepCount(1_000_000, debug: 30_000)

    @Test("Disposing races with the receives of a connection", arguments: Backend.built)
    func connection(_ backend: Backend) throws {
        try DisposeRace.run("receives of a connection", backend, kinds: 4) { race, scheduler in
            let accepted = Guarded<Connection?>(nil)
            let listener = try TCP.listener(port: 0, scheduler: scheduler)
            let accepting = listener.connections.subscribe(onNext: { accepted.value = $0 })
            let peer = PlainSocket(connectedTo: listener.address)
            peer.sendWithoutDelay()
            #expect(waitUntil { accepted.value != nil })
            accepting.dispose()
            let connection = try #require(accepted.exchange(nil))
            race.run(
                DisposeRaceTests.rounds, source: { _, _ in connection.received.map { $0[$0.endIndex - 1] } },
                waitsUntilBegun: { $0 != 0 }, setOff: { peer.send([$0]) })
        }
    }

    /// The fault: the threads had opened as many descriptors as the process may have, before the loop came to closing them.
    @Test("Threads that open streams and dispose of them are slowed down", arguments: Backend.built, [0, 1, 2])
    func opening(_ backend: Backend, _ kind: Int) throws {
        let (readEnd, writeEnd) = try DescriptorStream.makePipe()
        let scheduler = IOUringScheduler(backend: backend)
        let most = Guarded(0)
        let open = {
            for round in 0..<12_000 {
                switch kind {
                case 0: DescriptorStream.read(readEnd, scheduler: scheduler).subscribe().dispose()
                case 1: Signals.observe(SIGUSR2, scheduler: scheduler).subscribe().dispose()
                default: (try? UDP.bind(port: 0, scheduler: scheduler))?.close()
                }
                if round % 100 == 0 {
                    let count = descriptorCount()
                    most.change { $0 = max($0, count) }
                }
            }
        }
        race(open, open, open)
        #expect(most.value < 3_000)
        scheduler.shutdown()
        close(readEnd)
        close(writeEnd)
    }

    /// Each round cancels a read in the kernel, and closes a descriptor.
    @Test("Disposing races with reads from a pipe", arguments: Backend.built)
    func pipe(_ backend: Backend) throws {
        let (readEnd, writeEnd) = try DescriptorStream.makePipe()
        // Closing the pipe before the loop has ended would also end a read that the loop has forgotten.
        defer {
            close(readEnd)
            close(writeEnd)
        }
        DisposeRace.run("reads from a pipe", backend, kinds: 4) { race, scheduler in
            let chunks = DescriptorStream.read(readEnd, chunkSize: 64, window: 1, scheduler: scheduler)
            race.run(
                DisposeRaceTests.rounds, source: { _, _ in chunks.map { $0[$0.endIndex - 1] } },
                waitsUntilBegun: { $0 != 0 }, setOff: { withUnsafePointer(to: $0) { _ = write(writeEnd, $0, 1) } })
        }
    }

    /// Each kind of round aims the dispose at another chunk.
    @Test("Disposing races with reads of a file", arguments: Backend.built)
    func file(_ backend: Backend) {
        let folder = TemporaryFolder()
        let path = folder.put(pattern(1_000), into: "a")
        DisposeRace.run("reads of a file", backend, kinds: 10) { race, scheduler in
            let chunks = File.read(path, chunkSize: 100, scheduler: scheduler).enumerated()
            race.run(DisposeRaceTests.rounds, source: { kind, mark in chunks.map { $0.index == kind ? mark : ~mark } })
        }
    }

    @Test("Disposing races with timers", arguments: Backend.built)
    func timers(_ backend: Backend) {
        DisposeRace.run("timers", backend, kinds: 4) { race, scheduler in
            race.run(
                DisposeRaceTests.rounds,
                source: { kind, mark in
                    Observable<Int>.timer(.microseconds(kind), scheduler: scheduler).map { _ in mark }
                })
        }
    }

    /// Each round makes a listener and a connection.
    @Test("Disposing races with connections that are accepted", arguments: Backend.built)
    func accepts(_ backend: Backend) throws {
        try DisposeRace.run("accepts", backend, kinds: 1) { race, scheduler in
            nonisolated(unsafe) var listener: Listener?
            nonisolated(unsafe) var peer: PlainSocket?
            try race.run(
                stepCount(10_000, debug: 1_000),
                source: { _, mark in
                    let made = try TCP.listener(port: 0, scheduler: scheduler)
                    listener = made
                    return made.connections.map { _ in mark }
                },
                setOff: { _ in
                    // Without the reset, the socket would keep its port for a minute.
                    peer?.reset()
                    peer = PlainSocket(connectedTo: listener!.address)
                })
            peer?.reset()
        }
    }
}

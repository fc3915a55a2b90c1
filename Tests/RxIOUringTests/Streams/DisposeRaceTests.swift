import Glibc
import RxIOUring
import RxSwift
import TestSupport
import Testing

/// The fault: a dispose meets a completion, a million times.
@Suite struct DisposeRaceTests {
    typealias Backend = IOUringScheduler.Backend

    static let rounds = stepCount(1_000_000, debug: 30_000)

    @Test(arguments: Backend.built)
    func disposingMeetsWhatAConnectionReceives(_ backend: Backend) throws {
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

    /// Each round cancels a read in the kernel, and closes a descriptor.
    @Test(arguments: Backend.built)
    func disposingMeetsReadsFromAPipe(_ backend: Backend) throws {
        let (readEnd, writeEnd) = try DescriptorStream.makePipe()
        // Not before the loop has ended: a read that was forgotten would end, too.
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

    /// Kind by kind the dispose is aimed at another chunk.
    @Test(arguments: Backend.built)
    func disposingMeetsReadsOfAFile(_ backend: Backend) {
        let folder = TemporaryFolder()
        let path = folder.put(pattern(1_000), into: "a")
        DisposeRace.run("reads of a file", backend, kinds: 10) { race, scheduler in
            let chunks = File.read(path, chunkSize: 100, scheduler: scheduler).enumerated()
            race.run(DisposeRaceTests.rounds, source: { kind, mark in chunks.map { $0.index == kind ? mark : ~mark } })
        }
    }

    @Test(arguments: Backend.built)
    func disposingMeetsTimers(_ backend: Backend) {
        DisposeRace.run("timers", backend, kinds: 4) { race, scheduler in
            race.run(
                DisposeRaceTests.rounds,
                source: { kind, mark in
                    Observable<Int>.timer(.microseconds(kind), scheduler: scheduler).map { _ in mark }
                })
        }
    }

    /// A listener, a connection and what both need are made in each round.
    @Test(arguments: Backend.built)
    func disposingMeetsConnectionsThatAreAccepted(_ backend: Backend) throws {
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
                    // Closed otherwise, it would keep its port for a minute.
                    peer?.reset()
                    peer = PlainSocket(connectedTo: listener!.address)
                })
            peer?.reset()
        }
    }
}

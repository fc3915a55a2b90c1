// SPDX-License-Identifier: Apache-2.0

import CSimulator
import Glibc
import RxIOUring
import RxPrimitives
import RxSwift

/// The execution of one program: its loops, its connections, and the faults that were seen.
final class World: @unchecked Sendable {
    let program: Program
    let folder: String
    private(set) var schedulers: [IOUringScheduler?]
    /// The loops that the program has ended.
    private var endedLoops: Set<Int> = []
    private(set) var ends: [End] = []
    let timers: TimerLog
    let transfers = TransferLog()
    /// The live writes that have begun.
    var liveWrites: [Int: LiveWrite] = [:]
    private(set) var faults: [String] = []
    /// Counts the moments at which something was noted.
    private var moment = 0

    init(_ program: Program, folder: String) {
        self.program = program
        self.folder = folder
        timers = TimerLog(count: program.timers)
        schedulers = (0..<program.loops).map { number in
            var configuration = IOUringScheduler.Configuration(name: "loop.\(number)")
            configuration.simulation = Simulation(
                seed: program.seed &* 31 &+ UInt64(number), hasErrors: program.hasErrors)
            return IOUringScheduler(configuration)
        }
    }

    /// True once bytes were reported that an end had accepted, or rejected.
    var wasSendReported: Bool { Child.reports > 0 }

    func now() -> Int {
        moment += 1
        return moment
    }

    func fault(_ text: String) { faults.append(text) }

    // MARK: Connecting

    func connect() {
        for (number, link) in program.links.enumerated() {
            let pair = Pair()
            var options = ConnectionOptions()
            options.sendLimit = link.sendLimit
            options.sendBufferSize = link.bufferSize
            options.receiveBufferSize = link.bufferSize
            if let watermark = link.highWatermark { options.highWatermark = watermark }
            do {
                let server = schedulers[link.loops[1]]!
                let listener =
                    try link.isUnix
                    ? Unix.listener(path: "\(folder)/\(number)", options: options, scheduler: server)
                    : TCP.listener(port: 0, options: options, scheduler: server)
                let accepting = listener.connections.take(1).subscribe(
                    onNext: { pair.server = $0 }, onError: { pair.error = $0 })
                let connecting = TCP.connect(
                    to: listener.address, options: options, scheduler: schedulers[link.loops[0]]!
                )
                .subscribe(onSuccess: { pair.client = $0 }, onFailure: { pair.error = $0 })
                Simulated.wait(seconds: 20) { pair.error != nil || pair.client != nil && pair.server != nil }
                accepting.dispose()
                connecting.dispose()
            } catch {
                pair.error = error
            }
            if pair.client == nil || pair.server == nil {
                if !program.hasErrors { fault("no connection: \(pair.error.map { "\($0)" } ?? "nothing happens")") }
                (pair.client, pair.server) = (nil, nil)
            }
            for connection in [pair.client, pair.server] {
                let end = End(ends.count, link, connection)
                ends.append(end)
                guard let connection else { continue }
                _ = connection.closed.subscribe(
                    onCompleted: { end.closedEnd.completions += 1 }, onError: { end.closedEnd.errors.append($0) })
                if case .none = end.consumer {} else { subscribe(end) }
            }
        }
    }

    private final class Pair: @unchecked Sendable {
        var client: Connection?
        var server: Connection?
        var error: (any Error)?
    }

    func subscribe(_ end: End) {
        guard let connection = end.connection, !end.isSubscribed, !end.isEchoedTo else { return }
        end.isSubscribed = true
        var source = connection.received
        var microseconds = 0
        if case .slow(let loop, let pause) = end.consumer, let scheduler = schedulers[loop] {
            source = source.observe(on: scheduler)
            microseconds = pause
        }
        let sender = ends.count > end.number ^ 1 ? ends[end.number ^ 1] : nil
        let received = source.do(
            onNext: { [self] chunk in
                if end.isDisposed { return }
                if end.inputEnd.isOver { fault("end \(end.number): bytes behind the end") }
                let sender = sender ?? ends[end.number ^ 1]
                end.parser.take(chunk, size: sender.size)
                if microseconds > 0 { rx_sim_sleep(UInt64(microseconds) * 1_000) }
            },
            onError: { end.inputEnd.errors.append($0) }, onCompleted: { end.inputEnd.completions += 1 })
        end.subscription =
            end.consumer.isEcho
            ? connection.write(received).subscribe(onError: { _ in }) : received.subscribe(onError: { _ in })
    }

    // MARK: Loops

    func isEnded(_ loop: Int) -> Bool { endedLoops.contains(loop) }

    func shutDown(_ loop: Int, draining milliseconds: Int) {
        guard let scheduler = schedulers[loop] else { return }
        if let fault = scheduler.timerFault { self.fault(fault) }
        let moment = now()
        endedLoops.insert(loop)
        for end in ends where end.loop == loop { end.end(.loop(drains: milliseconds != 0), at: moment) }
        schedulers[loop] = nil
        let start = rx_sim_now()
        let sending = sendsToReaders(loop)
        if milliseconds < 0 { scheduler.shutdown() } else { scheduler.shutdown(draining: .milliseconds(milliseconds)) }
        if milliseconds > 0, sending, sendsToReaders(loop), rx_sim_now() - start >= UInt64(milliseconds) * 1_000_000 {
            fault("loop \(loop) took all its time to send, though the other ends read")
        }
    }

    // MARK: Running

    func run() {
        connect()
        Simulated.run(lanes: program.lanes.count, run)
        end()
    }

    private func run(_ lane: Int) {
        for step in program.lanes[lane] { perform(step, lane) }
    }

    /// Ends in order what the program has not ended, then by force, and looks whether everything was as it must be.
    private func end() {
        for (_, write) in liveWrites.sorted(by: { $0.key < $1.key }) { finish(write) }
        checkCloses()
        for end in ends where end.ending == nil {
            end.end(.shutdownOutput, at: now())
            end.connection?.shutdownOutput()
        }
        // Together: a step that comes late on its loop may subscribe to an end only now.
        Simulated.wait(seconds: 40) {
            timers.areOver(self) && transfers.areOver
                && ends.allSatisfy { !mustArrive($0) || hasArrivedOrFailed($0) }
        }
        for end in ends { checkArrival(end) }
        timers.check(self)
        for end in ends {
            end.wasAborted = true
            end.connection?.abort()
            end.connection = nil
        }
        Simulated.wait(seconds: 15) { ends.allSatisfy { !$0.isConnected || isEnded($0.loop) || $0.closedEnd.isOver } }
        for loop in schedulers.indices { shutDown(loop, draining: 0) }
        // A loop that has ended rejects work on another thread.
        Simulated.wait(seconds: 15) { ends.allSatisfy(\.isOver) && transfers.areOver }
        for end in ends { checkEnds(end) }
        transfers.check(self)
        // A hop whose loop has ended keeps its subscription.
        for end in ends { end.subscription?.dispose() }
    }
}

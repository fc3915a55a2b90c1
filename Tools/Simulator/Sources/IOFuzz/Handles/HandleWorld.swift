// SPDX-License-Identifier: Apache-2.0

import CSimulator
import Glibc
import RxIOUring
import RxSwift

/// The execution of a program of calls: its handles, its subscriptions, and the faults that were seen.
final class HandleWorld: @unchecked Sendable {
    private let program: HandleProgram
    let folder: String
    let schedulers: [IOUringScheduler]
    private(set) var faults: [String] = []

    var connections: [Connection?] = []
    var listeners: [Listener?] = []
    var sockets: [UDPSocket?] = []
    var files: [OpenFile?] = []
    let subjects = (0..<HandleProgram.subjects).map { _ in PublishSubject<ByteChunk>() }
    private var watched: [Watched] = []
    /// The subscriptions that are not watched.
    var others: [any Disposable] = []
    /// The loops that the program has ended; they drop their timers.
    var endedLoops: Set<Int> = []
    /// The loops of the timers that have not fired, by number.
    private var timers: [Int: Int] = [:]
    private var timerCount = 0
    /// The subjects through which a thread is emitting.
    var busySubjects: Set<Int> = []

    init(_ program: HandleProgram, folder: String) {
        self.program = program
        self.folder = folder
        schedulers = (0..<HandleProgram.loops).map { number in
            var configuration = IOUringScheduler.Configuration(name: "loop.\(number)")
            configuration.simulation = Simulation(
                seed: program.seed &* 31 &+ UInt64(number), hasErrors: program.hasErrors)
            return IOUringScheduler(configuration)
        }
    }

    func run() {
        begin()
        Simulated.run(lanes: program.lanes.count) { [self] lane in
            for step in program.lanes[lane] { perform(step) }
        }
        end()
    }

    private func perform(_ step: HandleProgram.Step) {
        guard let loop = step.loop else { return perform(step.call, onLoop: nil) }
        _ = schedulers[loop].schedule(()) { [self] _ in
            perform(step.call, onLoop: loop)
            return Disposables.create()
        }
    }

    // MARK: The beginning

    private func begin() {
        World.put(Array(repeating: [UInt8](1...80) + [10], count: 60).flatMap { $0 }, path)
        let (host, client, other) = (
            schedulers[program.places[0]], schedulers[program.places[1]], schedulers[program.places[2]]
        )
        if let listener = try? program.isUnix
            ? Unix.listener(path: "\(folder)/socket", scheduler: host) : TCP.listener(port: 0, scheduler: host)
        {
            connect(listener, client)
            listeners.append(listener)
        }
        for _ in 0..<2 {
            if let socket = try? UDP.bind(port: 0, scheduler: other) { sockets.append(socket) }
        }
    }

    /// Makes the connections that are there from the beginning.
    private func connect(_ listener: Listener, _ client: IOUringScheduler) {
        if program.pairs == 0 { return }
        var (made, errors) = (0, 0)
        let accepting = listener.connections.subscribe(
            onNext: { [self] connection in
                connections.append(connection)
                made += 1
            }, onError: { _ in errors += 1 })
        for _ in 0..<program.pairs {
            _ = TCP.connect(to: listener.address, scheduler: client).subscribe(
                onSuccess: { [self] connection in
                    connections.append(connection)
                    made += 1
                }, onFailure: { _ in errors += 1 })
        }
        Simulated.wait(seconds: 20) { errors > 0 || made == 2 * program.pairs }
        accepting.dispose()
        // Disposing of its connections has closed the first one.
        if let again = try? program.isUnix
            ? Unix.listener(path: "\(folder)/socket.2", scheduler: listener.scheduler)
            : TCP.listener(port: 0, scheduler: listener.scheduler)
        {
            listeners.append(again)
        }
    }

    // MARK: Subscriptions

    /// Subscribes, and watches what comes.
    func watch<Element>(
        _ name: String, on scheduler: IOUringScheduler, mustEnd: Bool = false, _ source: Observable<Element>,
        _ onNext: @escaping (Element) -> Void = { _ in }
    ) {
        let loop = schedulers.firstIndex { $0 === scheduler }!
        let made = Watched("\(name) \(watched.count)", loop: loop, mustEnd: mustEnd)
        watched.append(made)
        var timers = program.timers(ofSubscription: watched.count, onLoop: loop)
        made.observe(source) { [self] event in
            if let element = event.element { onNext(element) }
            if let timer = timers.popLast() { arm(timer) }
        }
    }

    /// Subscribes to bytes, or to the lines in them.
    func watch(
        _ name: String, on scheduler: IOUringScheduler, mustEnd: Bool = false, lines isLines: Bool,
        _ chunks: Observable<ByteChunk>
    ) {
        if isLines {
            watch("lines of \(name)", on: scheduler, mustEnd: mustEnd, chunks.lines())
        } else {
            watch(name, on: scheduler, mustEnd: mustEnd, chunks)
        }
    }

    /// Arms a timer, which has to fire unless the program ends its loop.
    private func arm(_ timer: HandleProgram.Timer) {
        let number = timerCount
        timerCount += 1
        timers[number] = timer.loop
        _ = schedulers[timer.loop].scheduleRelative((), dueTime: .microseconds(timer.microseconds)) { [self] _ in
            timers[number] = nil
            return Disposables.create()
        }
    }

    private var hasTimers: Bool { timers.values.contains { !endedLoops.contains($0) } }

    func dispose(_ number: Int, onLoop loop: Int?) {
        if watched.isEmpty { return }
        let chosen = watched[number % watched.count]
        chosen.dispose(isOnLoop: chosen.loop == loop)
    }

    // MARK: The end

    private func end() {
        // Longer than a connection takes to close.
        Simulated.wait(seconds: 40) { !hasTimers && watched.allSatisfy { $0.isOver || !$0.mustEnd } }
        if hasTimers { fault("a timer does not fire") }
        for open in watched where open.mustEnd && !open.isOver { fault("\(open.name) does not end") }
        // Behind that: a look at the figures lets other threads go on, whose steps may subscribe.
        for scheduler in schedulers { if let fault = scheduler.timerFault { self.fault(fault) } }
        for scheduler in schedulers { scheduler.shutdown() }
        // A loop that has ended tells of that on another thread.
        Simulated.wait(seconds: 15) { watched.allSatisfy(\.isOver) }
        for subscription in watched {
            if let seen = subscription.fault { fault(seen) }
            if !subscription.isOver { fault("\(subscription.name) does not end with its loop") }
            if subscription.ends > 1 { fault("\(subscription.name) ends \(subscription.ends) times") }
        }
        for subscription in watched { subscription.dispose(isOnLoop: false) }
        for subscription in others { subscription.dispose() }
    }

    func fault(_ text: String) { faults.append(text) }

    /// A file with lines.
    var path: String { "\(folder)/lines" }
}

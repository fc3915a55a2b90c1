// SPDX-License-Identifier: Apache-2.0

import CSimulator
import RxIOUring
import RxSwift

extension World {
    func perform(_ step: Program.Step, _ lane: Int) {
        guard step.isOnLoop, let loop = loop(of: step.action), let scheduler = schedulers[loop] else {
            return perform(step, lane: lane, onLoop: false)
        }
        // Lanes of loops follow those of threads.
        let lane = 2 + loop
        _ = scheduler.schedule(()) { [self] _ in
            perform(step, lane: lane, onLoop: true)
            return Disposables.create()
        }
    }

    /// The loop that an action concerns.
    private func loop(of action: Program.Action) -> Int? {
        switch action {
        case .send(let end, _), .write(let end, _, _), .relay(let end, _, _), .shutdownOutput(let end), .close(let end),
            .abort(let end),
            .release(let end), .subscribe(let end), .dispose(let end):
            return end < ends.count ? ends[end].loop : nil
        case .timer(_, let loop, _), .shutdown(let loop, _), .file(let loop, _, _): return loop
        case .disposeTimer(let slot): return timers.loop(slot)
        case .finish(let slot), .disposeWrite(let slot): return liveWrites[slot]?.end.loop
        case .pipe(let loops, _): return loops[0]
        case .pause, .liveWrite, .feed: return nil
        }
    }

    private func perform(_ step: Program.Step, lane: Int, onLoop: Bool) {
        if let stop = step.stop {
            rx_sim_stop_within(UInt64(stop.operations), UInt64(stop.microseconds) * 1_000)
        }
        // Not in what comes behind the step.
        defer { rx_sim_stop_within(0, 0) }
        switch step.action {
        case .send(let end, let sizes): for size in sizes { send(ends[end], size, lane) }
        case .write(let end, let sizes, let canPause): write(ends[end], sizes, canPause)
        case .liveWrite(let slot, let end): beginWrite(slot, ends[end])
        case .feed(let slot, let size): if let write = liveWrites[slot] { feed(write, size) }
        case .finish(let slot): if let write = liveWrites[slot] { finish(write) }
        case .disposeWrite(let slot): if let write = liveWrites[slot] { dispose(write) }
        case .relay(let end, let sizes, let stage): relay(ends[end], sizes, stage)
        case .shutdownOutput(let end):
            guard let connection = ends[end].connection else { return }
            ends[end].end(.shutdownOutput, at: now())
            connection.shutdownOutput()
        case .close(let end):
            guard let connection = ends[end].connection else { return }
            ends[end].end(.close, at: now())
            connection.close()
        case .abort(let end):
            guard let connection = ends[end].connection else { return }
            ends[end].end(.abort, at: now())
            connection.abort()
        case .release(let end): release(ends[end])
        case .subscribe(let end): subscribe(ends[end])
        case .dispose(let end):
            guard ends[end].isSubscribed else { return }
            ends[end].isDisposed = true
            ends[end].subscription?.dispose()
        case .timer(let slot, let loop, let microseconds):
            guard let scheduler = schedulers[loop] else { return }
            timers.arm(slot, lane, loop: loop, microseconds, scheduler)
        case .disposeTimer(let slot): timers.dispose(slot, onLoop: onLoop)
        case .pause(let microseconds): rx_sim_sleep(UInt64(microseconds) * 1_000)
        case .file(let loop, let sizes, let synchronizes):
            guard let scheduler = schedulers[loop] else { return }
            transfers.writeFile(
                "\(folder)/file\(transfers.count)", sizes, synchronizes, scheduler,
                mayFail: { [unowned self] in
                    program.hasErrors || isEnded(loop)
                })
        case .pipe(let loops, let sizes):
            guard let reader = schedulers[loops[0]], let writer = schedulers[loops[1]] else { return }
            transfers.pipe(
                sizes, from: writer, to: reader,
                mayFail: { [unowned self] in program.hasErrors || isEnded(loops[0]) || isEnded(loops[1]) })
        case .shutdown(let loop, let draining): shutDown(loop, draining: draining)
        }
    }

    private func send(_ end: End, _ size: Int, _ lane: Int) {
        guard let connection = end.connection else { return }
        let index = end.sends[lane, default: []].count
        end.sends[lane, default: []].append(End.Send(size: size))
        let isAccepted = connection.send(ByteChunk(Frame.bytes(lane: lane, index: index, size: size)))
        end.sends[lane]![index].isAccepted = isAccepted
        end.sends[lane]![index].moment = now()
    }

    private func write(_ end: End, _ sizes: [Int], _ canPause: Bool) {
        guard let connection = end.connection else { return }
        let lane = end.newLane()
        end.sends[lane] = sizes.map { End.Send(size: $0) }
        let chunks = sizes.enumerated().map { ByteChunk(Frame.bytes(lane: lane, index: $0, size: $1)) }
        let source: Observable<ByteChunk> = canPause ? .from(chunks, scheduler: connection.scheduler) : .from(chunks)
        noteEnd(of: connection.write(source), end, lane)
    }

    /// Notes the end of a write, and that the frames of its lane are accepted when it completes.
    func noteEnd(of write: Completable, _ end: End, _ lane: Int) {
        let number = end.writeEnds.count
        end.writeEnds.append(StreamEnd())
        _ = write.subscribe(
            onCompleted: { [self] in
                end.writeEnds[number].completions += 1
                for index in end.sends[lane]!.indices {
                    end.sends[lane]![index].isAccepted = true
                    end.sends[lane]![index].moment = now()
                }
            }, onError: { end.writeEnds[number].errors.append($0) })
    }

    private func release(_ end: End) {
        guard let connection = end.connection else { return }
        // An observed input keeps the connection open.
        end.end(.release, at: now())
        end.isDisposed = true
        end.subscription?.dispose()
        end.connection = nil
        withExtendedLifetime(connection) {}
    }
}

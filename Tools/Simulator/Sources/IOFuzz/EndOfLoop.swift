// SPDX-License-Identifier: Apache-2.0

import Glibc
import RxIOUring
import RxSwift

extension Program {
    /// What lies between a file and the connection that it is written to.
    enum RelayStage {
        case none
        case hop
        case hops
        /// So many chunks, beyond which the file is paused.
        case buffer(Int)
        case delay(microseconds: Int)
        /// In place of the file, a sequence that fails before its last frame.
        case failure

        func apply(_ source: Observable<ByteChunk>, _ loop: IOUringScheduler) -> Observable<ByteChunk> {
            switch self {
            case .none: source
            case .hop: source.observe(on: loop)
            case .hops: source.observe(on: loop).map { $0 }.observe(on: loop, buffer: 2, overflow: .suspend)
            case .buffer(let bound): source.onBackpressure(buffer: bound, overflow: .suspend)
            case .delay(let microseconds): source.delay(.microseconds(microseconds), scheduler: loop)
            case .failure: source
            }
        }
    }

    /// The end of a loop that is writing files to a connection.
    mutating func relayBesideEnd(_ random: inout SeededRandom) {
        loops = 2
        links = [
            Link(
                // The peer of a Unix socket cannot be reset.
                isUnix: false, loops: [0, 1], sendLimit: 16 << 20, bufferSize: random.happens(oneIn: 2) ? 4_608 : nil,
                consumers: [.direct, .direct], highWatermark: 1_000)
        ]
        let stages: [RelayStage] = [
            .none, .hop, .hops, .buffer(Int(random.next() % 4) + 1), .delay(microseconds: Int(random.next() % 2_000)),
        ]
        // What fails right before the end is a race, and needs many attempts.
        let fails = random.happens(oneIn: 2)
        let end = Int.random(in: 0...1, using: &random)
        let frames = Program.sizes(&random) + Program.sizes(&random) + [Int.random(in: 8...60_000, using: &random)]
        let actions: [Action] = [
            .relay(end: end, sizes: frames, stage: fails ? .failure : stages.randomElement(using: &random)!),
            Program.pause(fails || random.happens(oneIn: 2) ? 1 : 8_000, &random),
            .shutdown(loop: end, draining: random.happens(oneIn: 2) ? 10_000 : -1),
        ]
        lanes = [actions.map { Step(action: $0, isOnLoop: random.happens(oneIn: 4)) }, []]
    }

    /// The end of a loop that has more to send than a peer takes which has ended its side and reads nothing.
    mutating func endBesideHalfClose(_ random: inout SeededRandom) {
        loops = 2
        links = [
            Link(
                isUnix: random.happens(oneIn: 2), loops: [0, 1], sendLimit: 16 << 20, bufferSize: 4_608,
                consumers: [.none, .none])
        ]
        let actions: [Action] = [
            .send(end: 0, sizes: [Int.random(in: 50_000...120_000, using: &random)]), .shutdownOutput(end: 1),
            Program.pause(5_000, &random), .shutdown(loop: 0, draining: 10_000),
        ]
        lanes = [actions.map { Step(action: $0, isOnLoop: random.happens(oneIn: 4)) }, []]
    }
}

extension World {
    /// Writes frames to a file, and that to a connection.
    func relay(_ end: End, _ sizes: [Int], _ stage: Program.RelayStage) {
        guard let connection = end.connection else { return }
        let lane = end.newLane()
        end.sends[lane] = sizes.map { End.Send(size: $0) }
        end.relays.append(lane)
        let path = "\(folder)/relay\(end.number).\(lane)"
        let frames = sizes.enumerated().map { Frame.bytes(lane: lane, index: $0, size: $1) }
        if case .failure = stage {
            let failing = Observable.from(frames.dropLast().map { ByteChunk($0) })
                .concat(Observable<ByteChunk>.error(Failed()))
            return noteEnd(of: connection.write(failing), end, lane)
        }
        World.put(frames.flatMap { $0 }, path)
        let file = File.read(path, chunkSize: 700, scheduler: connection.scheduler)
        noteEnd(of: connection.write(stage.apply(file, connection.scheduler)), end, lane)
    }

    private struct Failed: Error {}

    static func put(_ bytes: [UInt8], _ path: String) {
        let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        if file < 0 || Glibc.write(file, bytes, bytes.count) != bytes.count { fatalError("no file at \(path)") }
        close(file)
    }

    /// Checks that a stream which ends cleanly holds all of each file that was relayed, unless this side has ended it.
    func checkRelays(_ end: End, _ arrived: [Int: Int]) -> String? {
        guard case .loop? = end.ending?.kind else { return nil }
        // A failure that is seeded is this side's alone.
        if let error = end.closedEnd.errors.first as? IOError, error.code != ECANCELED { return nil }
        for lane in end.relays where arrived[lane, default: 0] < end.sends[lane]!.count {
            return "a clean end after \(arrived[lane, default: 0]) of \(end.sends[lane]!.count) frames of a file"
        }
        return nil
    }
}

// SPDX-License-Identifier: Apache-2.0

/// A random program of connections, transfers and timers, which follows from a seed.
struct Program: RandomProgram {
    /// The way in which the received bytes of an end are consumed.
    enum Consumer {
        case none
        case direct
        /// On another loop, which takes so many microseconds for each chunk.
        case slow(loop: Int, microseconds: Int)
        /// Sent back to the other end, which has no consumer. The end receives no more while the other one reads nothing.
        case echo

        var isEcho: Bool { if case .echo = self { true } else { false } }
    }

    struct Link {
        var isUnix: Bool
        /// The loops of the client's end and of the server's.
        var loops: [Int]
        var sendLimit: Int
        var bufferSize: Int?
        var consumers: [Consumer]
        /// The same for both ends, if it is not the usual one.
        var highWatermark: Int?
    }

    enum Action {
        case send(end: Int, sizes: [Int])
        case write(end: Int, sizes: [Int], canPause: Bool)
        /// Begins the write of a sequence that later steps feed, and end.
        case liveWrite(slot: Int, end: Int)
        case feed(slot: Int, size: Int)
        case finish(slot: Int)
        case disposeWrite(slot: Int)
        /// Writes a file by way of a stage on the same loop.
        case relay(end: Int, sizes: [Int], stage: RelayStage)
        case shutdownOutput(end: Int)
        case close(end: Int)
        case abort(end: Int)
        case release(end: Int)
        case subscribe(end: Int)
        case dispose(end: Int)
        case timer(slot: Int, loop: Int, microseconds: Int)
        case disposeTimer(slot: Int)
        case pause(microseconds: Int)
        case file(loop: Int, sizes: [Int], synchronizes: Bool)
        case pipe(loops: [Int], sizes: [Int])
        /// Negative milliseconds stand for `shutdown()`.
        case shutdown(loop: Int, draining: Int)
    }

    struct Step {
        var action: Action
        /// True if an action on the loop concerned does it, false if the thread of the lane does.
        var isOnLoop: Bool
        var stop: Stop?
    }

    /// A stop of the thread in the midst of a step, while the others go on: some races need a connection and its loop to end meanwhile, which chance
    /// alone hardly ever brings about.
    struct Stop {
        /// The number of operations on words, locks and parkers before it.
        var operations: Int
        var microseconds: Int
    }

    var seed: UInt64
    var loops: Int
    var hasErrors: Bool
    var links: [Link]
    /// The steps of each thread.
    var lanes: [[Step]]
    var timers = 0
    /// The lane that begins and feeds each live write: the elements of a sequence come one behind another. Any lane may end it.
    private(set) var writers: [Int] = []

    /// The number of loops with connections. Others have timers only.
    private static let mostLoops = 2

    init(seed: UInt64) {
        self.init(withoutStop: seed)
        // Of its own, so that the rest of a program does not depend on it.
        var random = SeededRandom(seed: seed ^ 0x5353)
        let lane = Int.random(in: lanes.indices, using: &random)
        guard random.happens(oneIn: 2), let step = lanes[lane].indices.randomElement(using: &random),
            lanes[lane][step].stop == nil
        else { return }
        lanes[lane][step].stop = Stop(
            operations: Int.random(in: 1...40, using: &random),
            microseconds: Int.random(in: 1...Int(1) << Int.random(in: 8...17, using: &random), using: &random))
    }

    private init(withoutStop seed: UInt64) {
        var random = SeededRandom(seed: seed)
        self.seed = seed
        hasErrors = random.happens(oneIn: 4)
        loops = 1
        links = []
        lanes = []
        // Some are of timers alone: these take little time, and their races need many attempts.
        if random.happens(oneIn: 4) {
            for _ in 0..<2 {
                lanes.append(
                    (0..<Int.random(in: 2...8, using: &random)).map { _ in
                        Step(action: timerAction(&random), isOnLoop: random.happens(oneIn: 6))
                    })
            }
            return
        }
        if random.happens(oneIn: 4) {
            raceOfEnd(&random)
            return
        }
        // Of its own, so that the other programs are those of their seeds as before.
        var echoes = SeededRandom(seed: ~seed)
        if echoes.happens(oneIn: 32) {
            closeBesideEcho(&echoes)
            return
        }
        if echoes.happens(oneIn: 32) {
            finishBesideEnd(&echoes)
            return
        }
        if echoes.happens(oneIn: 32) {
            relayBesideEnd(&echoes)
            return
        }
        if echoes.happens(oneIn: 128) {
            endBesideHalfClose(&echoes)
            return
        }
        let busy = Int.random(in: 1...Program.mostLoops, using: &random)
        loops = busy + Int.random(in: 0...1, using: &random)
        links = (0..<Int.random(in: 0...2, using: &random)).map { _ in
            let link = Program.link(busy, &random)
            return echoes.happens(oneIn: 16) ? Program.echoLink(busy, &echoes) : link
        }
        for lane in 0..<2 {
            let count = Int.random(in: lane == 0 ? 1...14 : 0...10, using: &random)
            lanes.append((0..<count).map { _ in step(lane, &random) })
        }
    }

    /// A thread that sends beside another one that ends the same connections, or their loop: the race needs many attempts as well.
    private mutating func raceOfEnd(_ random: inout SeededRandom) {
        loops = 2
        let side = Int.random(in: 0..<2, using: &random)
        let sendLimit = random.happens(oneIn: 2) ? 100 : 16 << 20
        links = (0..<Int.random(in: 1...2, using: &random)).map { _ in
            var link = Program.link(loops, &random)
            link.loops = [0, 1]
            link.consumers = [.direct, .direct]
            link.sendLimit = sendLimit
            return link
        }
        let ends = links.indices.map { 2 * $0 + side }
        lanes.append(random.happens(oneIn: 2) ? liveWrites(ends, &random) : Program.someSends(ends, &random))
        var actions = random.happens(oneIn: 2) ? [Program.pause(100, &random)] : []
        for end in ends.shuffled(using: &random) where random.happens(oneIn: 2) {
            actions.append(Program.endAction(end, &random))
        }
        if actions.count < 2 || random.happens(oneIn: 2) {
            actions.append(.shutdown(loop: side, draining: random.happens(oneIn: 4) ? 10_000 : -1))
        }
        lanes.append(actions.map { Step(action: $0, isOnLoop: random.happens(oneIn: 4)) })
    }

    /// The close of an end that reads nothing, or the end of its loop, after it has sent more than fits between it and a peer that sends it back.
    private mutating func closeBesideEcho(_ random: inout SeededRandom) {
        loops = 2
        links = [Program.echoLink(loops, &random)]
        let end =
            random.happens(oneIn: 3)
            ? .shutdown(loop: links[0].loops[0], draining: 10_000) : Program.endAction(0, &random)
        let actions: [Action] = [
            .send(end: 0, sizes: [Int.random(in: 8...120_000, using: &random)] + Program.sizes(&random)),
            Program.pause(5_000, &random), end,
        ]
        lanes = [actions.map { Step(action: $0, isOnLoop: random.happens(oneIn: 3)) }, []]
    }

    /// The last element of a live write, during which the connection is closed, and its loop ends; or its end behind that of the output.
    private mutating func finishBesideEnd(_ random: inout SeededRandom) {
        loops = 2
        var link = Program.link(loops, &random)
        link.loops = [0, 1]
        links = [link]
        writers = [0]
        let stop = Stop(
            operations: Int.random(in: 1...16, using: &random), microseconds: Int.random(in: 1...15_000, using: &random)
        )
        // The loop subscribes to the sequence within the pause.
        let write: [Action] = [.liveWrite(slot: 0, end: 0), .pause(microseconds: 20_000), .finish(slot: 0)]
        lanes.append(write.map { Step(action: $0, isOnLoop: false) })
        lanes[0][2].stop = stop
        let end: [Action] =
            random.happens(oneIn: 2)
            ? [.pause(microseconds: 20_000), .close(end: 0), .shutdown(loop: 0, draining: -1)]
            : [.shutdownOutput(end: 0), Program.pause(25_000, &random), .close(end: 0)]
        lanes.append(end.map { Step(action: $0, isOnLoop: random.happens(oneIn: 3)) })
    }

    private static func endAction(_ end: Int, _ random: inout SeededRandom) -> Action {
        switch random.next() % 4 {
        case 0: .shutdownOutput(end: end)
        case 1: .close(end: end)
        case 2: .release(end: end)
        default: .abort(end: end)
        }
    }

    private static func someSends(_ ends: [Int], _ random: inout SeededRandom) -> [Step] {
        (0..<Int.random(in: 1...3, using: &random)).map { _ in
            Step(action: .send(end: ends.randomElement(using: &random)!, sizes: sizes(&random)), isOnLoop: false)
        }
    }

    /// A live write of each end, from its beginning to its end.
    private mutating func liveWrites(_ ends: [Int], _ random: inout SeededRandom) -> [Step] {
        writers = ends.map { _ in lanes.count }
        var actions = writers.indices.map { Action.liveWrite(slot: $0, end: ends[$0]) }
        // The loop subscribes to the sequence: what comes before is not written.
        if random.happens(oneIn: 2) { actions.append(Program.pause(100, &random)) }
        for _ in 0..<random.next() % 3 {
            let slot = writers.indices.randomElement(using: &random)!
            actions.append(.feed(slot: slot, size: Program.size(&random)))
        }
        for slot in writers.indices {
            if random.happens(oneIn: 4) { actions.append(Program.pause(100, &random)) }
            actions.append(random.happens(oneIn: 8) ? .disposeWrite(slot: slot) : .finish(slot: slot))
        }
        return actions.map { Step(action: $0, isOnLoop: false) }
    }

    static func pause(_ most: UInt64, _ random: inout SeededRandom) -> Action {
        .pause(microseconds: Int(random.next() % most))
    }

    private static func link(_ busy: Int, _ random: inout SeededRandom) -> Link {
        let loops = (0..<2).map { _ in Int.random(in: 0..<busy, using: &random) }
        let consumers = (0..<2).map { _ -> Consumer in
            switch random.next() % 8 {
            case 0: .none
            case 1: .slow(loop: Int.random(in: 0..<busy, using: &random), microseconds: Int(random.next() % 2_000))
            default: .direct
            }
        }
        return Link(
            isUnix: random.happens(oneIn: 2), loops: loops,
            sendLimit: random.happens(oneIn: 3) ? [0, 100, 3_000, 30_000].randomElement(using: &random)! : 16 << 20,
            bufferSize: random.happens(oneIn: 2) ? 4_608 : nil, consumers: consumers)
    }

    private static func echoLink(_ busy: Int, _ random: inout SeededRandom) -> Link {
        Link(
            isUnix: random.happens(oneIn: 2), loops: (0..<2).map { _ in Int.random(in: 0..<busy, using: &random) },
            sendLimit: 16 << 20, bufferSize: 4_608, consumers: [.none, .echo], highWatermark: 1_000)
    }

    private mutating func step(_ lane: Int, _ random: inout SeededRandom) -> Step {
        let action = action(lane, &random)
        let isOnLoop = random.happens(oneIn: 3)
        return switch action {
        case .liveWrite, .feed: Step(action: action, isOnLoop: false)
        default: Step(action: action, isOnLoop: isOnLoop)
        }
    }

    private mutating func action(_ lane: Int, _ random: inout SeededRandom) -> Action {
        let choice = random.next() % 32
        if !links.isEmpty, choice < 20 {
            let end = Int.random(in: 0..<2 * links.count, using: &random)
            switch choice {
            case 0: return .shutdownOutput(end: end)
            case 1: return .close(end: end)
            case 2: return random.happens(oneIn: 3) ? .abort(end: end) : .release(end: end)
            case 3: return random.happens(oneIn: 2) ? .dispose(end: end) : .subscribe(end: end)
            case 4, 5: return liveWrite(lane, end, &random)
            case 6, 7:
                return .write(end: end, sizes: Program.sizes(&random), canPause: random.happens(oneIn: 2))
            default: return .send(end: end, sizes: Program.sizes(&random))
            }
        }
        switch choice {
        case 20, 21, 22: return Program.pause(3_000, &random)
        case 23:
            return .file(loop: anyLoop(&random), sizes: Program.sizes(&random), synchronizes: random.happens(oneIn: 2))
        case 24: return .pipe(loops: [anyLoop(&random), anyLoop(&random)], sizes: Program.sizes(&random))
        case 25:
            return .shutdown(loop: anyLoop(&random), draining: [-1, -1, -1, 0, 10_000].randomElement(using: &random)!)
        default: return timer(&random)
        }
    }

    private mutating func timerAction(_ random: inout SeededRandom) -> Action {
        switch random.next() % 8 {
        case 0: .shutdown(loop: 0, draining: -1)
        case 1: Program.pause(500, &random)
        default: timer(&random)
        }
    }

    /// A timer, or the disposal of one.
    private mutating func timer(_ random: inout SeededRandom) -> Action {
        if timers > 0, random.happens(oneIn: 2) {
            return .disposeTimer(slot: Int.random(in: 0..<timers, using: &random))
        }
        timers += 1
        return .timer(slot: timers - 1, loop: anyLoop(&random), microseconds: Int(random.next() % 5_000))
    }

    /// The beginning of a live write of a lane, an element of one, or the end of any.
    private mutating func liveWrite(_ lane: Int, _ end: Int, _ random: inout SeededRandom) -> Action {
        let choice = random.next() % 8
        if choice == 0, let slot = writers.indices.randomElement(using: &random) {
            return random.happens(oneIn: 4) ? .disposeWrite(slot: slot) : .finish(slot: slot)
        }
        let own = writers.indices.filter { writers[$0] == lane }
        if choice < 5, let slot = own.randomElement(using: &random) {
            return .feed(slot: slot, size: Program.size(&random))
        }
        writers.append(lane)
        return .liveWrite(slot: writers.count - 1, end: end)
    }

    private func anyLoop(_ random: inout SeededRandom) -> Int { Int.random(in: 0..<loops, using: &random) }

    /// The sizes of some frames.
    static func sizes(_ random: inout SeededRandom) -> [Int] {
        let count = random.happens(oneIn: 3) ? Int.random(in: 2...6, using: &random) : 1
        return (0..<count).map { _ in size(&random) }
    }

    /// The size of a frame.
    private static func size(_ random: inout SeededRandom) -> Int {
        switch random.next() % 16 {
        case 0: Int.random(in: 8...120_000, using: &random)
        case 1...5: Int.random(in: 8...6_000, using: &random)
        default: Int.random(in: 8...60, using: &random)
        }
    }

    var size: Int { lanes.reduce(0) { $0 + $1.count } }

    var usesTCP: Bool { links.contains { !$0.isUnix } }

    func without(_ numbers: Set<Int>) -> Program {
        var result = self
        result.lanes = lanes.removing(numbers)
        return result
    }

    func execute(in folder: String) -> [String] {
        let world = World(self, folder: folder)
        world.run()
        return world.faults
    }

    var text: String {
        var lines = ["seed \(seed): \(loops) loops\(hasErrors ? ", operations may fail" : "")"]
        for (number, link) in links.enumerated() {
            lines.append(
                "  ends \(2 * number) and \(2 * number + 1): \(link.isUnix ? "unix" : "tcp"), loops \(link.loops), limit \(link.sendLimit), "
                    + "buffers \(link.bufferSize.map(String.init) ?? "usual"), consumers \(link.consumers)")
        }
        for (number, steps) in lanes.enumerated() {
            lines.append("  thread \(number):")
            lines += steps.map { step in
                let stop = step.stop.map { ", stops for \($0.microseconds) us behind \($0.operations) operations" }
                return "    \(step.isOnLoop ? "on its loop: " : "")\(step.action)\(stop ?? "")"
            }
        }
        return lines.joined(separator: "\n")
    }
}

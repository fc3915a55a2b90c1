// SPDX-License-Identifier: Apache-2.0

/// A random program that calls each kind of handle in any state.
///
/// A number beyond the handles that there are begins at the first one again. Handles that calls make come behind those of the beginning.
struct HandleProgram: RandomProgram {
    /// A sequence to be written.
    enum Source {
        case empty
        case one(size: Int)
        case some(count: Int, loop: Int)
        case failure
        case never
        case subject(Int)
        case timer(loop: Int, microseconds: Int)
        /// What a connection receives.
        case input(Int)
        case file(loop: Int)
        indirect case hop(Source, loop: Int)
        indirect case delay(Source, loop: Int, microseconds: Int)
        /// With another subscriber.
        indirect case shared(Source)
    }

    enum Call {
        case receive(Int)
        /// By way of a hop or a delay.
        case receiveLater(Int, loop: Int, microseconds: Int?)
        case receiveLines(Int)
        case watchClose(Int)
        case watchWritable(Int)
        case send(Int, size: Int)
        case write(Int, Source)
        case writeBytes(Int, size: Int)
        case shutdownOutput(Int)
        case close(Int)
        case abort(Int)
        case dropConnection(Int)

        case accept(listener: Int)
        case connect(listener: Int, loop: Int)
        /// To the port of a listener, by a look-up. The time is for both.
        case connectByName(listener: Int, loop: Int, milliseconds: Int)
        case quiesce(listener: Int, milliseconds: Int)
        case closeListener(Int)
        case dropListener(Int)

        case receiveDatagrams(Int)
        case sendDatagram(from: Int, to: Int, size: Int)
        case connectSocket(Int, to: Int)
        case closeSocket(Int)
        case dropSocket(Int)

        case openFile(loop: Int)
        case writeFile(Int, size: Int)
        case writeFileFrom(Int, Source)
        case appendToFile(Int, size: Int)
        case synchronizeFile(Int)
        case readFile(Int, offset: Int)
        case watchFile(Int)
        case closeFile(Int)
        case dropFile(Int)

        case readPath(loop: Int, lines: Bool)
        /// The file that `writePath` makes.
        case followPath(loop: Int, lines: Bool)
        case renamePath
        case writePath(loop: Int, Source, replaces: Bool)
        case pipe(reader: Int, writer: Int, lines: Bool, Source)

        case feed(subject: Int, size: Int)
        case complete(subject: Int)
        case fail(subject: Int)
        case dispose(Int)
        case pause(microseconds: Int)
        /// Negative milliseconds stand for `shutdown()`.
        case shutdown(loop: Int, draining: Int)
    }

    /// A timer that an event arms.
    struct Timer {
        let loop: Int
        let microseconds: Int
    }

    struct Step {
        var call: Call
        /// The loop on which the call is made; nil for the thread of the lane.
        var loop: Int?
    }

    let seed: UInt64
    let hasErrors: Bool
    let isUnix: Bool
    /// The loops of the listener, of the clients and of the other handles of the beginning.
    let places: [Int]
    /// The number of connections of the beginning.
    let pairs: Int
    private(set) var lanes: [[Step]]

    static let loops = 2
    static let subjects = 2

    init(seed: UInt64) {
        var random = SeededRandom(seed: seed ^ 0x4841_4E44)
        self.seed = seed
        hasErrors = random.happens(oneIn: 4)
        isUnix = random.happens(oneIn: 2)
        places = (0..<3).map { _ in Int.random(in: 0..<HandleProgram.loops, using: &random) }
        pairs = Int.random(in: 0...2, using: &random)
        // Most programs are about one or two kinds of handles: calls on one and the same have to meet.
        let kinds = (0..<2).map { _ in Int.random(in: 0..<5, using: &random) }
        lanes = []
        for lane in 0..<Int.random(in: 2...3, using: &random) {
            lanes.append(
                (0..<Int.random(in: lane == 0 ? 2...12 : 0...10, using: &random)).map { _ in
                    let kind =
                        random.happens(oneIn: 3)
                        ? Int.random(in: 0..<5, using: &random) : kinds.randomElement(using: &random)!
                    let call = HandleProgram.call(kind, &random)
                    return Step(call: call, loop: random.happens(oneIn: 3) ? anyLoop(&random) : nil)
                })
        }
    }

    private static func call(_ kind: Int, _ random: inout SeededRandom) -> Call {
        if random.happens(oneIn: 4) { return commonCall(&random) }
        return switch kind {
        case 0: connectionCall(&random)
        case 1: listenerCall(&random)
        case 2: socketCall(&random)
        case 3: fileCall(&random)
        default: pathCall(&random)
        }
    }

    private static func commonCall(_ random: inout SeededRandom) -> Call {
        switch random.next() % 12 {
        case 0: .complete(subject: anySubject(&random))
        case 1: .fail(subject: anySubject(&random))
        case 2, 3: .feed(subject: anySubject(&random), size: size(&random))
        case 4: .shutdown(loop: anyLoop(&random), draining: [-1, 0, 5_000].randomElement(using: &random)!)
        case 5...7: .pause(microseconds: Int(random.next() % 3_000))
        default: .dispose(Int.random(in: 0..<16, using: &random))
        }
    }

    private static func connectionCall(_ random: inout SeededRandom) -> Call {
        let end = Int.random(in: 0..<4, using: &random)
        return switch random.next() % 16 {
        case 0, 1: .receive(end)
        case 2:
            .receiveLater(
                end, loop: anyLoop(&random), microseconds: random.happens(oneIn: 2) ? Int(random.next() % 2_000) : nil)
        case 3: .receiveLines(end)
        case 4, 5: .watchClose(end)
        case 6: .watchWritable(end)
        case 7, 8: .send(end, size: size(&random))
        case 9, 10: .write(end, source(&random))
        case 11: .writeBytes(end, size: size(&random))
        case 12: .shutdownOutput(end)
        case 13: .close(end)
        case 14: .abort(end)
        default: .dropConnection(end)
        }
    }

    private static func listenerCall(_ random: inout SeededRandom) -> Call {
        let listener = Int.random(in: 0..<2, using: &random)
        return switch random.next() % 12 {
        case 10, 11:
            .connectByName(listener: listener, loop: anyLoop(&random), milliseconds: Int(random.next() % 50))
        case 0, 1, 2: .accept(listener: listener)
        case 3, 4, 5: .connect(listener: listener, loop: anyLoop(&random))
        case 6, 7: .quiesce(listener: listener, milliseconds: Int(random.next() % 200))
        case 8: .closeListener(listener)
        default: .dropListener(listener)
        }
    }

    private static func socketCall(_ random: inout SeededRandom) -> Call {
        let (socket, other) = (Int.random(in: 0..<2, using: &random), Int.random(in: 0..<2, using: &random))
        return switch random.next() % 10 {
        case 0, 1, 2: .receiveDatagrams(socket)
        case 3, 4, 5: .sendDatagram(from: socket, to: other, size: size(&random) % 2_000)
        case 6, 7: .connectSocket(socket, to: other)
        case 8: .closeSocket(socket)
        default: .dropSocket(socket)
        }
    }

    private static func fileCall(_ random: inout SeededRandom) -> Call {
        let file = Int.random(in: 0..<2, using: &random)
        return switch random.next() % 16 {
        case 0, 1, 2: .openFile(loop: anyLoop(&random))
        case 3, 4: .writeFile(file, size: size(&random))
        case 5, 6, 7: .writeFileFrom(file, source(&random))
        case 8: .appendToFile(file, size: size(&random))
        case 9, 10: .synchronizeFile(file)
        case 11: .readFile(file, offset: size(&random))
        case 12: .watchFile(file)
        case 13, 14: .closeFile(file)
        default: .dropFile(file)
        }
    }

    private static func pathCall(_ random: inout SeededRandom) -> Call {
        switch random.next() % 8 {
        case 0, 1: .readPath(loop: anyLoop(&random), lines: random.happens(oneIn: 2))
        case 2, 3: .writePath(loop: anyLoop(&random), source(&random), replaces: random.happens(oneIn: 2))
        case 4: .followPath(loop: anyLoop(&random), lines: random.happens(oneIn: 2))
        case 5: .renamePath
        default:
            .pipe(
                reader: anyLoop(&random), writer: anyLoop(&random), lines: random.happens(oneIn: 2), source(&random))
        }
    }

    private static func source(_ random: inout SeededRandom) -> Source {
        switch random.next() % 16 {
        case 12, 13: .hop(source(&random), loop: anyLoop(&random))
        case 14: .delay(source(&random), loop: anyLoop(&random), microseconds: Int(random.next() % 2_000))
        case 15: .shared(source(&random))
        case 0: .empty
        case 1: .one(size: size(&random))
        case 2, 3: .some(count: Int.random(in: 1...20, using: &random), loop: anyLoop(&random))
        case 4: .failure
        case 5: .never
        case 6, 7: .subject(anySubject(&random))
        case 8: .timer(loop: anyLoop(&random), microseconds: Int.random(in: 100...2_000, using: &random))
        case 9, 10: .input(Int.random(in: 0..<4, using: &random))
        default: .file(loop: anyLoop(&random))
        }
    }

    private static func anyLoop(_ random: inout SeededRandom) -> Int { Int.random(in: 0..<loops, using: &random) }

    private func anyLoop(_ random: inout SeededRandom) -> Int { HandleProgram.anyLoop(&random) }

    private static func anySubject(_ random: inout SeededRandom) -> Int { Int.random(in: 0..<subjects, using: &random) }

    private static func size(_ random: inout SeededRandom) -> Int {
        random.happens(oneIn: 8) ? Int.random(in: 0...90_000, using: &random) : Int.random(in: 1...600, using: &random)
    }

    /// The timers that the first events of a subscription arm: of each second one, most of them on the loop that emits.
    func timers(ofSubscription number: Int, onLoop loop: Int) -> [Timer] {
        var random = SeededRandom(seed: seed &* 64 &+ UInt64(number))
        if random.happens(oneIn: 2) { return [] }
        return (0..<Int.random(in: 1...2, using: &random)).map { _ in
            Timer(loop: random.happens(oneIn: 4) ? anyLoop(&random) : loop, microseconds: Int(random.next() % 3_000))
        }
    }

    // MARK: RandomProgram

    var size: Int { lanes.reduce(0) { $0 + $1.count } }

    var usesTCP: Bool { !isUnix }

    func without(_ numbers: Set<Int>) -> HandleProgram {
        var result = self
        result.lanes = lanes.removing(numbers)
        return result
    }

    var text: String {
        var lines = [
            "seed \(seed): \(HandleProgram.loops) loops\(hasErrors ? ", operations may fail" : "")",
            "  \(isUnix ? "unix" : "tcp"), \(pairs) connections; the loops of the listener, of the clients and of other handles: \(places)",
        ]
        for (number, steps) in lanes.enumerated() {
            lines.append("  thread \(number):")
            lines += steps.map { step in "    \(step.loop.map { "on loop \($0): " } ?? "")\(step.call)" }
        }
        return lines.joined(separator: "\n")
    }

    func execute(in folder: String) -> [String] {
        let world = HandleWorld(self, folder: folder)
        world.run()
        return world.faults
    }
}

// SPDX-License-Identifier: Apache-2.0

import CExplorer
import RxPrimitives

/// A piece of work for a drain loop, with a word that only the thread at work may touch.
private struct Piece: ~Copyable {
    var head = DrainNode()
    let number: Int
    let payload = NonAtomicWord(0)

    private init(_ number: Int) { self.number = number }

    static func make(_ number: Int) -> UnsafeMutablePointer<DrainNode> {
        let piece = UnsafeMutablePointer<Piece>.allocate(capacity: 1)
        piece.initialize(to: Piece(number))
        piece.pointee.payload.store(UInt(number))
        return UnsafeMutableRawPointer(piece).assumingMemoryBound(to: DrainNode.self)
    }

    static func take(_ node: UnsafeMutablePointer<DrainNode>) -> (number: Int, payload: UInt) {
        let box = UnsafeMutableRawPointer(node).assumingMemoryBound(to: Piece.self)
        let result = (box.pointee.number, box.pointee.payload.load())
        box.deinitialize(count: 1)
        UnsafeMutableRawPointer(box).deallocate()
        return result
    }
}

/// A loop around the drain loop, as short as it can be.
private final class Worker {
    let loop = DrainLoop()
    /// Only inside.
    let inside = NonAtomicWord(0)
    var done: [Int] = []
    /// By the thread that cleans up.
    var dropped: [Int] = []
    let cleanUps = NonAtomicWord(0)
    var isCleanedUp = false

    /// How many deputies were asked for that have not looked.
    let requests = Count()

    /// - Parameters:
    ///   - limit: how many pieces that were pending the caller does before it leaves the loop vacant.
    ///   - mayResume: whether the caller takes over a vacant loop.
    /// - Returns: false if the loop was closed.
    @discardableResult
    func offer(_ number: Int, limit: Int = .max, mayResume: Bool = false) -> Bool {
        let node = Piece.make(number)
        switch loop.enterOrPush(node, mayResume: mayResume) {
        case .entered:
            perform(node)
            if !loop.tryLeave() { drain(limit) }
        case .resumed: drain(limit)
        case .pending: break
        case .closed:
            _ = Piece.take(node)
            return false
        }
        return true
    }

    func close() {
        if loop.close() { cleanUp() }
    }

    /// What a deputy does, if one was asked for.
    ///
    /// - Returns: whether one was.
    @discardableResult
    func lookAsDeputy(limit: Int = .max) -> Bool {
        if requests.value == 0 { return false }
        requests.add(-1)
        loop.deputyLooks()
        if loop.tryResume() { drain(limit) }
        return true
    }

    private func perform(_ node: UnsafeMutablePointer<DrainNode>) {
        inside.store(inside.load() + 1)
        let (number, payload) = Piece.take(node)
        require(UInt(number) == payload, "a piece of work is read before it was written")
        done.append(number)
        require(!isCleanedUp, "work is done after the clean-up")
    }

    private func drain(_ limit: Int) {
        var left = limit
        repeat {
            while !loop.isClosed {
                if loop.firstTaken == nil { loop.takeStack() }
                guard let node = loop.firstTaken else { break }
                if left == 0, loop.vacate() {
                    if loop.requestDeputy() { requests.add() }
                    return
                }
                left -= 1
                loop.removeFirstTaken()
                perform(node)
            }
            if loop.isClosed { return cleanUp() }
        } while !loop.tryLeave()
    }

    private func cleanUp() {
        while let node = loop.popFirst() {
            dropped.append(Piece.take(node).number)
        }
        inside.store(inside.load() + 1)
        cleanUps.store(cleanUps.load() + 1)
        isCleanedUp = true
    }
}

extension Scenario {
    static let drainLoop: [Scenario] = [
        Scenario(
            "drain.two-threads",
            "each of two threads' pieces of work is done once, one at a time, in its thread's order"
        ) {
            let worker = Worker()
            return Run(
                {
                    worker.offer(1)
                    worker.offer(2)
                },
                {
                    worker.offer(11)
                    worker.offer(12)
                }
            ) {
                require(worker.done.sorted() == [1, 2, 11, 12], "done: \(worker.done)")
                require(worker.done.filter { $0 < 10 } == [1, 2], "order: \(worker.done)")
                require(worker.done.filter { $0 > 10 } == [11, 12], "order: \(worker.done)")
                require(!worker.loop.hasPending, "something is left")
            }
        },
        Scenario("drain.three-threads", "each of three threads' pieces of work is done once, one at a time") {
            let worker = Worker()
            return Run({ worker.offer(1) }, { worker.offer(2) }, { worker.offer(3) }) {
                require(worker.done.sorted() == [1, 2, 3], "done: \(worker.done)")
                require(!worker.loop.hasPending, "something is left")
            }
        },
        Scenario("drain.close", "closing leaves the clean-up to one thread, once, and nothing is lost or done after it")
        {
            let worker = Worker()
            var rejected = ([Int](), [Int]())
            return Run(
                {
                    for number in [1, 2] where !worker.offer(number) { rejected.0.append(number) }
                }, { if !worker.offer(11) { rejected.1.append(11) } }, { worker.close() }
            ) {
                let all = worker.done + worker.dropped + rejected.0 + rejected.1
                require(
                    all.sorted() == [1, 2, 11], "done \(worker.done), dropped \(worker.dropped), rejected \(rejected)")
                require(worker.cleanUps.load() == 1, "cleaned up \(worker.cleanUps.load()) times")
                require(worker.loop.isClosed && !worker.loop.hasPending, "something is left")
            }
        },
        Scenario(
            "drain.vacate",
            "work behind a drainer that leaves the loop vacant is done once, in order, by the next that comes"
        ) {
            let worker = Worker()
            return Run(
                {
                    worker.offer(1, limit: 0)
                    worker.offer(2, limit: 0)
                },
                {
                    worker.offer(11, limit: 1, mayResume: true)
                    worker.offer(12, limit: 1, mayResume: true)
                }
            ) {
                while worker.lookAsDeputy() {}
                require(worker.done.sorted() == [1, 2, 11, 12], "done: \(worker.done)")
                require(worker.done.filter { $0 < 10 } == [1, 2], "order: \(worker.done)")
                require(worker.done.filter { $0 > 10 } == [11, 12], "order: \(worker.done)")
                require(!worker.loop.hasPending && !worker.loop.isVacant, "something is left")
                require(worker.loop.backlogCount == 0, "the backlog is counted wrongly: \(worker.loop.backlogCount)")
            }
        },
        Scenario("drain.deputy", "a loop that is left vacant has a deputy asked for that finds it vacant") {
            let worker = Worker()
            return Run(
                { worker.offer(1, limit: 0) },
                { worker.offer(2, limit: 0) },
                {
                    worker.lookAsDeputy(limit: 0)
                    worker.lookAsDeputy(limit: 0)
                }
            ) {
                while worker.lookAsDeputy() {}
                require(worker.done.sorted() == [1, 2], "done: \(worker.done)")
                require(!worker.loop.hasPending && !worker.loop.isVacant, "something is left")
                require(worker.loop.backlogCount == 0, "the backlog is counted wrongly: \(worker.loop.backlogCount)")
            }
        },
        Scenario("drain.deputy-and-producer", "a deputy and a thread that takes over do not both drain") {
            let worker = Worker()
            return Run(
                {
                    worker.offer(1, limit: 0)
                    worker.offer(2, limit: 0)
                },
                {
                    worker.offer(11, limit: 0, mayResume: true)
                    worker.offer(12, limit: 0, mayResume: true)
                }, { worker.lookAsDeputy() }
            ) {
                while worker.lookAsDeputy() {}
                require(worker.done.sorted() == [1, 2, 11, 12], "done: \(worker.done)")
                require(worker.done.filter { $0 < 10 } == [1, 2], "order: \(worker.done)")
                require(worker.done.filter { $0 > 10 } == [11, 12], "order: \(worker.done)")
                require(!worker.loop.hasPending && !worker.loop.isVacant, "something is left")
            }
        },
        Scenario(
            "drain.close-vacant", "closing a loop that is or becomes vacant leaves the clean-up to one thread, once"
        ) {
            let worker = Worker()
            var rejected = ([Int](), [Int]())
            return Run(
                { if !worker.offer(1, limit: 0) { rejected.0.append(1) } },
                {
                    for number in [11, 12] where !worker.offer(number, limit: 0, mayResume: true) {
                        rejected.1.append(number)
                    }
                },
                {
                    worker.lookAsDeputy(limit: 0)
                    worker.close()
                }
            ) {
                while worker.lookAsDeputy() {}
                let all = worker.done + worker.dropped + rejected.0 + rejected.1
                require(
                    all.sorted() == [1, 11, 12], "done \(worker.done), dropped \(worker.dropped), rejected \(rejected)")
                require(worker.cleanUps.load() == 1, "cleaned up \(worker.cleanUps.load()) times")
                require(worker.loop.isClosed && !worker.loop.hasPending && !worker.loop.isVacant, "something is left")
            }
        },
    ]
}

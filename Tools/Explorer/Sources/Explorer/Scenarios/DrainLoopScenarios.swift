import CExplorer
import RxPrimitives

/// A piece of work for a drain loop, with a word that only the thread at work may touch.
private struct Piece: ~Copyable {
    var head = DrainNode()
    let number: Int
    let payload = ConfinedWord(0)

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
    let inside = ConfinedWord(0)
    var done: [Int] = []
    /// By the thread that cleans up.
    var dropped: [Int] = []
    let cleanUps = ConfinedWord(0)
    var isCleanedUp = false

    /// - Returns: false if the loop was closed.
    @discardableResult
    func offer(_ number: Int) -> Bool {
        let node = Piece.make(number)
        switch loop.enterOrPush(node) {
        case .entered:
            perform(node)
            if !loop.tryLeave() { drain() }
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

    private func perform(_ node: UnsafeMutablePointer<DrainNode>) {
        inside.store(inside.load() + 1)
        let (number, payload) = Piece.take(node)
        require(UInt(number) == payload, "a piece of work is read before it was written")
        done.append(number)
        require(!isCleanedUp, "work is done after the clean-up")
    }

    private func drain() {
        repeat {
            var pending = loop.takePending()
            while let node = pending {
                pending = node.pointee.next
                perform(node)
            }
            if loop.isClosed { return cleanUp() }
        } while !loop.tryLeave()
    }

    private func cleanUp() {
        var pending = loop.takePending()
        while let node = pending {
            pending = node.pointee.next
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
    ]
}

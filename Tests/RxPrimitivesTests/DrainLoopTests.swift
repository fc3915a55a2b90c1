// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxPrimitives
import Testing

@Suite struct DrainLoopTests {
    /// Every interleaving of the steps of a few threads that offer work, and of one that closes the loop.
    @Test(
        "Every interleaving does each piece of work once and in order",
        arguments: [[2, 2], [1, 1, 1], [3, 1], [2, 1, 1]], [false, true])
    func everyInterleaving(work: [Int], closes: Bool) {
        var choices: [Int] = []
        var runs = 0
        repeat {
            runs += 1
            let model = LoopModel(work: work, closes: closes)
            var step = 0
            // The number of threads that could move at each step, to find the next schedule.
            var widths: [Int] = []
            while true {
                let movable = model.movable
                if movable.isEmpty { break }
                if step == choices.count { choices.append(0) }
                widths.append(movable.count)
                model.move(movable[choices[step]])
                step += 1
            }
            if let fault = model.fault() {
                Issue.record("schedule \(choices): \(fault)")
                return
            }
            while let last = choices.last, last + 1 == widths[choices.count - 1] { choices.removeLast() }
            if !choices.isEmpty { choices[choices.count - 1] += 1 }
        } while !choices.isEmpty && runs < 200_000
        #expect(runs > 5)
    }

    @Test("Concurrent work runs once, one piece at a time, in order per thread", arguments: [2, 4, 8])
    func storm(threads: Int) {
        let storm = LoopStorm(threads: threads)
        let perThread = 40_000 / threads
        onThreads(threads) { thread in
            for number in 0..<perThread { storm.offer(thread, number) }
        }
        #expect(storm.faults == 0)
        #expect(storm.done == Array(repeating: perThread, count: threads))
        #expect(!storm.hasPending)
    }

    @Test("A close that races with work leaves the clean-up to one thread") func closeRace() {
        for round in 0..<300 {
            let storm = LoopStorm(threads: 3)
            onThreads(4) { thread in
                if thread == 3 {
                    for _ in 0..<(round % 40) { sched_yield() }
                    storm.close()
                } else {
                    for number in 0..<50 { storm.offer(thread, number) }
                }
            }
            #expect(storm.faults == 0)
            #expect(storm.cleanUps == 1)
            #expect(storm.accepted == storm.handled)
            #expect(!storm.hasPending && storm.isClosed)
        }
    }

    @Test("The creator of an entered loop is its drainer") func createdEntered() {
        let loop = DrainLoop(entered: true)
        let calls = [loop.tryEnter(), loop.tryLeave(), loop.tryEnter()]
        #expect(calls == [false, true, true])
    }

    @Test("The owner of the lock enters only an idle loop") func lockOwner() {
        let loop = DrainLoop()
        let calls = [
            loop.tryEnterLocked(), loop.tryEnterLocked(), loop.tryLeave(), loop.tryEnter(), loop.tryEnterLocked(),
        ]
        #expect(calls == [true, false, true, true, false])
        _ = loop.enterOrPush(WorkNode.make(0, 1), mayResume: true)
        #expect(loop.vacate() && !loop.tryEnterLocked())
        let cleansUp = loop.close()
        #expect(cleansUp && !loop.tryEnterLocked())
        while let node = loop.popFirst() { _ = WorkNode.take(node) }
    }

    @Test("enterOrPush counts the backlog") func backlog() {
        let loop = DrainLoop(entered: true)
        for expected in 1...5 {
            guard case .pending(expected) = loop.enterOrPush(WorkNode.make(0, expected), mayResume: true) else {
                Issue.record("not pending")
                return
            }
        }
        var taken = 0
        while let node = loop.popFirst() {
            taken += 1
            #expect(WorkNode.take(node).number == taken)
        }
        let hasLeft = loop.tryLeave()
        #expect(taken == 5 && hasLeft)
    }
}

/// A piece of work, with its thread and number.
private struct WorkNode {
    var head = DrainNode()
    let thread: Int
    let number: Int

    static func make(_ thread: Int, _ number: Int) -> UnsafeMutablePointer<DrainNode> {
        let node = UnsafeMutablePointer<WorkNode>.allocate(capacity: 1)
        node.initialize(to: WorkNode(thread: thread, number: number))
        return UnsafeMutableRawPointer(node).assumingMemoryBound(to: DrainNode.self)
    }

    static func take(_ node: UnsafeMutablePointer<DrainNode>) -> WorkNode {
        let node = UnsafeMutableRawPointer(node).assumingMemoryBound(to: WorkNode.self)
        defer { node.deallocate() }
        return node.move()
    }
}

/// Threads of one program. The test chooses the thread that makes the next move, which is one call of the loop.
private final class LoopModel {
    private enum Place { case outside, leaving, taking, finished }

    private let loop = DrainLoop()
    private let work: [Int]
    private var places: [Place]
    private var offered: [Int]
    private var canClose: Bool
    private var cleanUps = 0
    private var isClosed = false
    private var inside: Int?
    private var accepted: [[Int]] = []
    private var done: [[Int]] = []
    private var dropped: [[Int]] = []
    private var firstFault: String?

    init(work: [Int], closes: Bool) {
        self.work = work
        places = work.map { _ in .outside }
        offered = work.map { _ in 0 }
        canClose = closes
    }

    /// The threads that can still move. The last number stands for the thread that closes.
    var movable: [Int] { places.indices.filter { places[$0] != .finished } + (canClose ? [places.count] : []) }

    func move(_ thread: Int) {
        if thread == places.count {
            canClose = false
            isClosed = true
            if loop.close() {
                check(inside == nil, "asked to clean up while a drainer is inside")
                cleanUps += 1
            }
            return
        }
        switch places[thread] {
        case .outside: offer(thread)
        case .leaving:
            if loop.tryLeave() {
                inside = nil
                places[thread] = offered[thread] == work[thread] ? .finished : .outside
            } else {
                places[thread] = .taking
            }
        case .taking:
            while let node = loop.popFirst() {
                let piece = WorkNode.take(node)
                if isClosed {
                    dropped.append([piece.thread, piece.number])
                } else {
                    done.append([piece.thread, piece.number])
                }
            }
            if loop.isClosed {
                cleanUps += 1
                inside = nil
                places[thread] = offered[thread] == work[thread] ? .finished : .outside
            } else {
                places[thread] = .leaving
            }
        case .finished: break
        }
    }

    private func offer(_ thread: Int) {
        let number = offered[thread]
        offered[thread] += 1
        let node = WorkNode.make(thread, number)
        let piece = [thread, number]
        switch loop.enterOrPush(node, mayResume: true) {
        case .entered:
            check(inside == nil, "two are inside")
            _ = WorkNode.take(node)
            inside = thread
            accepted.append(piece)
            done.append(piece)
            places[thread] = .leaving
        case .resumed:
            check(false, "a loop that no thread has left vacant was resumed")
        case .pending:
            check(inside != nil, "pending without a drainer")
            accepted.append(piece)
            if offered[thread] == work[thread] { places[thread] = .finished }
        case .closed:
            check(isClosed, "rejected by an open loop")
            _ = WorkNode.take(node)
            if offered[thread] == work[thread] { places[thread] = .finished }
        }
    }

    private func check(_ condition: Bool, _ text: String) {
        if !condition, firstFault == nil { firstFault = text }
    }

    func fault() -> String? {
        if let firstFault { return firstFault }
        if done + dropped != accepted { return "accepted \(accepted), did \(done), dropped \(dropped)" }
        if loop.hasPending { return "left something" }
        if cleanUps != (isClosed ? 1 : 0) { return "\(cleanUps) clean-ups" }
        return nil
    }
}

/// Checks the calls that several threads make to one loop.
private final class LoopStorm: @unchecked Sendable {
    private let loop = DrainLoop()
    private let inside = AtomicWord(0)
    private let faultCount = AtomicWord(0)
    private let cleanUpCount = AtomicWord(0)
    private let acceptedCount = AtomicWord(0)
    /// Only the drainer touches these two.
    private(set) var done: [Int]
    private(set) var handled = 0

    var hasPending: Bool { loop.hasPending }
    var isClosed: Bool { loop.isClosed }
    var faults: UInt { faultCount.loadAcquiring() }
    var cleanUps: UInt { cleanUpCount.loadAcquiring() }
    var accepted: Int { Int(acceptedCount.loadAcquiring()) }

    init(threads: Int) { done = Array(repeating: 0, count: threads) }

    func offer(_ thread: Int, _ number: Int) {
        let node = WorkNode.make(thread, number)
        switch loop.enterOrPush(node, mayResume: true) {
        case .entered:
            _ = WorkNode.take(node)
            _ = acceptedCount.fetchAdd(1)
            perform(thread, number)
            if !loop.tryLeave() { drain() }
        case .resumed: _ = faultCount.fetchAdd(1)
        case .pending: _ = acceptedCount.fetchAdd(1)
        case .closed: _ = WorkNode.take(node)
        }
    }

    func close() {
        if loop.close() { cleanUp() }
    }

    private func perform(_ thread: Int, _ number: Int) {
        if inside.fetchAdd(1) != 0 { _ = faultCount.fetchAdd(1) }
        if done[thread] != number { _ = faultCount.fetchAdd(1) }
        done[thread] = number + 1
        handled += 1
        _ = inside.fetchAdd(0 &- 1)
    }

    private func drain() {
        repeat {
            handlePending()
            if loop.isClosed {
                handlePending()
                return cleanUp()
            }
        } while !loop.tryLeave()
    }

    private func handlePending() {
        while let node = loop.popFirst() {
            let piece = WorkNode.take(node)
            perform(piece.thread, piece.number)
        }
    }

    private func cleanUp() {
        if inside.fetchAdd(1) != 0 { _ = faultCount.fetchAdd(1) }
        _ = cleanUpCount.fetchAdd(1)
        _ = inside.fetchAdd(0 &- 1)
    }
}

/// Runs a body on a number of threads, which start together.
func onThreads(_ count: Int, _ body: @escaping @Sendable (_ thread: Int) -> Void) {
    let missing = ThreadCount(UInt(count))
    let group = DispatchGroup()
    for thread in 0..<count {
        group.enter()
        Thread.detachNewThread {
            _ = missing.word.fetchAdd(0 &- 1)
            while missing.word.loadAcquiring() != 0 { sched_yield() }
            body(thread)
            group.leave()
        }
    }
    group.wait()
}

private final class ThreadCount: @unchecked Sendable {
    let word: AtomicWord

    init(_ value: UInt) { word = AtomicWord(value) }
}

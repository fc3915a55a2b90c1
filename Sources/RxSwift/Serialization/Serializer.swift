// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

// Events of several threads become one serial sequence in this way (laws L2, L3, L4, L7 and L12):
//
//   thread A ── tryEnter ──► the drainer: runs its own work, then what is pending ── tryLeave ──► idle
//   thread B ── enqueue ───► a node, pending                      │
//   A's own callback ──────► a node, pending                      └─ budget spent ──► vacant: the next thread that comes
//                                                                                     drains, or a deputy does
//
// Subjects, `create`, operators with several sources, timed operators and the buffers of late subscribers are targets. Of
// serializers only this file drains; the methods of their targets define the meaning of a node.

/// The client of a serializer: the owner of the state that only the drainer touches.
package protocol SerializerTarget: DeputyWork {
    /// The name of the operator, for diagnostics.
    var operatorName: StaticString { get }

    /// Does the work of a node, and frees it; only the drainer calls this.
    func run(_ node: UnsafeMutablePointer<DrainNode>)

    /// Frees a node whose work is no longer to be done.
    func discard(_ node: UnsafeMutablePointer<DrainNode>)

    /// Sends a node of another thread back to that one, if it has to run it: no work for the drainer, which discards the node then. Only the drainer
    /// calls this.
    ///
    /// - Returns: false if the drainer is to run the node.
    func sendsBack(_ node: UnsafeMutablePointer<DrainNode>) -> Bool

    /// True if `didArrive` wants to see nodes before the nodes in front of them are run.
    var readsAhead: Bool { get }

    /// Receives nodes that were enqueued, oldest first, and will be run in their turn. Only the drainer calls this, between two runs.
    func didArrive(_ nodes: UnsafeMutablePointer<DrainNode>)

    /// True if nodes may carry `Weighted` elements, of which few may wait. Costs a look-up by the runtime.
    var elementsWeigh: Bool { get }

    /// Tells whether the stages below want a source to pause. Only the drainer calls this.
    func downstreamPauses(_ source: any PausableSource) -> Bool

    /// Reacts to the end: the serializer was closed, no drainer is inside, and nothing is pending. Called once.
    func serializerDidClose()
}

/// A target that is passed as an argument.
///
/// It is a struct because the optimizer turns a protocol type that is passed plainly into a generic argument, for which each call, also
/// one that is not taken, then looks up the metadata of the target's generic class.
package struct AnySerializerTarget {
    package let target: any SerializerTarget

    @inline(__always)
    package init(_ target: any SerializerTarget) { self.target = target }
}

extension SerializerTarget {
    package func sendsBack(_ node: UnsafeMutablePointer<DrainNode>) -> Bool { false }

    package var readsAhead: Bool { false }

    package func didArrive(_ nodes: UnsafeMutablePointer<DrainNode>) {}

    package func serializerDidClose() {}
}

/// Runs work of any threads one piece at a time, in order of acceptance, without a lock.
///
/// Cost of work that finds the serializer idle: two atomic read-modify-writes, no allocation.
package struct Serializer: ~Copyable {
    private let loop: DrainLoop

    /// 1 while a drainer is in `drain`, and not in work that found the serializer idle. Relaxed, because it is a hint for producers.
    private let isDraining = AtomicWord(0)

    private let backlogPlace = Backlog.Place()

    /// The number of questions of sources that found the serializer busy, since one was enqueued. See `PauseQuestion`.
    let skippedQuestions = AtomicWord(0)

    /// - Parameter entered: whether the creating thread is the drainer from the start.
    package init(entered: Bool = false) { loop = DrainLoop(entered: entered) }

    /// True if no more work is accepted.
    package var isClosed: Bool {
        @inline(__always) get { loop.isClosed }
    }

    /// True if work waits for the drainer. Only the drainer or the last owner may read it.
    package var hasPending: Bool { loop.hasPending }

    /// The approximate number of nodes that wait.
    var backlogCount: Int { loop.backlogCount }

    // MARK: From any thread

    /// Becomes the drainer if the serializer is idle. The caller does its work and calls `leave`.
    @inline(__always)
    package func tryEnter() -> Bool { loop.tryEnter() }

    /// Becomes the drainer as `tryEnter` does, but without a read-modify-write: for a target whose threads all hold a lock while they enter
    /// or enqueue.
    @inline(__always)
    package func tryEnterLocked() -> Bool { loop.tryEnterLocked() }

    /// Ends the work of the drainer if nothing is pending. If it returns false, the target calls `finishLeaving`: in a method of its own,
    /// so that the path without pending work needs no room on the stack.
    @inline(__always)
    package func tryLeave() -> Bool { loop.tryLeave() }

    /// Runs a node, now or after the work accepted before it.
    ///
    /// - Returns: false, having discarded the node, if the serializer is closed.
    @discardableResult
    package func submit(_ node: UnsafeMutablePointer<DrainNode>, to reference: AnySerializerTarget) -> Bool {
        completeSubmission(node, enqueue(node), for: reference)
    }

    /// Enters if the serializer is idle, else enqueues a node. The caller calls `completeSubmission` next, holding no lock.
    package func enqueue(_ node: UnsafeMutablePointer<DrainNode>) -> DrainLoop.Admission {
        loop.enterOrPush(node, mayResume: loop.isVacant && DrainSession.current.mayResume)
    }

    /// Completes the submission of a node after `enqueue`: runs it, drains, waits for the drainer or discards the node.
    ///
    /// - Returns: false, having discarded the node, if the serializer is closed.
    @discardableResult @inline(__always)
    package func completeSubmission(
        _ node: UnsafeMutablePointer<DrainNode>, _ admission: DrainLoop.Admission, for reference: AnySerializerTarget
    ) -> Bool {
        if case .pending(let count) = admission, !Backlog.isNotable(count), count <= DrainSession.waitThreshold {
            return true
        }
        return completeSubmissionSlowly(node, admission, for: reference)
    }

    @inline(never)
    private func completeSubmissionSlowly(
        _ node: UnsafeMutablePointer<DrainNode>, _ admission: DrainLoop.Admission, for reference: AnySerializerTarget
    ) -> Bool {
        let target = reference.target
        switch admission {
        case .entered:
            target.run(node)
            if !loop.tryLeave() { finishLeaving(reference) }
        case .resumed:
            resume(reference)
        case .pending(let count):
            Backlog.noticed(count, at: target.operatorName, backlogPlace)
            if count > DrainSession.waitThreshold { waitForDrainer(reference) }
        case .closed:
            target.discard(node)
            return false
        }
        return true
    }

    /// Stops accepting work, and ensures that `serializerDidClose` is called: now, or by the drainer.
    package func close(_ reference: AnySerializerTarget) {
        if loop.close() { finishClosing(reference) }
    }

    // MARK: By the drainer

    /// Drains for a drainer that could not leave, or cleans up if the serializer was closed.
    package func finishLeaving(_ reference: AnySerializerTarget) {
        if loop.isClosed { finishClosing(reference) } else { drain(reference) }
    }

    /// Stops accepting work; the pending nodes are discarded when the drainer leaves.
    @inline(__always)
    package func closeFromInside() { _ = loop.close() }

    /// Discards the pending nodes when the target is deinitialized.
    package func discardPending(_ reference: AnySerializerTarget) {
        while let node = loop.popFirst() { discard(node, for: reference.target) }
    }

    private func discard(_ node: UnsafeMutablePointer<DrainNode>, for target: any SerializerTarget) {
        if node.pointee.isQuestion { PauseQuestion.take(node).resume() } else { target.discard(node) }
    }

    /// Runs the pending nodes until the serializer is idle or, when the budget for other threads' work is spent, vacant.
    @inline(__always)
    package func drain(_ reference: AnySerializerTarget) {
        DrainSession.unretained._withUnsafeGuaranteedRef { drain(reference, $0, earlier: 0) }
    }

    /// Drains for the thread that has become the drainer of a vacant serializer.
    private func resume(_ reference: AnySerializerTarget) {
        let earlier = loop.pendingCount
        DrainSession.unretained._withUnsafeGuaranteedRef { drain(reference, $0, earlier: earlier) }
    }

    /// - Parameter earlier: the number of nodes, the oldest ones, that no callback of this drain has enqueued.
    @inline(never)
    private func drain(_ reference: AnySerializerTarget, _ session: DrainSession, earlier: Int) {
        var earlier = earlier
        let target = reference.target
        let thread = CurrentThread.identity
        let inlineWork = session.inlineWork
        session.begin()
        repeat {
            isDraining.storeRelaxed(1)
            while !loop.isClosed {
                if loop.hasArrivals, loop.firstTaken == nil || target.readsAhead, let arrived = loop.takeStack() {
                    target.didArrive(arrived)
                }
                guard let node = loop.firstTaken else { break }
                let isForeign = node.pointee.producer != thread
                if isForeign, node.pointee.isQuestion {
                    earlier -= 1
                    loop.removeFirstTaken()
                    answer(node, for: target)
                    continue
                }
                // Not below the budget: a drainer that has spent it would leave its own events to a deputy, for nothing.
                if isForeign, target.sendsBack(node) {
                    earlier -= 1
                    loop.removeFirstTaken()
                    target.discard(node)
                    continue
                }
                if isForeign || earlier > 0 {
                    guard session.admitsWork(isForeign: isForeign, pending: loop.backlogCount) else {
                        if leaveVacant(reference, session) { return session.end(inlineWork) }
                        // Other threads may have drained meanwhile.
                        earlier = loop.pendingCount
                        continue
                    }
                    session.deliversForeignEvent(isForeign ? inlineWork : inlineWork | node.pointee.inlineWork)
                } else {
                    session.deliversOwnEvent(inlineWork | node.pointee.inlineWork)
                }
                earlier -= 1
                loop.removeFirstTaken()
                target.run(node)
            }
            if loop.isClosed {
                session.end(inlineWork)
                return finishClosing(reference)
            }
            isDraining.storeRelaxed(0)
        } while !loop.tryLeave()
        session.end(inlineWork)
    }

    /// Leaves the pending nodes to the next thread that comes, or to a deputy.
    ///
    /// - Returns: false if the caller is still the drainer, or again: the serializer was closed, no deputy is available, or the caller is the
    ///   deputy.
    private func leaveVacant(_ reference: AnySerializerTarget, _ session: DrainSession) -> Bool {
        guard loop.vacate() else { return false }
        if session.letsProducersIn() { return !loop.tryResume() }
        if !loop.requestDeputy() || DeputyPool.shared.submit(reference.target) { return true }
        loop.deputyLooks()
        guard loop.tryResume() else { return true }
        session.admitsAllWork()
        return false
    }

    private func finishClosing(_ reference: AnySerializerTarget) {
        while let node = loop.popFirst() { discard(node, for: reference.target) }
        reference.target.serializerDidClose()
    }

    // MARK: Help

    /// Drains if the serializer is vacant; called on a deputy thread.
    package func drainAsDeputy(_ reference: AnySerializerTarget) {
        if loop.backlogCount > DrainSession.waitThreshold { _ = DrainSession.current.letsProducersIn() }
        loop.deputyLooks()
        if loop.tryResume() { resume(reference) }
    }

    /// Slows down a producer that finds much pending (law L12): it waits a little while the drainer catches up, and drains if there is none.
    ///
    /// It waits until almost nothing is pending, not only until half is: a thread that finds the serializer idle delivers its events several
    /// times as fast as it enqueues them for another thread. Where it may not wait, it only drains.
    @inline(never)
    private func waitForDrainer(_ reference: AnySerializerTarget) {
        // Otherwise the drainer is in its first piece of work, and may be this very thread, which emits in a callback.
        guard isDraining.loadRelaxed() != 0 || loop.isVacant else { return }
        let session = DrainSession.current
        guard session.mayWait else {
            if loop.isVacant, session.beginsToCatchUp(), loop.tryResume() { resume(reference) }
            return
        }
        session.wait {
            if loop.isVacant, session.mayResume, loop.tryResume() { resume(reference) }
            return loop.backlogCount < DrainSession.waitThreshold / 64
        }
    }
}

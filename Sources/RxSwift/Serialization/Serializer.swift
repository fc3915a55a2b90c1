import RxPrimitives

// How events of several threads become one serial sequence (laws L2, L3, L4, L7 and L12):
//
//   thread A ── tryEnter ──► the drainer: runs its own work, then what is pending ── tryLeave ──► idle
//   thread B ── enqueue ───► a node, pending                      │
//   A's own callback ──────► a node, pending                      └─ budget spent ──► vacant: the next thread that comes
//                                                                                     drains, or a deputy does
//
// Subjects, `create`, operators with several sources, timed operators and the buffers of late subscribers are targets. Only this
// file drains; what a node means is a method of its target.

/// What a serializer works for: the owner of its state, which only the drainer touches.
package protocol SerializerTarget: AnyObject {
    /// The operator, for diagnostics.
    var operatorName: StaticString { get }

    /// Does the work of a node, and frees it. Only by the drainer.
    func run(_ node: UnsafeMutablePointer<DrainNode>)

    /// Frees a node whose work is not to be done any more.
    func discard(_ node: UnsafeMutablePointer<DrainNode>)

    /// Whether `didArrive` wants to see nodes before the nodes in front of them are run.
    var readsAhead: Bool { get }

    /// Nodes were enqueued, oldest first, and will be run in their turn. Only by the drainer, between two runs.
    func didArrive(_ nodes: UnsafeMutablePointer<DrainNode>)

    /// The serializer was closed, no drainer is inside, and nothing is pending. Called once.
    func serializerDidClose()

    /// Calls `drainAsDeputy` of its serializer.
    func drainAsDeputy()
}

/// A target as an argument.
///
/// In a struct, because the optimizer makes of a protocol type that is passed plainly a generic argument, for which each call, also one
/// that is not taken, then looks up the metadata of the target's generic class.
package struct TargetReference {
    package let target: any SerializerTarget

    @inline(__always)
    package init(_ target: any SerializerTarget) { self.target = target }
}

extension SerializerTarget {
    package var readsAhead: Bool { false }

    package func didArrive(_ nodes: UnsafeMutablePointer<DrainNode>) {}

    package func serializerDidClose() {}
}

/// Runs work of any threads one piece at a time, in order of acceptance, without a lock.
///
/// Cost of work that finds the serializer idle: two atomic read-modify-writes, no allocation.
package struct Serializer: ~Copyable {
    private let loop: DrainLoop

    /// 1 while a drainer is in `drain`, and not in work that found the serializer idle. Relaxed: a hint for producers.
    private let isDraining = AtomicWord(0)

    /// - Parameter entered: whether the creating thread is the drainer from the start.
    package init(entered: Bool = false) { loop = DrainLoop(entered: entered) }

    /// Whether no more work is accepted.
    package var isClosed: Bool {
        @inline(__always) get { loop.isClosed }
    }

    /// Whether work waits for the drainer. Only for the drainer, or for the last owner.
    package var hasPending: Bool { loop.hasPending }

    // MARK: From any thread

    /// Becomes the drainer if the serializer is idle. The caller does its work and calls `leave`.
    @inline(__always)
    package func tryEnter() -> Bool { loop.tryEnter() }

    /// The same without a read-modify-write, for a target with a lock: all its threads hold it while they enter or enqueue.
    @inline(__always)
    package func tryEnterLocked() -> Bool { loop.tryEnterLocked() }

    /// Ends the work of the drainer if nothing is pending. If it returns false, the target calls `finishLeaving`: in a method of its own,
    /// so that the way without pending work needs no room on the stack.
    @inline(__always)
    package func tryLeave() -> Bool { loop.tryLeave() }

    /// Runs a node, now or when the work accepted before has been done.
    ///
    /// - Returns: false, having discarded the node, if the serializer is closed.
    @discardableResult
    package func submit(_ node: UnsafeMutablePointer<DrainNode>, to reference: TargetReference) -> Bool {
        settle(node, enqueue(node), for: reference)
    }

    /// Enters if the serializer is idle, else enqueues a node. The caller calls `settle` next, holding no lock.
    package func enqueue(_ node: UnsafeMutablePointer<DrainNode>) -> DrainLoop.Admission {
        loop.enterOrPush(node, mayResume: loop.isVacant && DrainSession.current.mayResume)
    }

    /// Does what has to be done for a node after `enqueue`.
    ///
    /// - Returns: false, having discarded the node, if the serializer is closed.
    @discardableResult @inline(__always)
    package func settle(
        _ node: UnsafeMutablePointer<DrainNode>, _ admission: DrainLoop.Admission, for reference: TargetReference
    ) -> Bool {
        if case .pending(let count) = admission, !Backlog.isNotable(count), count <= DrainSession.waitThreshold {
            return true
        }
        return settleSlowly(node, admission, for: reference)
    }

    @inline(never)
    private func settleSlowly(
        _ node: UnsafeMutablePointer<DrainNode>, _ admission: DrainLoop.Admission, for reference: TargetReference
    ) -> Bool {
        let target = reference.target
        switch admission {
        case .entered:
            target.run(node)
            if !loop.tryLeave() { finishLeaving(reference) }
        case .resumed:
            drain(reference)
        case .pending(let count):
            Backlog.noticed(count, at: target.operatorName)
            if count > DrainSession.waitThreshold { waitForDrainer(reference) }
        case .closed:
            target.discard(node)
            return false
        }
        return true
    }

    /// Accepts no more work, and sees to it that `serializerDidClose` is called: now, or by the drainer.
    package func close(_ reference: TargetReference) {
        if loop.close() { finishClosing(reference) }
    }

    // MARK: By the drainer

    /// Does what is pending for a drainer that could not leave, or cleans up if the serializer was closed.
    package func finishLeaving(_ reference: TargetReference) {
        if loop.isClosed { finishClosing(reference) } else { drain(reference) }
    }

    /// Accepts no more work. What is pending is discarded when the drainer leaves.
    @inline(__always)
    package func closeFromInside() { _ = loop.close() }

    /// Discards what is pending when the target goes.
    package func discardPending(_ reference: TargetReference) {
        while let node = loop.popFirst() { reference.target.discard(node) }
    }

    /// Does what is pending, until nothing is and the serializer is idle or, when the budget for other threads' work is spent, vacant.
    @inline(__always)
    package func drain(_ reference: TargetReference) {
        DrainSession.unretained._withUnsafeGuaranteedRef { drain(reference, $0) }
    }

    @inline(never)
    private func drain(_ reference: TargetReference, _ session: DrainSession) {
        let target = reference.target
        let thread = CurrentThread.identity
        session.begin()
        repeat {
            isDraining.storeRelaxed(1)
            while !loop.isClosed {
                if loop.hasArrivals, loop.firstTaken == nil || target.readsAhead, let arrived = loop.takeStack() {
                    target.didArrive(arrived)
                }
                guard let node = loop.firstTaken else { break }
                if node.pointee.producer != thread, !session.admitsForeignWork(), leaveVacant(reference, session) {
                    return session.end()
                }
                loop.removeFirstTaken()
                target.run(node)
            }
            if loop.isClosed {
                session.end()
                return finishClosing(reference)
            }
            isDraining.storeRelaxed(0)
        } while !loop.tryLeave()
        session.end()
    }

    /// Leaves what is pending to the next thread that comes, or to a deputy.
    ///
    /// - Returns: false if the caller is still the drainer: the serializer was closed, or there is no deputy to be had.
    private func leaveVacant(_ reference: TargetReference, _ session: DrainSession) -> Bool {
        guard loop.vacate() else { return false }
        if !loop.requestDeputy() || DeputyPool.shared.submit(reference.target) { return true }
        loop.deputyLooks()
        guard loop.tryResume() else { return true }
        session.admitsAllWork()
        return false
    }

    private func finishClosing(_ reference: TargetReference) {
        while let node = loop.popFirst() { reference.target.discard(node) }
        reference.target.serializerDidClose()
    }

    // MARK: Help

    /// Drains if the serializer is vacant. On a deputy thread.
    package func drainAsDeputy(_ reference: TargetReference) {
        loop.deputyLooks()
        if loop.tryResume() { drain(reference) }
    }

    /// Waits a little while the drainer catches up, where the calling thread may wait at all (law L12), and helps if there is none.
    ///
    /// Until next to nothing is pending, not until a half is: a thread that finds the serializer idle delivers its events several times as
    /// fast as it hands them to another one.
    @inline(never)
    private func waitForDrainer(_ reference: TargetReference) {
        // Else the drainer is in its first piece of work, and may be this very thread, which emits in a callback.
        guard isDraining.loadRelaxed() != 0 || loop.isVacant else { return }
        let session = DrainSession.current
        session.wait {
            if loop.isVacant, session.mayResume, loop.tryResume() { drain(reference) }
            return loop.backlogCount < DrainSession.waitThreshold / 64
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

// DrainLoop: serializes the work of many threads without a lock.
//
// Algorithm: one word is both the work-in-progress mark and the head of a Treiber stack (R. K. Treiber, "Systems
// Programming: Coping with Parallelism", 1986) of work that arrived while another thread was draining. The thread that moves
// the word from idle to busy is the drainer; every other thread pushes a node and returns. The drainer takes the whole stack with
// one exchange and reverses it, which restores the order of acceptance (the order in which the pushes succeeded).
// A counter beside a queue would need the same two read-modify-writes per uncontended event, plus a window in which an
// element is counted but not yet linked, where the drainer would have to spin.
// A drainer that has done enough for other threads leaves the loop vacant: not busy, with work pending (law L12). The next thread
// that pushes, or a deputy, becomes the drainer and finds the nodes that its predecessor had taken but not run.
//
// Progress: `tryEnter`, `tryEnterLocked` and `tryLeave` are wait-free; `enterOrPush`, `vacate`, `tryResume`, `takeStack` and `close` are lock-free.
// Threads: `tryEnter`, `enterOrPush`, `tryResume` and `close` from any thread; everything else by the drainer alone. An owner that holds
// a lock of its own around all these but `tryResume` may enter by `tryEnterLocked`.
// Safe against ABA: nodes are only ever removed all at once, so a push whose expected head was freed and pushed again
// links to what is then the head.
// Not generic, on purpose: a generic type inside a generic class costs look-ups of type metadata wherever it is used.

/// The head of a node of work that a thread enqueued at a busy loop. The work itself follows it in memory.
@frozen
@usableFromInline
package struct DrainNode {
    @usableFromInline package var next: UnsafeMutablePointer<DrainNode>?

    /// The thread that enqueued the node: tells the drainer's own events from those of other threads.
    @usableFromInline package let producer: UInt

    /// The inline work that was under way when the node was made: see `InlineWork`. Means something if the producer is the main thread.
    @usableFromInline package let inlineWork: UInt

    @inlinable
    package init() {
        next = nil
        producer = CurrentThread.identity
        inlineWork = InlineWork.current
    }

    private init(producer: UInt) {
        next = nil
        self.producer = producer
        inlineWork = 0
    }

    /// The head of a node that carries no work but a question, which the serializer answers. It has no producer.
    package static var question: DrainNode { DrainNode(producer: 0) }

    /// The head of a node that counts as another thread's work, whichever thread enqueues it: a drainer that continues later with work of its own.
    package static var foreign: DrainNode { DrainNode(producer: 1) }

    package var isQuestion: Bool { producer == 0 }
}

/// Serializes work: the thread that enters is the drainer and works alone, the other threads enqueue their work.
@frozen
@usableFromInline
package struct DrainLoop: ~Copyable {
    /// A `DrainState`.
    @usableFromInline let state: AtomicWord

    /// The number of pending nodes, and up to `maxUncounted` more: written on the contended path only.
    @usableFromInline let backlog = AtomicWord(0)

    // Accessed only by the drainer: the nodes that were taken from the stack and not run yet, oldest first.
    @usableFromInline let oldestTaken = NonAtomicWord(0)
    private let newestTaken = NonAtomicWord(0)
    /// The number of nodes that were taken and removed, but that `backlog` still counts.
    @usableFromInline let uncounted = NonAtomicWord(0)
    @inlinable @inline(__always)
    static var maxUncounted: UInt { 64 }

    /// 1 from `requestDeputy` until the deputy looks.
    private let deputyRequest = AtomicWord(0)

    /// - Parameter entered: whether the creating thread is the drainer from the start.
    @inlinable
    package init(entered: Bool = false) {
        state = AtomicWord((entered ? DrainState.entered : .idle).word)
    }

    // MARK: From any thread

    /// Enters if the loop is idle.
    @inlinable @inline(__always)
    package func tryEnter() -> Bool {
        // Acquiring: paired with the release in `tryLeave`, so that work is ordered after that of the drainer before.
        replace(.idle, by: .entered)
    }

    /// Enters if the loop is idle, without a read-modify-write.
    ///
    /// The caller holds a lock without which no thread calls this, `tryEnter`, `enterOrPush` or `close`: so no other thread takes the loop
    /// out of its idle state meanwhile.
    @inlinable @inline(__always)
    package func tryEnterLocked() -> Bool {
        // Acquiring: paired with the release in `tryLeave`.
        guard DrainState(word: state.loadAcquiring()) == .idle else { return false }
        state.storeRelaxed(DrainState.entered.word)
        return true
    }

    /// The outcome of offering work to the loop.
    @frozen
    @usableFromInline
    package enum Admission {
        /// The loop was idle: the caller is the drainer and does the work itself. The node stays the caller's.
        case entered
        /// The loop was vacant: the caller is the drainer, and its node is the last that is pending.
        case resumed
        /// A drainer is inside, or the caller does not want to be one. About this many nodes are pending now. The node is the
        /// loop's.
        case pending(Int)
        /// The loop is closed and takes no work. The node stays the caller's.
        case closed
    }

    /// Enters if no drainer is inside, else pushes a node of work.
    ///
    /// - Parameter mayResume: true if the caller may become the drainer of nodes that other threads left pending.
    @usableFromInline
    package func enterOrPush(_ node: UnsafeMutablePointer<DrainNode>, mayResume: Bool) -> Admission {
        while true {
            let head = current
            if head.isClosed { return .closed }
            if head == .idle {
                if tryEnter() { return .entered }
                continue
            }
            node.pointee.next = head.newest
            let resumes = head.isVacant && mayResume
            // Releasing: paired with the compare-exchange in `takeStack`. Acquiring, if it resumes: paired with `vacate`.
            if replace(head, by: (resumes ? head.resumed : head).pushed(node)) {
                let count = backlog.fetchAddRelaxed(1)
                return resumes ? .resumed : .pending(Int(bitPattern: count) + 1)
            }
        }
    }

    /// Becomes the drainer of a vacant loop.
    package func tryResume() -> Bool {
        while true {
            let head = current
            if !head.isVacant { return false }
            // Acquiring: paired with the release in `vacate`.
            if replace(head, by: head.resumed) { return true }
        }
    }

    /// Indicates whether the loop was closed.
    @inlinable @inline(__always)
    package var isClosed: Bool { current.isClosed }

    /// True if work is pending and no drainer is inside. Out of date as soon as it is read.
    @inlinable @inline(__always)
    package var isVacant: Bool { current.isVacant }

    /// The approximate number of pending nodes.
    package var backlogCount: Int { Int(bitPattern: backlog.loadRelaxed()) }

    /// Closes the loop: no work is accepted from now on.
    ///
    /// - Returns: true if no drainer was inside: the caller then is alone, and has the duty to discard pending nodes and to clean up.
    ///   Else the drainer finds the loop closed when it tries to leave, and has that duty then. It falls to one thread once.
    @usableFromInline
    package func close() -> Bool {
        while true {
            let head = current
            if head.isClosed { return false }
            // Acquiring: paired with the release in `tryLeave` and `vacate`.
            if replace(head, by: head.closed) { return !head.isBusy }
        }
    }

    // MARK: By the drainer

    /// Leaves if nothing is pending and the loop is open.
    ///
    /// - Returns: whether the caller has left. If not, it is still the drainer, and finds work in `takeStack` or, when
    ///   `isClosed`, has the duty to discard and to clean up.
    @inlinable @inline(__always)
    package func tryLeave() -> Bool {
        // Releasing: paired with the acquire in `tryEnter`.
        replace(.entered, by: .idle)
    }

    /// True if nodes are on the stack that the drainer has not taken.
    @inlinable @inline(__always)
    package var hasArrivals: Bool { current.hasNodes }

    /// Indicates whether work is pending.
    @inlinable @inline(__always)
    package var hasPending: Bool { oldestTaken.load() != 0 || hasArrivals }

    /// The oldest of the nodes that were taken from the stack. It stays the loop's.
    @inlinable @inline(__always)
    package var firstTaken: UnsafeMutablePointer<DrainNode>? {
        UnsafeMutablePointer(bitPattern: oldestTaken.load())
    }

    /// The number of pending nodes, but for some that are being pushed.
    package var pendingCount: Int { Int(bitPattern: backlog.loadRelaxed() &- uncounted.load()) }

    /// Removes the oldest of the nodes that were taken from the stack. There must be one.
    @inlinable @inline(__always)
    package func removeFirstTaken() {
        let node = firstTaken.unsafelyUnwrapped
        let next = UInt(bitPattern: node.pointee.next)
        oldestTaken.store(next)
        let removed = uncounted.load() &+ 1
        if next == 0 || removed == Self.maxUncounted { uncount(removed) } else { uncounted.store(removed) }
    }

    @usableFromInline
    func uncount(_ removed: UInt) {
        uncounted.store(0)
        _ = backlog.fetchAddRelaxed(0 &- removed)
    }

    /// Removes the oldest pending node.
    package func popFirst() -> UnsafeMutablePointer<DrainNode>? {
        if oldestTaken.load() == 0 { takeStack() }
        guard let node = firstTaken else { return nil }
        removeFirstTaken()
        return node
    }

    /// Appends the nodes on the stack to those that were taken before.
    ///
    /// - Returns: the nodes that were moved, oldest first.
    @discardableResult
    package func takeStack() -> UnsafeMutablePointer<DrainNode>? {
        var head = current
        if !head.hasNodes { return nil }
        // Acquiring: paired with the push of each node.
        while !replace(head, by: head.taken) { head = current }
        let newest = head.newest
        var oldestFirst: UnsafeMutablePointer<DrainNode>?
        var node = newest
        while let current = node {
            node = current.pointee.next
            current.pointee.next = oldestFirst
            oldestFirst = current
        }
        if oldestTaken.load() == 0 {
            oldestTaken.store(UInt(bitPattern: oldestFirst))
        } else {
            UnsafeMutablePointer<DrainNode>(bitPattern: newestTaken.load()).unsafelyUnwrapped.pointee.next = oldestFirst
        }
        newestTaken.store(UInt(bitPattern: newest))
        return oldestFirst
    }

    /// Leaves the loop vacant: pending nodes wait for the next thread that pushes, or for a deputy.
    ///
    /// - Returns: false if the loop is closed; the caller is still the drainer then.
    package func vacate() -> Bool {
        while true {
            let head = current
            if head.isClosed { return false }
            // Releasing: paired with the acquire of the thread that becomes the drainer.
            if replace(head, by: head.vacated) { return true }
        }
    }

    // MARK: The word

    @inlinable @inline(__always)
    var current: DrainState { DrainState(word: state.loadRelaxed()) }

    /// Acquires and releases.
    @inlinable @inline(__always)
    func replace(_ expected: DrainState, by desired: DrainState) -> Bool {
        state.compareExchange(expected.word, desired.word)
    }

    // MARK: Deputies

    // One word decides. The thread that vacates writes the loop's state and then exchanges the request; the deputy exchanges the
    // request and then reads the state. Each exchange acquires and releases, so if the former finds the request still set, the
    // latter sees the loop vacant.

    /// Returns whether the caller, which has vacated the loop, has to ask for a deputy: none was asked that has not looked yet.
    package func requestDeputy() -> Bool { deputyRequest.exchange(1) == 0 }

    /// Notes that a deputy is about to look whether the loop is vacant.
    package func deputyLooks() { _ = deputyRequest.exchange(0) }
}

/// The word of a drain loop: whether a thread is inside, and the newest node on the stack.
///
/// Each computed state is one transition; `DrainLoop` makes it with one compare-exchange.
@frozen
@usableFromInline
package struct DrainState: Equatable {
    @usableFromInline let word: UInt

    @inlinable @inline(__always)
    init(word: UInt) { self.word = word }

    // The bits that are not the address of the newest node.

    /// A drainer is inside. Set by entering, cleared by leaving; once the loop is closed it is never cleared again.
    @inlinable @inline(__always)
    static var busyBit: UInt { 1 }
    /// The loop takes no more work. Never cleared.
    @inlinable @inline(__always)
    static var closedBit: UInt { 2 }
    /// No thread is inside, but work is pending. Set by vacating; cleared by the thread that becomes the drainer or closes the loop.
    @inlinable @inline(__always)
    static var vacantBit: UInt { 4 }
    @inlinable @inline(__always)
    static var flags: UInt { 7 }

    /// No thread is inside, and nothing is pending.
    @inlinable @inline(__always)
    static var idle: DrainState { DrainState(word: 0) }

    /// A drainer is inside, and the stack is empty.
    @inlinable @inline(__always)
    static var entered: DrainState { DrainState(word: busyBit) }

    @inlinable @inline(__always)
    var isBusy: Bool { word & DrainState.busyBit != 0 }
    @inlinable @inline(__always)
    var isClosed: Bool { word & DrainState.closedBit != 0 }
    @inlinable @inline(__always)
    var isVacant: Bool { word & DrainState.vacantBit != 0 }

    /// True if a node is on the stack.
    @inlinable @inline(__always)
    var hasNodes: Bool { word > DrainState.flags }

    /// The top of the stack.
    @inlinable @inline(__always)
    var newest: UnsafeMutablePointer<DrainNode>? { UnsafeMutablePointer(bitPattern: word & ~DrainState.flags) }

    /// The node is on top of the stack.
    func pushed(_ node: UnsafeMutablePointer<DrainNode>) -> DrainState {
        DrainState(word: UInt(bitPattern: node) | word & DrainState.flags)
    }

    /// A thread has become the drainer of the vacant loop.
    var resumed: DrainState { DrainState(word: word & ~DrainState.flags | DrainState.busyBit) }

    /// The drainer has taken all nodes from the stack.
    var taken: DrainState { DrainState(word: word & DrainState.flags) }

    /// The drainer has left the open loop with work pending.
    var vacated: DrainState { DrainState(word: word & ~DrainState.flags | DrainState.vacantBit) }

    /// The loop is closed. Its drainer, or else the thread that closes it, has the duty to clean up.
    var closed: DrainState {
        DrainState(word: word & ~DrainState.vacantBit | DrainState.closedBit | DrainState.busyBit)
    }
}

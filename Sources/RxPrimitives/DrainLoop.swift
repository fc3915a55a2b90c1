// DrainLoop: serializes the work of many threads without a lock.
//
// Algorithm: one word is both the work-in-progress mark and the head of a Treiber stack (R. K. Treiber, "Systems
// Programming: Coping with Parallelism", 1986) of work that arrived while another thread was at work. Whoever moves the
// word from idle to busy works; everybody else pushes a node and leaves. The worker takes the whole stack with one exchange
// and reverses it, which restores the order of acceptance (the order in which the pushes succeeded).
// A counter beside a queue would need the same two read-modify-writes per uncontended event, plus a window in which an
// element is counted but not yet linked, where the worker would have to spin.
//
// Progress: `tryEnter` and `tryLeave` are wait-free; `enterOrPush`, `takePending` and `close` are lock-free.
// Threads: `tryEnter`, `enterOrPush` and `close` from any thread; `tryLeave` and `takePending` only by the thread that entered.
// Safe against ABA: nodes are only ever removed all at once, so a push whose expected head was freed and pushed again
// links to what is then the head.
// Not generic, on purpose: a generic type inside a generic class costs look-ups of type metadata wherever it is used.

/// The head of a node of work left behind by a thread that found a loop busy. What the work is follows it in memory.
@frozen
@usableFromInline
package struct DrainNode {
    @usableFromInline package var next: UnsafeMutablePointer<DrainNode>?

    @inlinable
    package init() { next = nil }
}

/// Serializes work: the thread that enters works alone, the others leave their work for it.
@frozen
@usableFromInline
package struct DrainLoop: ~Copyable {
    /// Two bits of flags, below, and the address of the newest pending node.
    @usableFromInline let state: AtomicWord

    /// About how much work is pending: written on the contended path only, to notice a backlog.
    @usableFromInline let backlog = AtomicWord(0)

    /// Nobody is inside, nothing is pending.
    @inlinable @inline(__always)
    static var idle: UInt { 0 }

    /// Somebody is inside. Set by entering, cleared by leaving; once the loop is closed it is never cleared again.
    @inlinable @inline(__always)
    static var busy: UInt { 1 }

    /// The loop takes no more work. Never cleared.
    @inlinable @inline(__always)
    static var closed: UInt { 2 }

    /// The bits which are not the address of the newest pending node.
    @inlinable @inline(__always)
    static var flags: UInt { 3 }

    /// - Parameter entered: whether the creating thread is inside from the start.
    @inlinable
    package init(entered: Bool = false) {
        state = AtomicWord(entered ? 1 : 0)
    }

    /// Enters if nobody is inside and the loop is open.
    @inlinable @inline(__always)
    package func tryEnter() -> Bool {
        // Acquiring: paired with the release in `tryLeave`, so that work is ordered after the work of who was inside.
        state.compareExchange(Self.idle, Self.busy)
    }

    /// Leaves if nothing is pending and the loop is open. Only for the worker.
    ///
    /// - Returns: whether the caller has left. If not, it is still inside, and finds work in `takePending` or, when
    ///   `isClosed`, the duty to clean up.
    @inlinable @inline(__always)
    package func tryLeave() -> Bool {
        // Releasing: paired with the acquire in `tryEnter`.
        state.compareExchange(Self.busy, Self.idle)
    }

    /// Whether the loop was closed.
    @inlinable @inline(__always)
    package var isClosed: Bool { state.loadRelaxed() & Self.closed != 0 }

    /// Whether work was left that the worker has not taken.
    @inlinable @inline(__always)
    package var hasPending: Bool { state.loadRelaxed() > Self.flags }

    /// What became of work offered to the loop.
    @frozen
    @usableFromInline
    package enum Admission {
        /// Nobody was inside: the caller has entered and does the work itself. The node stays the caller's.
        case entered
        /// Somebody was inside and will do the work. About so much is pending now. The node is the loop's.
        case pending(Int)
        /// The loop is closed and takes no work. The node stays the caller's.
        case closed
    }

    /// Enters if nobody is inside, else leaves a node of work for whoever is.
    @usableFromInline
    package func enterOrPush(_ node: UnsafeMutablePointer<DrainNode>) -> Admission {
        while true {
            let head = state.loadRelaxed()
            if head & Self.closed != 0 { return .closed }
            if head == Self.idle {
                if tryEnter() { return .entered }
                continue
            }
            node.pointee.next = UnsafeMutablePointer(bitPattern: head & ~Self.flags)
            // Releasing: paired with the compare-exchange in `takePending`.
            if state.compareExchange(head, UInt(bitPattern: node) | Self.busy) {
                return .pending(Int(bitPattern: backlog.fetchAddRelaxed(1)) + 1)
            }
        }
    }

    /// Takes all pending work: a chain of nodes, oldest first. Only for the worker, or when nobody uses the loop any more.
    @usableFromInline
    package func takePending() -> UnsafeMutablePointer<DrainNode>? {
        var head = state.loadRelaxed()
        // Acquiring: paired with the push of each node.
        while !state.compareExchange(head, head & Self.flags) { head = state.loadRelaxed() }
        var oldestFirst: UnsafeMutablePointer<DrainNode>?
        var node = UnsafeMutablePointer<DrainNode>(bitPattern: head & ~Self.flags)
        var count: UInt = 0
        while let current = node {
            node = current.pointee.next
            current.pointee.next = oldestFirst
            oldestFirst = current
            count += 1
        }
        if count != 0 { _ = backlog.fetchAddRelaxed(0 &- count) }
        return oldestFirst
    }

    /// Closes the loop: no work is accepted from now on.
    ///
    /// - Returns: whether the caller has the duty to clean up what the work was for, being alone: nobody was inside. Else
    ///   the one inside finds the loop closed when it tries to leave, and cleans up then. That duty falls to one thread once.
    @usableFromInline
    package func close() -> Bool {
        while true {
            let head = state.loadRelaxed()
            if head & Self.closed != 0 { return false }
            if state.compareExchange(head, head | Self.closed | Self.busy) { return head == Self.idle }
        }
    }
}

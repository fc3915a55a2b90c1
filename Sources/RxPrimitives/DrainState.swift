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

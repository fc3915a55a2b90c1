// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// Tells whether a connection, the subscription to a source that others share, is still wanted.
///
/// The subscribers may all leave while the source is being subscribed to, or be bound to leave once another source has been. As in RxSwift
/// (law L11) the source runs on until that call returns, so that a short source ends properly. After `limit` unwanted elements the next one
/// cancels it.
///
/// A connection that is out of use is closed under the lock under which the next one is made, and cancelled outside of it: meanwhile its source may send to
/// a subject that both have.
struct ConnectionDemand: ~Copyable {
    /// `closed`, or `oneElement` times a count: 0 while the connection is wanted, else 1 + the number of elements that came since it became unwanted;
    /// plus `hasShare`, if `share` is set.
    private let word = AtomicWord(0)

    /// The share of a source that the connection holds, retained; 0 if it holds none. Of a group or a window the connection may be the only one
    /// that its source sends no elements to.
    private let share = AtomicWord(0)

    private static let hasShare: UInt = 1
    private static let oneElement: UInt = 2
    private static let limit: UInt = 1_024
    private static let closed = UInt.max

    deinit { knownShare?.release() }

    private var knownShare: Unmanaged<UpstreamShare>? {
        UnsafeRawPointer(bitPattern: share.loadRelaxed()).map(Unmanaged.fromOpaque)
    }

    /// A change that the share has to learn, after all locks were released: that may end its source.
    struct Change {
        fileprivate let share: UpstreamShare?
        fileprivate let isWanted: Bool

        func pass() { share?.connectionChanged(isWanted: isWanted) }
    }

    /// Records the stage to which the connection is about to be linked; called at most once.
    func connect(to stage: Stage) -> Change {
        guard let found = stage.share() else { return Change(share: nil, isWanted: true) }
        let share = unsafeDowncast(found, to: UpstreamShare.self)
        self.share.storeRelaxed(UInt(bitPattern: Unmanaged.passRetained(share).toOpaque()))
        // Publishes the share: paired with the exchanges in `end` and `resume`, which acquire.
        let before = replaceUnlessClosed { $0 | ConnectionDemand.hasShare }
        return Change(share: before >= ConnectionDemand.oneElement ? share : nil, isWanted: false)
    }

    /// Records that no subscriber wants the connection any more.
    func end() -> Change {
        let before = replaceUnlessClosed { $0 & ConnectionDemand.hasShare | ConnectionDemand.oneElement }
        return change(from: before, wasWanted: true)
    }

    /// Records that a subscriber wants the connection again.
    func resume() -> Change {
        if isWanted { return Change(share: nil, isWanted: true) }
        let before = replaceUnlessClosed { $0 & ConnectionDemand.hasShare }
        return change(from: before, wasWanted: false)
    }

    private func change(from before: UInt, wasWanted: Bool) -> Change {
        let isNew = before != ConnectionDemand.closed && (before < ConnectionDemand.oneElement) == wasWanted
        let hasShare = isNew && before & ConnectionDemand.hasShare != 0
        return Change(share: hasShare ? knownShare?.takeUnretainedValue() : nil, isWanted: !wasWanted)
    }

    /// Of two `refCount` over one connectable sequence, one may close the connection that the other one is about to use.
    private func replaceUnlessClosed(_ next: (UInt) -> UInt) -> UInt {
        while true {
            let before = word.loadRelaxed()
            if before == ConnectionDemand.closed || word.compareExchange(before, next(before)) { return before }
        }
    }

    /// Records that the connection is out of use. It is not resumed.
    // Relaxed: a thread that sends to the next connection comes after the lock under which that was made, and so sees the word.
    func close() { word.storeRelaxed(ConnectionDemand.closed) }

    /// True from `close` on.
    var isClosed: Bool { word.loadRelaxed() == ConnectionDemand.closed }

    /// True unless `end` was called after the last `resume`.
    var isWanted: Bool {
        @inline(__always) get { word.loadRelaxed() < ConnectionDemand.oneElement }
    }

    /// Counts an unwanted element. Returns whether there were so many that the source is to be cancelled.
    @inline(never)
    func isExhausted() -> Bool {
        let before = word.loadRelaxed()
        if before == ConnectionDemand.closed { return true }
        if before < ConnectionDemand.oneElement { return false }
        // The exchange fails if another thread has just subscribed.
        _ = word.compareExchange(before, before + ConnectionDemand.oneElement)
        return before / ConnectionDemand.oneElement > ConnectionDemand.limit
    }

    /// Counts an unwanted element, and takes the connection out of use after too many. Returns whether the caller has to cancel the connection.
    @inline(never)
    func endsNow() -> Bool {
        guard isExhausted() else { return false }
        while case let before = word.loadRelaxed(), before != ConnectionDemand.closed {
            if before < ConnectionDemand.oneElement { return false }
            if word.compareExchange(before, ConnectionDemand.closed) { break }
        }
        return true
    }
}

// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// Tells whether a connection, the subscription to a source that others share, is still wanted.
///
/// The subscribers may all leave while the source is being subscribed to. As in RxSwift (law L11) the source runs on until that
/// call returns, so that a short source ends properly. After `limit` elements without a subscriber the next one cancels it.
///
/// A connection that is out of use is closed under the lock under which the next one is made, and cancelled outside of it: meanwhile its source may send to
/// a subject that both have.
struct ConnectionDemand: ~Copyable {
    /// 0 while the connection is wanted, else 1 + the number of elements that came since it became unwanted; `closed` for ever.
    private let unwanted = AtomicWord(0)

    private static let limit: UInt = 1_024
    private static let closed = UInt.max

    /// Records that the last subscriber has left.
    func end() { replaceUnlessClosed(by: 1) }

    /// Records that there is a subscriber again.
    func resume() {
        if !isWanted { replaceUnlessClosed(by: 0) }
    }

    /// Of two `refCount` over one connectable sequence, one may close the connection that the other one is about to use.
    private func replaceUnlessClosed(by word: UInt) {
        while case let before = unwanted.loadRelaxed(), before != ConnectionDemand.closed {
            if unwanted.compareExchange(before, word) { return }
        }
    }

    /// Records that the connection is out of use. It is not resumed.
    // Relaxed: a thread that sends to the next connection comes after the lock under which that was made, and so sees the word.
    func close() { unwanted.storeRelaxed(ConnectionDemand.closed) }

    /// True from `close` on.
    var isClosed: Bool { unwanted.loadRelaxed() == ConnectionDemand.closed }

    /// True unless `end` was called after the last `resume`.
    var isWanted: Bool {
        @inline(__always) get { unwanted.loadRelaxed() == 0 }
    }

    /// Counts an unwanted element. Returns whether the source is to be cancelled.
    @inline(never)
    func isExhausted() -> Bool {
        let count = unwanted.loadRelaxed()
        if count == 0 || count == ConnectionDemand.closed { return count != 0 }
        // The exchange fails if another thread has just subscribed.
        _ = unwanted.compareExchange(count, count + 1)
        return count > ConnectionDemand.limit
    }
}

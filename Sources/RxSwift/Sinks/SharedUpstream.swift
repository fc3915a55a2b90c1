// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// A subscription to a source that several shares hold; it ends when the last share is released.
///
/// Any thread may take or release a share.
package final class SharedUpstream: Stage {
    /// `oneShare` for each share held, `wanting` for each of those that is wanted, and `ended` once shares that are taken change nothing any more.
    private let count = AtomicWord(0)
    /// Ends when no share is wanted.
    private let demand = ConnectionDemand()

    private static let ended: UInt = 1
    private static let oneShare: UInt = 2
    private static let wanting: UInt = 1 << 32

    /// - Parameter isPermanent: the subscription does not end with the last share.
    package init(isPermanent: Bool = false) {
        super.init()
        if isPermanent { count.storeRelaxed(Self.oneShare + Self.wanting) }
    }

    /// Notes the stage to which this one, or the sink that it stands for, is about to be linked.
    func willLink(_ stage: Stage) { demand.connect(to: stage).pass() }

    /// Takes a share. Returns false if the source has been cancelled, or will be at once, because no subscriber wanted it.
    fileprivate func join() -> Bool {
        let before = count.fetchAdd(Self.oneShare + Self.wanting)
        if before & Self.ended != 0 {
            leave(wasWanted: true)
            return false
        }
        if before < Self.wanting { updateDemand() }
        return true
    }

    fileprivate func leave(wasWanted: Bool) { change(by: 0 &- Self.oneShare &- (wasWanted ? Self.wanting : 0)) }

    fileprivate func shareChanged(isWanted: Bool) { change(by: isWanted ? Self.wanting : 0 &- Self.wanting) }

    /// The changes of one share may come in any order: the word is a sum.
    private func change(by difference: UInt) {
        let before = count.fetchAdd(difference)
        let after = before &+ difference
        if after == Self.ended || after == 0 && count.compareExchange(0, Self.ended) { return cancel() }
        if (before < Self.wanting) != (after < Self.wanting) { updateDemand() }
    }

    private var isWanted: Bool {
        // A read-modify-write gets the newest word: a thread that changes it later updates the demand later.
        count.fetchAdd(0) >= Self.wanting
    }

    private func updateDemand() {
        var isWanted = self.isWanted
        while true {
            (isWanted ? demand.resume() : demand.end()).pass()
            let before = isWanted
            isWanted = self.isWanted
            if isWanted == before { return }
        }
    }

    /// Counts an element, or that the source begins anew. The source is quiesced if there were many while no share was wanted.
    @inline(__always)
    package func countUnwanted() {
        if !demand.isWanted { countUnwantedSlowly() }
    }

    @inline(never)
    private func countUnwantedSlowly() {
        if demand.isExhausted(), endUnlessWanted() { abandonUpstream() }
    }

    private func endUnlessWanted() -> Bool {
        while case let word = count.loadRelaxed(), word < Self.wanting {
            if word & Self.ended != 0 || count.compareExchange(word, word | Self.ended) { return true }
        }
        return false
    }
}

/// One share of a subscription, released by `cancel()`. An upstream stage of its own may be linked to it.
package final class UpstreamShare: Stage {
    private let sharedUpstream: SharedUpstream
    /// `released`, or the sum of `abandoned`, if the share is, and `unwanted` for each connection below that has told that no subscriber wants it.
    private let state = AtomicWord(0)

    private static let abandoned: UInt = 1
    private static let unwanted: UInt = 2
    private static let released: UInt = 1 << 62

    package init(_ sharedUpstream: SharedUpstream) {
        self.sharedUpstream = sharedUpstream
        super.init()
        if !sharedUpstream.join() { state.storeRelaxed(Self.released) }
    }

    /// True if the share is released, also if the source had ended before the share was taken, because no subscriber wanted it.
    package var isReleased: Bool { state.loadRelaxed() == Self.released }

    private static func isWanted(_ state: UInt) -> Bool { state & abandoned == 0 && Int(bitPattern: state) <= 0 }

    private func change(_ next: (UInt) -> UInt) {
        while case let before = state.loadRelaxed(), before != Self.released {
            let after = next(before)
            guard state.compareExchange(before, after) else { continue }
            let isWanted = Self.isWanted(after)
            if isWanted != Self.isWanted(before) { sharedUpstream.shareChanged(isWanted: isWanted) }
            return
        }
    }

    /// Notes that a connection which holds this share is wanted again, or not any more. Two such calls may come in the wrong order.
    package func connectionChanged(isWanted: Bool) {
        change { isWanted ? $0 &- Self.unwanted : $0 &+ Self.unwanted }
    }

    package override func abandonSubscription() -> UInt {
        change { $0 | Self.abandoned }
        return 0
    }

    package override func findShare(_ share: inout Stage?) -> UInt {
        share = self
        return 0
    }

    package override func cancel() {
        guard let upstream = takeUpstream() else { return }
        upstream.take()?.cancel()
        let last = state.exchange(Self.released)
        if last != Self.released { sharedUpstream.leave(wasWanted: Self.isWanted(last)) }
    }
}

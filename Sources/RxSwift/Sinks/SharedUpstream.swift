// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// A subscription to a source that several shares hold; it ends when the last share is released.
///
/// Any thread may take or release a share.
final class SharedUpstream: Stage {
    /// The number of shares held, plus `wanting` times the number of those that are not abandoned. Once it is 0, the source is cancelled; shares taken
    /// later change nothing.
    private let count = AtomicWord(0)
    /// Ends when all shares are abandoned.
    private let demand = ConnectionDemand()

    private static let wanting: UInt = 1 << 32

    fileprivate func join() {
        _ = count.fetchAdd(1 + SharedUpstream.wanting)
        demand.resume()
    }

    /// Notes that a share will be released, whatever comes.
    fileprivate func abandonShare() { reduce(by: SharedUpstream.wanting) }

    fileprivate func leave(wasAbandoned: Bool) { reduce(by: wasAbandoned ? 1 : 1 + SharedUpstream.wanting) }

    private func reduce(by difference: UInt) {
        let before = count.fetchAdd(0 &- difference)
        let after = before &- difference
        if after == 0 { return cancel() }
        if before >= SharedUpstream.wanting, after < SharedUpstream.wanting { demand.end() }
    }

    /// Counts an element, or that the source begins anew. The source is quiesced if there were many while all shares were abandoned.
    @inline(__always)
    func countUnwanted() {
        if !demand.isWanted { countUnwantedSlowly() }
    }

    @inline(never)
    private func countUnwantedSlowly() {
        // The count decides: another thread may have taken a share between the last abandonment and the end of the demand.
        if count.loadRelaxed() >= SharedUpstream.wanting { return demand.resume() }
        if demand.isExhausted() { abandonUpstream() }
    }
}

/// One share of a subscription, released by `cancel()`. An upstream stage of its own may be linked to it.
final class UpstreamShare: Stage {
    private let sharedUpstream: SharedUpstream
    /// Only a thread that keeps all others from cancelling this stage writes this.
    private let isAbandoned = AtomicWord(0)

    init(_ sharedUpstream: SharedUpstream) {
        self.sharedUpstream = sharedUpstream
        super.init()
        sharedUpstream.join()
    }

    override func abandonSubscription() -> UInt {
        if isAbandoned.loadRelaxed() == 0 {
            isAbandoned.storeRelaxed(1)
            sharedUpstream.abandonShare()
        }
        return 0
    }

    override func cancel() {
        guard let upstream = takeUpstream() else { return }
        upstream.take()?.cancel()
        sharedUpstream.leave(wasAbandoned: isAbandoned.loadRelaxed() != 0)
    }
}

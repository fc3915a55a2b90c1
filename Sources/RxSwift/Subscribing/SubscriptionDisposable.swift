// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// The disposable that `subscribe` returns: the lower end of a subscription's chain, where cancellation starts.
///
/// The observer's sink asks it before each event whether the subscription was disposed of. The sink itself is held by the
/// chain only, so that a disposable kept by the user keeps nothing else alive once the subscription has ended.
@usableFromInline
package final class SubscriptionDisposable: Stage, Cancelable {
    /// The user's closure. Only the thread that takes the upstream, in the end, accesses it.
    @exclusivity(unchecked) private var onDisposed: (() -> Void)?

    /// The word of the upstream while the user's closure for the terminal event runs, else 0. Who exchanges it for 0 cancels the chain.
    private let ending = AtomicWord(0)

    /// The thread that is inside `subscribe`, whose caller does not know this object yet; 0 from `wasHandedOut` on.
    // Relaxed: only that thread compares it with its own identity.
    private let subscriber = AtomicWord(CurrentThread.identity)

    @usableFromInline
    package init(onDisposed: (() -> Void)? = nil) {
        self.onDisposed = onDisposed
        super.init()
    }

    /// Notes that `subscribe` returns this object. Called by the thread that has made it.
    @usableFromInline
    package func wasHandedOut() { subscriber.storeRelaxed(0) }

    @usableFromInline
    package var isDisposed: Bool { isCancelled }

    @usableFromInline
    package func dispose() {
        if let upstream = takeUpstream() ?? takeEnding() { cancelChain(upstream) }
    }

    @usableFromInline
    package override func cancel() { dispose() }

    /// Releases a chain from which no event will come any more. The subscription stays open until the user disposes of it.
    package func unlink() {
        // Acquiring: paired with the compare-exchange in `link`.
        let word = upstream.loadAcquiring()
        guard word > Stage.cancelled, upstream.compareExchange(word, Stage.unlinked) else { return }
        Upstream(word: word).take()?.cancel()
    }

    /// Cancels the chain above, and runs `onDisposed`. The caller has taken the upstream.
    @inline(__always)
    package func cancelChain(_ upstream: Upstream) {
        let onDisposed = self.onDisposed
        self.onDisposed = nil
        upstream.take()?.cancel()
        onDisposed?()
    }

    // MARK: The terminal event

    /// Passes a terminal event to the user, and cancels the chain above behind that. A `dispose()` while the user's closure runs, on any thread, cancels
    /// the chain at once. One that comes later does not wait for this thread.
    ///
    /// - Parameters:
    ///   - upstream: the upstream, which the caller has taken.
    ///   - callback: passes the event on.
    @inline(__always)
    package func end(_ upstream: Upstream, _ callback: () -> Void) {
        upstream.quiesce()
        guard upstream.isLinked, mayBeDisposedOf else {
            callback()
            return cancelChain(upstream)
        }
        // Publishing: paired with the exchange in `takeEnding`.
        ending.storePublishing(upstream.word)
        callback()
        if let upstream = takeEnding() { cancelChain(upstream) }
    }

    /// False if the user cannot hold this object: `subscribe` has not returned it yet, or only the caller, the sink, holds it.
    private var mayBeDisposedOf: Bool {
        subscriber.loadRelaxed() != CurrentThread.identity
            && !RuntimeLayout.isHeldOnce(Unmanaged.passUnretained(self).toOpaque())
    }

    private func takeEnding() -> Upstream? {
        if ending.loadRelaxed() == 0 { return nil }
        let word = ending.exchange(0)
        return word == 0 ? nil : Upstream(word: word)
    }

    /// Passes on a terminal event that passed a `do`, and runs `onDisposed` and `after`; then cancels the chain above.
    ///
    /// - Parameters:
    ///   - upstream: the upstream that the caller has taken, nil if it was taken before.
    ///   - after: the closure that `do` runs after the event: after the user's `onDisposed`, before the chain above is cancelled, as
    ///     in RxSwift.
    ///   - callback: passes the event on; not called if the upstream was taken before.
    package func end(_ upstream: Upstream?, after: () -> Void, _ callback: () -> Void) {
        guard let upstream else { return after() }
        upstream.quiesce()
        if upstream.isLinked { ending.storePublishing(upstream.word) }
        callback()
        let left = upstream.isLinked ? takeEnding() : upstream
        if left != nil {
            let onDisposed = self.onDisposed
            self.onDisposed = nil
            onDisposed?()
        }
        after()
        left?.take()?.cancel()
    }
}

// SPDX-License-Identifier: Apache-2.0

/// The disposable that `subscribe` returns: the lower end of a subscription's chain, where cancellation starts.
///
/// The observer's sink asks it before each event whether the subscription was disposed of. The sink itself is held by the
/// chain only, so that a disposable kept by the user keeps nothing else alive once the subscription has ended.
@usableFromInline
package final class SubscriptionDisposable: Stage, Cancelable {
    /// The user's closure. Only the thread that takes the upstream accesses it.
    @exclusivity(unchecked) private var onDisposed: (() -> Void)?

    @usableFromInline
    package init(onDisposed: (() -> Void)? = nil) {
        self.onDisposed = onDisposed
        super.init()
    }

    @usableFromInline
    package var isDisposed: Bool { isCancelled }

    @usableFromInline
    package func dispose() {
        if let upstream = takeUpstream() { cancelChain(upstream) }
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

    /// Runs `onDisposed` and `after`, then cancels the chain above, for a terminal event that passed a `do`.
    ///
    /// - Parameters:
    ///   - upstream: the upstream that the caller has taken, nil if it was taken before.
    ///   - after: the closure that `do` runs after the event: after the user's `onDisposed`, before the chain above is cancelled, as
    ///     in RxSwift.
    package func cancelChain(_ upstream: Upstream?, after: () -> Void) {
        if upstream != nil {
            let onDisposed = self.onDisposed
            self.onDisposed = nil
            onDisposed?()
        }
        after()
        upstream?.take()?.cancel()
    }
}

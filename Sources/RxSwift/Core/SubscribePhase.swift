// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// Postpones the release of a stage's sources if the stage is cancelled while it is still subscribing to them.
///
/// If the subscribing thread cancels the stage, it releases the sources subscribed to so far after it has subscribed to the rest: in RxSwift's
/// order (law L11), so that no later source starts anew what it shares with an earlier one. A cancellation by another thread does
/// not wait. Cost: stores without ordering, no read-modify-write.
struct SubscribePhase: ~Copyable {
    /// `none`, the identity of the thread that subscribes, or `postponed`.
    ///
    /// Relaxed: only that thread stores, and any other one finds a word that is not its own identity.
    private let state: AtomicWord

    /// The word while no thread subscribes.
    private static let none: UInt = 0
    /// The word from when the subscribing thread has cancelled the stage until the phase ends.
    private static let postponed = UInt.max

    /// - Parameter begun: whether the creating thread subscribes from the start.
    init(begun: Bool = false) { state = AtomicWord(begun ? CurrentThread.identity : SubscribePhase.none) }

    /// Begins the phase: the calling thread subscribes until `end`.
    func begin() { state.storeRelaxed(CurrentThread.identity) }

    /// True if the calling thread is subscribing to sources.
    var isOnStack: Bool { state.loadRelaxed() == CurrentThread.identity }

    /// True if a release was postponed that the subscribing thread has yet to do.
    var hasPostponed: Bool { state.loadRelaxed() == SubscribePhase.postponed }

    /// Returns whether the caller has to postpone the release to the end. True at most once between `begin` and `end`.
    func postpones() -> Bool {
        guard isOnStack else { return false }
        state.storeRelaxed(SubscribePhase.postponed)
        return true
    }

    /// Returns whether a release was postponed, which the caller does now.
    func end() -> Bool {
        let known = state.loadRelaxed()
        let isPostponed = known == SubscribePhase.postponed
        // A source that ended on another thread may have been followed by one to which that thread is subscribing.
        if isPostponed || known == CurrentThread.identity { state.storeRelaxed(SubscribePhase.none) }
        return isPostponed
    }
}

/// The inner source that an operator is subscribing to, one at a time.
///
/// Relaxed: only the thread that subscribes makes use of the answer that it is this one.
struct InnerSubscribePhase: ~Copyable {
    /// 0, or the address of the inner sink.
    private let address = AtomicWord(0)

    /// Notes that the inner sink is being subscribed to until `end`.
    func begin(_ inner: AnyObject) { address.storeRelaxed(Self.address(of: inner)) }

    func end() { address.storeRelaxed(0) }

    /// Tells whether this inner sink is being subscribed to.
    func isSubscribing(_ inner: AnyObject) -> Bool { address.loadRelaxed() == Self.address(of: inner) }

    private static func address(of inner: AnyObject) -> UInt {
        UInt(bitPattern: Unmanaged.passUnretained(inner).toOpaque())
    }
}

extension Stage {
    /// Passes on a terminal event of the source, and cancels the source.
    ///
    /// A source that ends inside its own subscription is cancelled after the event and the closures of `do` that follow it, regardless
    /// of what the downstream does: in RxSwift's order (law L11), where that subscription is not known yet. Only the thread that
    /// brings the event calls this.
    /// - Parameters:
    ///   - subscribePhase: tells whether the calling thread is subscribing to the source.
    ///   - tell: passes the event on.
    ///   - after: runs after the event, for `do`.
    @inline(__always)
    func end(_ subscribePhase: borrowing SubscribePhase, _ tell: () -> Void, then after: () -> Void = {}) {
        end(isSubscribing: subscribePhase.isOnStack, tell, then: after)
    }

    /// See `end`.
    @inline(__always)
    func end(isSubscribing: Bool, _ tell: () -> Void, then after: () -> Void) {
        guard isSubscribing else {
            tell()
            cancel()
            return after()
        }
        endInside(tell, then: after)
    }

    /// Ends this stage with an event of a source that ends inside its own subscription: passes the event on, runs `after`, cancels the source.
    ///
    /// A method of its own, so that the usual path needs no more room on the stack (law L8).
    @inline(never)
    func endInside(_ tell: () -> Void, then after: () -> Void) {
        let source = takeUpstream()
        source?.quiesce()
        tell()
        after()
        // Finds the source taken already, and ends the rest, if the downstream has not cancelled this stage.
        cancel()
        source?.take()?.cancel()
    }

    /// Cancels an inner source that has failed, and runs `after`, the closures that `do` runs after the error.
    ///
    /// The operator cancels first, unless it has put off the cancellation of its inner sources: then `do` runs first (law L11).
    @inline(__always)
    func cancel(isPostponed: Bool, _ after: () -> Void) {
        if isPostponed { after() }
        cancel()
        if !isPostponed { after() }
    }
}

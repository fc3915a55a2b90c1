/// A user's action that a scheduler holds, and the disposable that `schedule` returns for it.
///
/// Disposing keeps an action that has not started from running, and releases it; later it disposes of what the action
/// returned. From any thread; `run` is called once, by the scheduler.
///
/// By itself for schedulers that keep disposed actions until their turn comes; the others use `ActionJob`.
@usableFromInline
package class ScheduledAction: Job, Cancelable {
    // Its claim is `upstream`. Changed by `refill` only.
    @exclusivity(unchecked) private final var action: HeldAction

    package convenience init(_ action: consuming UserAction) {
        let claim = HeldAction.claim(of: action)
        self.init(HeldAction(action), claim: claim)
    }

    init(_ action: HeldAction, claim: UInt) {
        self.action = action
        super.init()
        upstream.storeRelaxed(claim)
    }

    deinit { action.release(upstream) }

    @usableFromInline
    package final var isDisposed: Bool { isCancelled }

    @usableFromInline
    package final func dispose() { cancel() }

    package final override func run(_ budget: inout Int) -> Bool {
        budget -= 1
        action.run(upstream)
        return true
    }

    package override func cancel() { _ = action.cancel(upstream) }

    // Not part of a chain.
    package override func quiesce() -> UInt { 0 }

    // MARK: Using it again

    /// Whether the action ran, and left nothing to be disposed of.
    final var isSpent: Bool { HeldAction.isSpent(upstream) }

    /// Takes another action, when it is spent and nobody else knows this object any more.
    @inline(__always)
    final func refill(_ action: consuming UserAction) {
        upstream.storeRelaxed(HeldAction.claim(of: action))
        self.action = HeldAction(action)
    }
}

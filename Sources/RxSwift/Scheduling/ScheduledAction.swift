// SPDX-License-Identifier: Apache-2.0

/// A user's action that a scheduler holds, and the disposable that `schedule` returns for it.
///
/// Disposing keeps an action that has not started from running, and releases it; later it disposes of the disposable that the action
/// returned. Any thread may dispose. The scheduler calls `run` once.
///
/// Schedulers that keep disposed actions until their turn comes use this class as it is; the others use `ActionJob`.
@usableFromInline
package class ScheduledAction: Job, Cancelable {
    // The claim of the action is `upstream`. Only `refill` changes this field.
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

    // A scheduled action is not part of a chain.
    package override func quiesce() -> UInt { 0 }

    // MARK: Using it again

    /// True if the action ran and left nothing to be disposed of.
    final var isDone: Bool { HeldAction.isDone(upstream) }

    /// Stores another action in this object, which is done and has no other reference to it.
    @inline(__always)
    final func refill(_ action: consuming UserAction) {
        upstream.storeRelaxed(HeldAction.claim(of: action))
        self.action = HeldAction(action)
    }
}

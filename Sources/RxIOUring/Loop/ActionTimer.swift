// SPDX-License-Identifier: Apache-2.0

import RxPrimitives
public import RxSwift

/// An action that waits for its time on a loop, and the disposable that `scheduleRelative` returns for it.
///
/// One object, for which the allocator takes 96 bytes, is both. Disposing releases the action at once, and takes the timer off the wheel.
@usableFromInline
final class ActionTimer: LoopTimer, Cancelable {
    /// The state of the action: see `HeldAction`.
    private let claim: AtomicWord
    @exclusivity(unchecked) private var action: HeldAction

    init(_ action: consuming UserAction) {
        claim = AtomicWord(HeldAction.claim(of: action))
        self.action = HeldAction(action)
        super.init()
        #if TRACE_RESOURCES
            ResourceCensus.born(ActionTimer.self)
        #endif
    }

    deinit {
        #if TRACE_RESOURCES
            ResourceCensus.died(ActionTimer.self)
        #endif
        action.release(claim)
    }

    @usableFromInline
    var isDisposed: Bool { HeldAction.isCancelled(claim) }

    /// True if the timer was disposed of, or has fired and left nothing to dispose of.
    var isFinished: Bool { HeldAction.isCancelled(claim) || HeldAction.isDone(claim) }

    /// Takes another action, when the timer is over and no other code refers to this object any more.
    func reuse(_ action: consuming UserAction) {
        // Acquiring: paired with the exchange in `HeldAction.cancel`, before which another thread has read the action. That
        // thread's release of this object orders as much, but ThreadSanitizer does not see how references are counted.
        _ = claim.loadAcquiring()
        claim.storeRelaxed(HeldAction.claim(of: action))
        self.action = HeldAction(action)
    }

    override func fire() { action.run(claim) }

    override func drop() -> Bool { action.cancel(claim) }

    @usableFromInline
    func dispose() {
        if action.cancel(claim) { LoopTimers.removeFromItsLoop(self) }
    }
}

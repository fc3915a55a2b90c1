import RxPrimitives

/// A user's action that a scheduler holds, and the disposable that `schedule` returns for it.
///
/// Disposing keeps an action that has not started from running, and releases it; later it disposes of what the action
/// returned. From any thread; `run` is called once, by the scheduler.
/// By itself for schedulers that keep disposed actions until their turn comes; the others use `ActionJob`.
@usableFromInline
package class ScheduledAction: Job, Cancelable {
    /// 0: waiting. 1: claimed by the one that runs or drops the action, for ever.
    private let claim = AtomicWord(0)

    /// Belongs to the one that claims it.
    private var action: (() -> any Disposable)?

    // Usable from inline, else dependents are warned of a recursion in the subclass that is none.
    @usableFromInline
    package init(_ action: @escaping () -> any Disposable) {
        self.action = action
        super.init()
    }

    @usableFromInline
    package final var isDisposed: Bool { isCancelled }

    @usableFromInline
    package final func dispose() { cancel() }

    package final override func run(_ budget: inout Int) -> Bool {
        budget -= 1
        if let result = takeAction()?() {
            // Most actions have nothing to dispose of: no stage is made for them. Not `is`, which takes ten times as long.
            if type(of: result) != EmptyDisposable.self { link(DisposableStage(result)) }
        }
        return true
    }

    package override func cancel() {
        guard let upstream = takeUpstream() else { return }
        _ = takeAction()
        upstream.take()?.cancel()
    }

    final func takeAction() -> (() -> any Disposable)? {
        guard claim.exchange(1) == 0 else { return nil }
        let taken = action
        action = nil
        return taken
    }
}

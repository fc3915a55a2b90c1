public import RxPrimitives

/// A user's action that a scheduler holds, and the disposable that `schedule` returns for it.
///
/// Disposing keeps an action that has not started from running, and releases it; later it disposes of what the action
/// returned. From any thread; `run` is called once, by the scheduler.
@usableFromInline
package class ScheduledAction: Job, Cancelable {
    /// 0: waiting. 1: claimed by the one that runs or drops the action, for ever.
    @usableFromInline final let claim = AtomicWord(0)

    @inlinable
    package override init() { super.init() }

    /// Runs the action and lets go of it. Called by the one that claimed it.
    @usableFromInline
    package func runAction() -> any Disposable { abstractMethod() }

    /// Lets go of the action. Called by the one that claimed it.
    @usableFromInline
    package func dropAction() { abstractMethod() }

    @usableFromInline
    package final var isDisposed: Bool { isCancelled }

    @usableFromInline
    package final func dispose() { cancel() }

    package final override func run(_ budget: inout Int) -> Bool {
        budget -= 1
        guard claim.exchange(1) == 0 else { return true }
        let result = runAction()
        // Most actions have nothing to dispose of: no stage is made for them.
        if !Job.isEmpty(result) { link(DisposableStage(result)) }
        return true
    }

    package override func cancel() {
        guard let upstream = takeUpstream() else { return }
        if claim.exchange(1) == 0 { dropAction() }
        upstream.take()?.cancel()
    }
}

/// An action without a state, or one that was put into the closure.
///
/// By itself for schedulers that keep disposed actions until their turn comes; the others use `ActionJob`.
@usableFromInline
package class ClosureAction: ScheduledAction {
    /// Belongs to the one that claims it.
    @exclusivity(unchecked) private final var action: ((()) -> any Disposable)?

    @usableFromInline
    package init(_ action: @escaping (()) -> any Disposable) {
        self.action = action
        super.init()
    }

    package final override func runAction() -> any Disposable { takeAction()!(()) }

    package final override func dropAction() { _ = takeAction() }

    private final func takeAction() -> ((()) -> any Disposable)? {
        let taken = action
        action = nil
        return taken
    }
}

/// An action with its state beside it: one allocation less than a closure around both. For states that hold no reference, as
/// the state is there as long as the disposable.
@usableFromInline
package final class StateAction<State>: ScheduledAction {
    @usableFromInline let state: State
    /// Belongs to the one that claims it.
    @exclusivity(unchecked) @usableFromInline var action: ((State) -> any Disposable)?

    @inlinable
    package init(_ state: State, _ action: @escaping (State) -> any Disposable) {
        self.state = state
        self.action = action
        super.init()
    }

    package override func runAction() -> any Disposable { takeAction()!(state) }

    package override func dropAction() { _ = takeAction() }

    private func takeAction() -> ((State) -> any Disposable)? {
        let taken = action
        action = nil
        return taken
    }
}

extension Job {
    /// Whether an action returned nothing that would have to be disposed of.
    package static func isEmpty(_ result: any Disposable) -> Bool {
        // What `type(of:)` finds for a type that is no class, without the call: behind three words of room stands the type.
        withUnsafeBytes(of: result) { words in
            words.load(fromByteOffset: 3 * MemoryLayout<UInt>.size, as: UInt.self) == Job.emptyDisposable
        }
    }

    private static let emptyDisposable = UInt(bitPattern: unsafeBitCast(EmptyDisposable.self, to: Int.self))
}

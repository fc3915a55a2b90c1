public import RxPrimitives
public import RxSwift

/// An action that waits for its time on a loop, and the disposable that `scheduleRelative` returns for it.
///
/// Both in one object, of 88 bytes at most without the closure's own. Disposing releases the action at once, and takes the
/// timer off the wheel.
@usableFromInline
class ActionTimer: LoopTimer, Cancelable {
    /// `waiting`, until it is claimed: `disposed` by `dispose`, for ever; `started` by the loop, and then maybe the address
    /// of the disposable that the action returned, in a stage, retained.
    @usableFromInline final let claim = AtomicWord(0)

    private static var waiting: UInt { 0 }
    private static var disposed: UInt { 1 }
    private static var started: UInt { 2 }

    @usableFromInline
    override init() {
        super.init()
        #if TRACE_RESOURCES
            ResourceCensus.born(Self.self)
        #endif
    }

    /// Runs the action and lets go of it. Called by the one that claimed it.
    func runAction() -> any Disposable { fatalError("swift-rx: a subclass has to implement this method") }

    /// Lets go of the action. Called by the one that claimed it.
    func dropAction() { fatalError("swift-rx: a subclass has to implement this method") }

    @usableFromInline
    final var isDisposed: Bool { claim.loadRelaxed() == ActionTimer.disposed }

    final override func fire() {
        guard claim.compareExchange(ActionTimer.waiting, ActionTimer.started) else { return }
        let result = runAction()
        // Most actions have nothing to dispose of.
        if Job.isEmpty(result) { return }
        let stage = Unmanaged.passRetained(DisposableStage(result) as Stage)
        // Releasing: paired with the exchange in `dispose`.
        if !claim.compareExchange(ActionTimer.started, UInt(bitPattern: stage.toOpaque())) {
            stage.takeRetainedValue().cancel()
        }
    }

    final override func drop() -> Bool {
        guard claim.exchange(ActionTimer.disposed) == ActionTimer.waiting else { return false }
        dropAction()
        return true
    }

    @usableFromInline
    final func dispose() {
        // Acquiring: paired with the compare-exchange in `fire`.
        let before = claim.exchange(ActionTimer.disposed)
        if before == ActionTimer.waiting {
            dropAction()
            LoopTimers.removeFromItsLoop(self)
        } else if before > ActionTimer.started {
            Unmanaged<Stage>.fromOpaque(UnsafeRawPointer(bitPattern: before)!).takeRetainedValue().cancel()
        }
    }

    deinit {
        #if TRACE_RESOURCES
            ResourceCensus.died(Self.self)
        #endif
        let last = claim.loadRelaxed()
        if last > ActionTimer.started {
            Unmanaged<Stage>.fromOpaque(UnsafeRawPointer(bitPattern: last)!).release()
        }
    }
}

/// An action without a state, or one that was put into the closure.
final class ClosureTimer: ActionTimer {
    /// Belongs to the one that claims it.
    @exclusivity(unchecked) private var action: ((()) -> any Disposable)?

    init(_ action: @escaping (()) -> any Disposable) {
        self.action = action
        super.init()
    }

    override func runAction() -> any Disposable { takeAction()!(()) }

    override func dropAction() { _ = takeAction() }

    private func takeAction() -> ((()) -> any Disposable)? {
        let taken = action
        action = nil
        return taken
    }
}

/// An action with its state beside it: one allocation less than a closure around both. For states that hold no reference, as
/// the state is there as long as the disposable.
@usableFromInline
final class StateTimer<State>: ActionTimer {
    private let state: State
    /// Belongs to the one that claims it.
    @exclusivity(unchecked) private var action: ((State) -> any Disposable)?

    // Not inlined: where the type of the state is known, the compiler would wrap the action once more, in an allocation.
    @usableFromInline
    init(_ state: State, _ action: @escaping (State) -> any Disposable) {
        self.state = state
        self.action = action
        super.init()
    }

    override func runAction() -> any Disposable { takeAction()!(state) }

    override func dropAction() { _ = takeAction() }

    private func takeAction() -> ((State) -> any Disposable)? {
        let taken = action
        action = nil
        return taken
    }
}

/// The same for a state that is a reference to an object, which is let go of with the action.
@usableFromInline
final class ObjectTimer<State>: ActionTimer {
    /// The object, retained; nil when it was let go of. Belongs to the one that claims the action.
    @exclusivity(unchecked) private var object: AnyObject?
    /// The same.
    @exclusivity(unchecked) private var action: ((State) -> any Disposable)?

    // Not inlined: as above.
    @usableFromInline
    init(_ state: State, _ action: @escaping (State) -> any Disposable) {
        object = unsafeBitCast(state, to: AnyObject.self)
        self.action = action
        super.init()
    }

    override func runAction() -> any Disposable {
        var taken = object
        object = nil
        let action = takeAction()!
        // The object as the state that it is.
        return withUnsafeMutablePointer(to: &taken) {
            $0.withMemoryRebound(to: State.self, capacity: 1) { action($0.pointee) }
        }
    }

    override func dropAction() {
        let taken = object
        object = nil
        _ = takeAction()
        withExtendedLifetime(taken) {}
    }

    private func takeAction() -> ((State) -> any Disposable)? {
        let taken = action
        action = nil
        return taken
    }
}

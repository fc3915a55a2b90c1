import RxPrimitives
public import RxSwift

/// An action that waits for its time on a loop, and the disposable that `scheduleRelative` returns for it.
///
/// One object of 88 bytes when the state is a word or less: the timer, the action and its state. Disposing releases the action at
/// once, and takes the timer off the wheel.
@usableFromInline
final class ActionTimer<State>: ActionTimerBase {
    @exclusivity(unchecked) private var action: ((State) -> any Disposable)?
    @exclusivity(unchecked) private var state: State?

    @usableFromInline
    init(_ state: State, _ action: @escaping (State) -> any Disposable) {
        self.state = state
        self.action = action
        super.init()
    }

    override func runAction() -> any Disposable {
        defer { releaseAction() }
        return action!(state!)
    }

    override func releaseAction() {
        // Released when this returns: their deinits may be a user's.
        let released = (action, state)
        action = nil
        state = nil
        withExtendedLifetime(released) {}
    }
}

/// The part of an `ActionTimer` that does not depend on the type of its state.
@usableFromInline
class ActionTimerBase: LoopTimer, Cancelable {
    /// `waiting`, until it is claimed: `disposed` by `dispose`, for ever; `started` by the loop, and then maybe the address of the
    /// disposable that the action returned, in a stage, retained.
    private final let claim = AtomicWord(0)

    private static var waiting: UInt { 0 }
    private static var disposed: UInt { 1 }
    private static var started: UInt { 2 }

    /// Runs the action, and lets go of it. By the one that started it.
    func runAction() -> any Disposable { fatalError("swift-rx: a subclass has to implement this method") }

    /// By the one that claimed it.
    func releaseAction() { fatalError("swift-rx: a subclass has to implement this method") }

    @usableFromInline
    final var isDisposed: Bool { claim.loadRelaxed() == Self.disposed }

    final override func fire() {
        guard claim.compareExchange(Self.waiting, Self.started) else { return }
        let result = runAction()
        if Job.isEmpty(result) { return }
        let stage = Unmanaged.passRetained(DisposableStage(result) as Stage)
        if !claim.compareExchange(Self.started, UInt(bitPattern: stage.toOpaque())) {
            stage.takeRetainedValue().cancel()
        }
    }

    final override func drop() -> Bool {
        guard claim.exchange(Self.disposed) == Self.waiting else { return false }
        releaseAction()
        return true
    }

    @usableFromInline
    final func dispose() {
        let before = claim.exchange(Self.disposed)
        if before == Self.waiting {
            releaseAction()
            LoopTimers.removeFromItsLoop(self)
        } else if before > Self.started {
            Unmanaged<Stage>.fromOpaque(UnsafeRawPointer(bitPattern: before)!).takeRetainedValue().cancel()
        }
    }

    deinit {
        let last = claim.loadRelaxed()
        if last > Self.started { Unmanaged<Stage>.fromOpaque(UnsafeRawPointer(bitPattern: last)!).release() }
    }
}

import RxPrimitives

/// A user's action that an object holds: to be run or dropped, once.
///
/// The object keeps a word, the claim, that tells who may do so. The life of it: the mark of a waiting action, by its kind;
/// `started` from when it is run, and then maybe the address of a stage, retained, that ends what the action returned;
/// `cancelled` from when it is disposed of, for ever. Who changes the claim from a waiting one has claimed the action.
///
/// Threads: `cancel` from any; `run` once, by the scheduler.
@usableFromInline
package struct HeldAction {
    private let state: UInt
    private let code: (UInt, UInt)

    // The claim of a stage is its `upstream`.
    private static var waitingWithoutState: UInt { Stage.unlinked }
    private static var cancelled: UInt { Stage.cancelled }
    private static var started: UInt { 2 }
    private static var waitingWithPlainState: UInt { 6 }
    private static var waitingWithObject: UInt { 4 }

    /// The claim has to be set to `claim(of:)` then.
    @inline(__always)
    package init(_ action: consuming UserAction) {
        state = action.state
        code = action.code
    }

    /// The claim to an action that waits.
    @inline(__always)
    package static func claim(of action: borrowing UserAction) -> UInt {
        switch action.kind {
        case .withoutState: return waitingWithoutState
        case .withPlainState: return waitingWithPlainState
        case .withObject: return waitingWithObject
        }
    }

    /// Whether an action was disposed of.
    @inline(__always)
    package static func isCancelled(_ claim: borrowing AtomicWord) -> Bool { claim.loadRelaxed() == cancelled }

    /// Whether an action ran, and left nothing to be disposed of.
    @inline(__always)
    package static func isSpent(_ claim: borrowing AtomicWord) -> Bool { claim.loadRelaxed() == started }

    /// Runs the action and lets go of it, unless it was cancelled.
    @inline(__always)
    package func run(_ claim: borrowing AtomicWord) {
        let before = claim.loadRelaxed()
        guard before != HeldAction.cancelled, claim.compareExchange(before, HeldAction.started) else { return }
        let result = runBody(claimedAs: before)
        // Most actions have nothing to dispose of: no stage is made for them.
        if !HeldAction.isEmpty(result) { HeldAction.keep(result, claim) }
    }

    @inline(__always)
    private func runBody(claimedAs mark: UInt) -> any Disposable {
        if mark == HeldAction.waitingWithoutState {
            return RuntimeLayout.body(code, as: UserAction.StatelessBody.self).call(())
        }
        let result = RuntimeLayout.body(code, as: UserAction.Body<UInt>.self).call(state)
        if mark == HeldAction.waitingWithObject { object.release() }
        return result
    }

    @inline(never)
    private static func keep(_ result: any Disposable, _ claim: borrowing AtomicWord) {
        let stage = Unmanaged<Stage>.passRetained(DisposableStage(result))
        // Releasing: paired with the exchange in `cancel`.
        if !claim.compareExchange(started, UInt(bitPattern: stage.toOpaque())) { stage.takeRetainedValue().cancel() }
    }

    /// Lets go of an action that waits, or disposes of what it returned.
    ///
    /// - Returns: whether it was waiting.
    package func cancel(_ claim: borrowing AtomicWord) -> Bool {
        // Acquiring: paired with the compare-exchange in `keep`.
        let before = claim.exchange(HeldAction.cancelled)
        if before > Stage.maxTag { HeldAction.stage(at: before).cancel() }
        return drop(claimedAs: before)
    }

    /// Lets go of all there is, in the deinit of the object.
    @inline(__always)
    package func release(_ claim: borrowing AtomicWord) {
        let last = claim.loadRelaxed()
        if last == HeldAction.started { return }
        claim.storeRelaxed(HeldAction.cancelled)
        if last > Stage.maxTag { _ = HeldAction.stage(at: last) }
        _ = drop(claimedAs: last)
    }

    private static func stage(at address: UInt) -> Stage {
        Unmanaged<Stage>.fromOpaque(UnsafeRawPointer(bitPattern: address)!).takeRetainedValue()
    }

    /// Returns whether it was waiting.
    private func drop(claimedAs mark: UInt) -> Bool {
        switch mark {
        case HeldAction.waitingWithObject:
            _ = RuntimeLayout.body(code, as: UserAction.StatelessBody.self)
            object.release()
        case HeldAction.waitingWithoutState, HeldAction.waitingWithPlainState:
            _ = RuntimeLayout.body(code, as: UserAction.StatelessBody.self)
        default:
            return false
        }
        return true
    }

    private var object: Unmanaged<AnyObject> { .fromOpaque(UnsafeRawPointer(bitPattern: state)!) }

    /// Whether an action returned nothing that would have to be disposed of.
    private static func isEmpty(_ result: any Disposable) -> Bool {
        RuntimeLayout.holds(.existentials)
            ? RuntimeLayout.typeWord(of: result) == RuntimeLayout.word(of: EmptyDisposable.self)
            : type(of: result) == EmptyDisposable.self
    }
}

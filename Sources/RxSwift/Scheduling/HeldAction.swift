import RxPrimitives

/// A user's action that an object, its owner, holds to be run or dropped once.
///
/// The owner keeps a word, the claim, that decides which thread may do so. It starts as the tag of a waiting action, by kind. Running
/// the action changes it to `started`, and then possibly to the address of a stage, retained, that disposes of the disposable that
/// the action returned. Disposal changes it to `cancelled`, for ever. The thread that changes the claim from a waiting tag has
/// claimed the action.
///
/// Threads: any thread may call `cancel`; the scheduler calls `run` once.
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

    /// Takes over the action. The caller has to set the claim to `claim(of:)`.
    @inline(__always)
    package init(_ action: consuming UserAction) {
        state = action.state
        code = action.code
    }

    /// The claim of an action that waits, by its kind.
    @inline(__always)
    package static func claim(of action: borrowing UserAction) -> UInt {
        switch action.kind {
        case .withoutState: return waitingWithoutState
        case .withPlainState: return waitingWithPlainState
        case .withObject: return waitingWithObject
        }
    }

    /// True if the action was disposed of.
    @inline(__always)
    package static func isCancelled(_ claim: borrowing AtomicWord) -> Bool { claim.loadRelaxed() == cancelled }

    /// True if the action ran and left nothing to be disposed of.
    @inline(__always)
    package static func isSpent(_ claim: borrowing AtomicWord) -> Bool { claim.loadRelaxed() == started }

    /// Runs the action and releases it, unless it was cancelled.
    @inline(__always)
    package func run(_ claim: borrowing AtomicWord) {
        let before = claim.loadRelaxed()
        guard before != HeldAction.cancelled, claim.compareExchange(before, HeldAction.started) else { return }
        let result = runBody(claimedAs: before)
        // Most actions return nothing to dispose of, and need no stage.
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

    /// Releases an action that waits, or disposes of the disposable that it returned.
    ///
    /// - Returns: true if the action was waiting.
    package func cancel(_ claim: borrowing AtomicWord) -> Bool {
        // Acquiring: paired with the compare-exchange in `keep`.
        let before = claim.exchange(HeldAction.cancelled)
        if before > Stage.maxTag { HeldAction.stage(at: before).cancel() }
        return drop(claimedAs: before)
    }

    /// Releases everything that is left, in the deinit of the owner.
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

    /// Releases the action if `mark` tells that it was waiting. Returns true if it was.
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

    /// True if an action returned nothing that would have to be disposed of.
    private static func isEmpty(_ result: any Disposable) -> Bool {
        RuntimeLayout.holds(.existentials)
            ? RuntimeLayout.typeWord(of: result) == RuntimeLayout.word(of: EmptyDisposable.self)
            : type(of: result) == EmptyDisposable.self
    }
}

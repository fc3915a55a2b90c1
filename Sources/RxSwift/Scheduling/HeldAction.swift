// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// A user's action that an object, its owner, holds to be run or dropped once.
///
/// The owner keeps a word, an `ActionClaim`, that decides which thread may do so.
///
/// Threads: any thread may call `cancel`; the scheduler calls `run` once.
@usableFromInline
package struct HeldAction {
    private let state: UInt
    private let code: (UInt, UInt)

    /// Takes over the action. The caller has to set the claim to `claim(of:)`.
    @inline(__always)
    package init(_ action: consuming UserAction) {
        state = action.state
        code = action.code
    }

    /// The claim of an action that waits.
    @inline(__always)
    package static func claim(of action: borrowing UserAction) -> UInt { ActionClaim.waiting(action.kind).word }

    /// True if the action was disposed of.
    @inline(__always)
    package static func isCancelled(_ claim: borrowing AtomicWord) -> Bool { read(claim) == .cancelled }

    /// True if the action ran and left nothing to be disposed of.
    @inline(__always)
    package static func isDone(_ claim: borrowing AtomicWord) -> Bool { read(claim) == .started }

    @inline(__always)
    private static func read(_ claim: borrowing AtomicWord) -> ActionClaim { ActionClaim(word: claim.loadRelaxed()) }

    /// Runs the action and releases it, unless it was cancelled.
    @inline(__always)
    package func run(_ claim: borrowing AtomicWord) {
        let before = HeldAction.read(claim)
        guard before != .cancelled, claim.compareExchange(before.word, ActionClaim.started.word) else { return }
        let result = runBody(claimedAs: before)
        // Most actions return nothing to dispose of, and need no stage.
        if !HeldAction.isEmpty(result) { HeldAction.keep(result, claim) }
    }

    @inline(__always)
    private func runBody(claimedAs claim: ActionClaim) -> any Disposable {
        if claim == .waiting(.withoutState) {
            return RuntimeLayout.body(code, as: UserAction.StatelessBody.self).call(())
        }
        let result = RuntimeLayout.body(code, as: UserAction.Body<UInt>.self).call(state)
        if claim == .waiting(.withObject) { object.release() }
        return result
    }

    @inline(never)
    private static func keep(_ result: any Disposable, _ claim: borrowing AtomicWord) {
        let stage = Unmanaged<Stage>.passRetained(DisposableStage(result))
        // Releasing: paired with the exchange in `cancel`.
        if !claim.compareExchange(ActionClaim.started.word, ActionClaim.returned(stage).word) {
            stage.takeRetainedValue().cancel()
        }
    }

    /// Releases an action that waits, or disposes of the disposable that it returned.
    ///
    /// - Returns: true if the action was waiting.
    package func cancel(_ claim: borrowing AtomicWord) -> Bool {
        // Acquiring: paired with the compare-exchange in `keep`.
        let before = ActionClaim(word: claim.exchange(ActionClaim.cancelled.word))
        before.returnedStage?.takeRetainedValue().cancel()
        return drop(claimedAs: before)
    }

    /// Releases everything that is left, in the deinit of the owner.
    @inline(__always)
    package func release(_ claim: borrowing AtomicWord) {
        let last = HeldAction.read(claim)
        if last == .started { return }
        claim.storeRelaxed(ActionClaim.cancelled.word)
        last.returnedStage?.release()
        _ = drop(claimedAs: last)
    }

    /// Releases the action if it was waiting. Returns true if it was.
    private func drop(claimedAs claim: ActionClaim) -> Bool {
        guard claim.isWaiting else { return false }
        _ = RuntimeLayout.body(code, as: UserAction.StatelessBody.self)
        if claim == .waiting(.withObject) { object.release() }
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

/// The word that decides which thread runs, or drops, a held action.
///
/// It starts as waiting, by the kind of the action. Running the action changes it to `started`, and then possibly to the stage that
/// disposes of the disposable that the action returned. Disposal changes it to `cancelled`, for ever. The thread that changes the
/// claim of a waiting action has claimed the action.
private struct ActionClaim: Equatable {
    let word: UInt

    init(word: UInt) { self.word = word }

    // The claim of a stage is its `upstream`: the tags are even, but for that of a cancelled stage.

    @inline(__always)
    static func waiting(_ kind: UserAction.Kind) -> ActionClaim {
        switch kind {
        case .withoutState: ActionClaim(word: Stage.unlinked)
        case .withPlainState: ActionClaim(word: 6)
        case .withObject: ActionClaim(word: 4)
        }
    }

    @inline(__always)
    static var started: ActionClaim { ActionClaim(word: 2) }

    @inline(__always)
    static var cancelled: ActionClaim { ActionClaim(word: Stage.cancelled) }

    /// - Parameter stage: retained by the claim.
    static func returned(_ stage: Unmanaged<Stage>) -> ActionClaim {
        ActionClaim(word: UInt(bitPattern: stage.toOpaque()))
    }

    @inline(__always)
    var isWaiting: Bool {
        self == .waiting(.withoutState) || self == .waiting(.withPlainState) || self == .waiting(.withObject)
    }

    @inline(__always)
    var returnedStage: Unmanaged<Stage>? {
        word > Stage.maxTag ? .fromOpaque(UnsafeRawPointer(bitPattern: word).unsafelyUnwrapped) : nil
    }
}

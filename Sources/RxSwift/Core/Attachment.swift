import RxPrimitives

/// Puts off what a stage releases when it is cancelled while it is still attaching its sources.
///
/// If the thread that attaches cancels the stage, it releases what it has attached so far when the rest has been attached: in RxSwift's
/// order (law L11), so that no later source starts anew what it shares with an earlier one. A cancellation by another thread does
/// not wait. Cost: stores without ordering, no read-modify-write.
struct Attachment: ~Copyable {
    /// `none`, the identity of the thread that attaches, or `postponed`.
    ///
    /// Relaxed: only that thread stores, and any other one finds a word that is not its own identity.
    private let state = AtomicWord(Attachment.none)

    /// No thread attaches.
    private static let none: UInt = 0
    /// The thread that attaches has cancelled the stage. Until it ends.
    private static let postponed = UInt.max

    /// The calling thread attaches until `end`.
    func begin() { state.storeRelaxed(CurrentThread.identity) }

    /// Whether the calling thread is attaching.
    var isOnStack: Bool { state.loadRelaxed() == CurrentThread.identity }

    /// Returns whether the caller has to put off the release to the end. At most once between `begin` and `end`.
    func postpones() -> Bool {
        guard isOnStack else { return false }
        state.storeRelaxed(Attachment.postponed)
        return true
    }

    /// Returns whether a release was put off, which the caller does now.
    func end() -> Bool {
        let isPostponed = state.loadRelaxed() == Attachment.postponed
        state.storeRelaxed(Attachment.none)
        return isPostponed
    }
}

// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// A disposable that holds another, which is set once, perhaps after this one was disposed of.
///
/// All members may be used from any thread, and are wait-free but for a retry per competing call.
public final class SingleAssignmentDisposable: DisposeBase, Cancelable, @unchecked Sendable {
    /// The bit for a disposable that was set; never cleared.
    private static let assigned: UInt = 1

    /// The bit for a call of `dispose()`; never cleared.
    private static let disposed: UInt = 2

    private let state = AtomicWord(0)

    /// The disposable. The one assigner writes it before it sets `assigned`; then it belongs to the thread that sets the second of
    /// the two bits.
    private var assignment: (any Disposable)?

    /// Creates a disposable that holds nothing yet.
    public override init() { super.init() }

    /// True from the call of `dispose()` on.
    public var isDisposed: Bool { state.loadAcquiring() & Self.disposed != 0 }

    /// Sets the disposable; disposes of it at once if `dispose()` was called before.
    ///
    /// Stops the program when called a second time.
    /// - Parameter disposable: the disposable, which is disposed of with this one.
    public func setDisposable(_ disposable: any Disposable) {
        // The bit is checked before the field is written, so that a second call stops without touching what the first one set.
        if state.loadRelaxed() & Self.assigned != 0 { assignedTwice(disposable) }
        assignment = disposable
        // Releases `assignment`; paired with the acquire of `dispose()` doing the same.
        let before = add(Self.assigned)
        if before & Self.assigned != 0 { assignedTwice(disposable) }
        if before & Self.disposed != 0 { disposeOfAssignment() }
    }

    /// Disposes of the disposable, now or when it is set.
    public func dispose() {
        if add(Self.disposed) == Self.assigned { disposeOfAssignment() }
    }

    /// Sets a bit, and returns the bits before.
    private func add(_ bit: UInt) -> UInt {
        while true {
            let before = state.loadRelaxed()
            if before & bit != 0 { return before }
            if state.compareExchange(before, before | bit) { return before }
        }
    }

    private func disposeOfAssignment() {
        let disposable = assignment
        assignment = nil
        disposable?.dispose()
    }

    private func assignedTwice(_ disposable: any Disposable) -> Never {
        fatalError(
            "SingleAssignmentDisposable.setDisposable: a disposable was set before; may not set \(disposable) as well")
    }
}

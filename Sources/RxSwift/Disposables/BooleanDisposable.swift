// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// A disposable that remembers whether it was disposed of, and nothing else.
///
/// All members may be used from any thread.
public final class BooleanDisposable: DisposeBase, Cancelable, @unchecked Sendable {
    /// 0: not disposed of; 1: disposed of, for ever.
    private let state: AtomicWord

    /// Creates a disposable that was not disposed of.
    public override init() {
        state = AtomicWord(0)
        super.init()
    }

    /// Creates a disposable that may have been disposed of already.
    ///
    /// - Parameter isDisposed: the initial value of `isDisposed`.
    public init(isDisposed: Bool) {
        state = AtomicWord(isDisposed ? 1 : 0)
        super.init()
    }

    /// True if this was disposed of, or created as disposed of.
    public var isDisposed: Bool { state.loadAcquiring() != 0 }

    /// Makes `isDisposed` true, and does nothing else.
    public func dispose() { state.storeReleasing(1) }
}

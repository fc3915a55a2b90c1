// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// A disposable that holds another, which may be replaced: replacing it disposes of the one before.
///
/// All members may be used from any thread. Nothing is disposed of under a lock.
public final class SerialDisposable: DisposeBase, Cancelable, @unchecked Sendable {
    private let lock = Mutex()

    // These fields are touched under the lock only.
    private var current: (any Disposable)?
    private var isEnded = false

    /// Creates a disposable that holds nothing yet.
    public override init() { super.init() }

    /// True from the call of `dispose()` on.
    public var isDisposed: Bool { lock.withLock { isEnded } }

    /// The disposable held; one that does nothing when there is none.
    ///
    /// Setting it disposes of the one before, or, after `dispose()`, of the new one at once.
    public var disposable: any Disposable {
        get { lock.withLock { current } ?? Disposables.create() }
        set {
            var superseded: (any Disposable)? = newValue
            lock.withLock {
                if !isEnded { swap(&current, &superseded) }
            }
            superseded?.dispose()
        }
    }

    /// Disposes of the disposable held, and of each one set later.
    public func dispose() {
        var superseded: (any Disposable)?
        lock.withLock {
            isEnded = true
            swap(&current, &superseded)
        }
        superseded?.dispose()
    }
}

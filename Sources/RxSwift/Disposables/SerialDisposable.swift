import RxPrimitives

/// Holds a disposable that may be replaced: replacing it disposes of the one before.
///
/// From any thread. Nothing is disposed of under a lock.
public final class SerialDisposable: DisposeBase, Cancelable, @unchecked Sendable {
    private let lock = Mutex()

    // Touched under the lock only.
    private var current: (any Disposable)?
    private var isEnded = false

    /// A disposable that holds nothing yet.
    public override init() { super.init() }

    /// Whether `dispose()` was called.
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

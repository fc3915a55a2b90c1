import RxPrimitives

/// Remembers whether it was disposed of, and nothing else.
///
/// From any thread.
public final class BooleanDisposable: DisposeBase, Cancelable, @unchecked Sendable {
    /// 0: not disposed of. 1: disposed of, for ever.
    private let state: AtomicWord

    /// A disposable that was not disposed of.
    public override init() {
        state = AtomicWord(0)
        super.init()
    }

    /// A disposable that may have been disposed of already.
    ///
    /// - Parameter isDisposed: what `isDisposed` starts with.
    public init(isDisposed: Bool) {
        state = AtomicWord(isDisposed ? 1 : 0)
        super.init()
    }

    /// Whether `dispose()` was called.
    public var isDisposed: Bool { state.loadAcquiring() != 0 }

    /// Makes `isDisposed` true.
    public func dispose() { state.storeReleasing(1) }
}

/// Something that can be ended early: a subscription, a scheduled action, a resource.
public protocol Disposable {
    /// Ends it. May be called from any thread, also from inside a callback, and any number of times.
    func dispose()
}

/// A disposable that tells whether it was disposed of.
public protocol Cancelable: Disposable {
    /// Whether `dispose()` was called, or what it stands for has ended.
    var isDisposed: Bool { get }
}

/// Nothing to dispose of.
struct EmptyDisposable: Disposable {
    static let instance = EmptyDisposable()

    func dispose() {}
}

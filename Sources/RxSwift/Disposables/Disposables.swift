/// Makes disposables.
public struct Disposables {
    private init() {}

    /// A disposable that does nothing. The same object each time.
    public static func create() -> any Disposable { EmptyDisposable.instance }
}

/// Nothing to dispose of.
struct EmptyDisposable: Disposable {
    static let instance = EmptyDisposable()

    func dispose() {}
}

/// Makes disposables.
///
/// Everything made here may be disposed of from any thread, any number of times; what it stands for is disposed of once.
/// - SeeAlso: [Disposable](https://reactivex.io/documentation/contract.html)
public struct Disposables {
    private init() {}

    /// A disposable that does nothing. The same object each time.
    public static func create() -> any Disposable { EmptyDisposable.instance }

    /// A disposable that runs a closure.
    ///
    /// - Parameter dispose: runs at the first `dispose()`, on the thread that calls it, and is released then.
    @preconcurrency
    public static func create(with dispose: @escaping @Sendable () -> Void) -> any Cancelable {
        AnonymousDisposable(dispose)
    }

    /// A disposable that stands for two.
    ///
    /// - Parameters:
    ///   - disposable1: disposed of first.
    ///   - disposable2: disposed of second.
    public static func create(_ disposable1: any Disposable, _ disposable2: any Disposable) -> any Cancelable {
        BinaryDisposable(disposable1, disposable2)
    }

    /// A disposable that stands for three, which are disposed of in the order given.
    ///
    /// - Parameters:
    ///   - disposable1: disposed of first.
    ///   - disposable2: disposed of second.
    ///   - disposable3: disposed of third.
    public static func create(
        _ disposable1: any Disposable, _ disposable2: any Disposable, _ disposable3: any Disposable
    ) -> any Cancelable {
        NaryDisposable([disposable1, disposable2, disposable3])
    }

    /// A disposable that stands for several, which are disposed of in the order given.
    ///
    /// - Parameters:
    ///   - disposable1: disposed of first.
    ///   - disposable2: disposed of second.
    ///   - disposable3: disposed of third.
    ///   - disposables: disposed of thereafter.
    public static func create(
        _ disposable1: any Disposable, _ disposable2: any Disposable, _ disposable3: any Disposable,
        _ disposables: any Disposable...
    ) -> any Cancelable {
        NaryDisposable([disposable1, disposable2, disposable3] + disposables)
    }

    /// A disposable that stands for any number, which are disposed of in the order given.
    ///
    /// - Parameter disposables: what is disposed of. May be empty.
    public static func create(_ disposables: [any Disposable]) -> any Cancelable {
        NaryDisposable(disposables)
    }
}

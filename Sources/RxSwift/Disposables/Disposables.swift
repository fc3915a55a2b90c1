// SPDX-License-Identifier: Apache-2.0

/// The functions that make disposables.
///
/// Everything made here may be disposed of from any thread, any number of times; what it stands for is disposed of once.
/// - SeeAlso: [Disposable](https://reactivex.io/documentation/contract.html)
public struct Disposables {
    private init() {}

    /// Returns a disposable that does nothing, the same object each time.
    public static func create() -> any Disposable { EmptyDisposable.instance }

    /// Returns a disposable that runs a closure.
    ///
    /// - Parameter dispose: runs at the first `dispose()`, on the thread that calls it, and is released then.
    @preconcurrency
    public static func create(with dispose: @escaping @Sendable () -> Void) -> any Cancelable {
        AnonymousDisposable(dispose)
    }

    /// Returns a disposable that stands for two, which are disposed of in the order given.
    ///
    /// - Parameters:
    ///   - disposable1: the disposable that comes first.
    ///   - disposable2: the disposable that comes second.
    public static func create(_ disposable1: any Disposable, _ disposable2: any Disposable) -> any Cancelable {
        BinaryDisposable(disposable1, disposable2)
    }

    /// Returns a disposable that stands for three, which are disposed of in the order given.
    ///
    /// - Parameters:
    ///   - disposable1: the disposable that comes first.
    ///   - disposable2: the disposable that comes second.
    ///   - disposable3: the disposable that comes third.
    public static func create(
        _ disposable1: any Disposable, _ disposable2: any Disposable, _ disposable3: any Disposable
    ) -> any Cancelable {
        NaryDisposable([disposable1, disposable2, disposable3])
    }

    /// Returns a disposable that stands for several, which are disposed of in the order given.
    ///
    /// - Parameters:
    ///   - disposable1: the disposable that comes first.
    ///   - disposable2: the disposable that comes second.
    ///   - disposable3: the disposable that comes third.
    ///   - disposables: the disposables that come thereafter.
    public static func create(
        _ disposable1: any Disposable, _ disposable2: any Disposable, _ disposable3: any Disposable,
        _ disposables: any Disposable...
    ) -> any Cancelable {
        NaryDisposable([disposable1, disposable2, disposable3] + disposables)
    }

    /// Returns a disposable that stands for any number, which are disposed of in the order given.
    ///
    /// - Parameter disposables: the disposables, of which there may be none.
    public static func create(_ disposables: [any Disposable]) -> any Cancelable {
        NaryDisposable(disposables)
    }
}

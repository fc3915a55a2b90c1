// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

extension Disposable {
    /// Adds this disposable to a bag, which disposes of it when the bag itself is released.
    ///
    /// - Parameter bag: the bag to add it to. If the bag is just being released, this is disposed of at once.
    public func disposed(by bag: DisposeBag) {
        bag.insert(self)
    }
}

/// A bag that disposes of the disposables it holds when it is released.
///
/// Any thread may use a bag. There is no `dispose()`: put a new bag in place of the old one to dispose early. The bag disposes in
/// order of insertion, on the thread that releases it.
public final class DisposeBag: DisposeBase, @unchecked Sendable {
    /// A result builder that lists disposables, one in each line.
    @resultBuilder
    public struct DisposableBuilder {
        /// Returns the disposables of a block.
        public static func buildBlock(_ disposables: any Disposable...) -> [any Disposable] { disposables }
    }

    private let lock = Mutex()

    /// The contents, touched under the lock only, and by `deinit`.
    private var disposables: [any Disposable] = []

    /// Creates a bag that holds nothing yet.
    public override init() { super.init() }

    /// Creates a bag of the disposables given.
    ///
    /// - Parameter disposables: the disposables that are in the bag from the start.
    public convenience init(disposing disposables: any Disposable...) {
        self.init(disposing: disposables)
    }

    /// Creates a bag of the disposables that a block lists.
    ///
    /// - Parameter builder: the block, which runs once, now.
    public convenience init(@DisposableBuilder builder: () -> [any Disposable]) {
        self.init(disposing: builder())
    }

    /// Creates a bag of the disposables given.
    ///
    /// - Parameter disposables: the disposables that are in the bag from the start.
    public convenience init(disposing disposables: [any Disposable]) {
        self.init()
        self.disposables = disposables
    }

    deinit {
        for disposable in disposables { disposable.dispose() }
    }

    /// Adds a disposable to the bag.
    ///
    /// - Parameter disposable: the disposable, disposed of when the bag is released.
    public func insert(_ disposable: any Disposable) {
        lock.withLock { disposables.append(disposable) }
    }

    /// Adds several disposables to the bag.
    ///
    /// - Parameter disposables: the disposables, disposed of when the bag is released.
    public func insert(_ disposables: any Disposable...) {
        insert(disposables)
    }

    /// Adds the disposables that a block lists.
    ///
    /// - Parameter builder: the block, which runs once, now.
    public func insert(@DisposableBuilder builder: () -> [any Disposable]) {
        insert(builder())
    }

    /// Adds several disposables to the bag.
    ///
    /// - Parameter disposables: the disposables, disposed of when the bag is released.
    public func insert(_ disposables: [any Disposable]) {
        lock.withLock { self.disposables += disposables }
    }
}

import RxPrimitives

extension Disposable {
    /// Adds this disposable to a bag, which disposes of it when the bag itself is released.
    ///
    /// - Parameter bag: where to. If it is just being released, this is disposed of at once.
    public func disposed(by bag: DisposeBag) {
        bag.insert(self)
    }
}

/// Disposes of what it holds when it is released.
///
/// From any thread. There is no `dispose()`: put a new bag in place of the old one to dispose early. Disposes in order of
/// insertion, on the thread that releases the bag.
public final class DisposeBag: DisposeBase, @unchecked Sendable {
    /// Lists disposables, a line each.
    @resultBuilder
    public struct DisposableBuilder {
        /// The disposables of a block.
        public static func buildBlock(_ disposables: any Disposable...) -> [any Disposable] { disposables }
    }

    private let lock = Mutex()

    /// Touched under the lock only, and by `deinit`.
    private var disposables: [any Disposable] = []

    /// An empty bag.
    public override init() { super.init() }

    /// A bag of the disposables given.
    ///
    /// - Parameter disposables: what is in the bag from the start.
    public convenience init(disposing disposables: any Disposable...) {
        self.init(disposing: disposables)
    }

    /// A bag of the disposables that a block lists.
    ///
    /// - Parameter builder: runs once, now.
    public convenience init(@DisposableBuilder builder: () -> [any Disposable]) {
        self.init(disposing: builder())
    }

    /// A bag of the disposables given.
    ///
    /// - Parameter disposables: what is in the bag from the start.
    public convenience init(disposing disposables: [any Disposable]) {
        self.init()
        self.disposables = disposables
    }

    deinit {
        for disposable in disposables { disposable.dispose() }
    }

    /// Adds a disposable.
    ///
    /// - Parameter disposable: disposed of when the bag is released.
    public func insert(_ disposable: any Disposable) {
        lock.withLock { disposables.append(disposable) }
    }

    /// Adds several disposables.
    ///
    /// - Parameter disposables: disposed of when the bag is released.
    public func insert(_ disposables: any Disposable...) {
        insert(disposables)
    }

    /// Adds the disposables that a block lists.
    ///
    /// - Parameter builder: runs once, now.
    public func insert(@DisposableBuilder builder: () -> [any Disposable]) {
        insert(builder())
    }

    /// Adds several disposables.
    ///
    /// - Parameter disposables: disposed of when the bag is released.
    public func insert(_ disposables: [any Disposable]) {
        lock.withLock { self.disposables += disposables }
    }
}

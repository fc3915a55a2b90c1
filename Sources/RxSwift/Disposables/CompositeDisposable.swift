// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// Holds any number of disposables, which may be added and removed, and are disposed of together.
///
/// Any thread may use a group. Its members are disposed of in order of insertion, and never under a lock.
public final class CompositeDisposable: DisposeBase, Cancelable, @unchecked Sendable {
    /// The name of a disposable inside a `CompositeDisposable`.
    public struct DisposeKey: Sendable {
        fileprivate let number: Int
    }

    private let lock = Mutex()

    /// The members; touched under the lock only, and nil from `dispose()` on.
    private var contents: NumberedDisposables?

    /// Creates a group that has no members.
    public override init() {
        contents = NumberedDisposables([])
        super.init()
    }

    /// Creates a group of two disposables.
    ///
    /// - Parameters:
    ///   - disposable1: the first member of the group.
    ///   - disposable2: the second member of the group.
    public convenience init(_ disposable1: any Disposable, _ disposable2: any Disposable) {
        self.init(disposables: [disposable1, disposable2])
    }

    /// Creates a group of three disposables.
    ///
    /// - Parameters:
    ///   - disposable1: the first member of the group.
    ///   - disposable2: the second member of the group.
    ///   - disposable3: the third member of the group.
    public convenience init(
        _ disposable1: any Disposable, _ disposable2: any Disposable, _ disposable3: any Disposable
    ) {
        self.init(disposables: [disposable1, disposable2, disposable3])
    }

    /// Creates a group of four or more disposables.
    ///
    /// - Parameters:
    ///   - disposable1: the first member of the group.
    ///   - disposable2: the second member of the group.
    ///   - disposable3: the third member of the group.
    ///   - disposable4: the fourth member of the group.
    ///   - disposables: further members, in this order.
    public convenience init(
        _ disposable1: any Disposable, _ disposable2: any Disposable, _ disposable3: any Disposable,
        _ disposable4: any Disposable, _ disposables: any Disposable...
    ) {
        self.init(disposables: [disposable1, disposable2, disposable3, disposable4] + disposables)
    }

    /// Creates a group of any number of disposables.
    ///
    /// - Parameter disposables: the members, in this order.
    public init(disposables: [any Disposable]) {
        contents = NumberedDisposables(disposables)
        super.init()
    }

    /// True from the call of `dispose()` on.
    public var isDisposed: Bool { lock.withLock { contents == nil } }

    /// The number of disposables held; 0 after `dispose()`.
    public var count: Int { lock.withLock { contents?.count ?? 0 } }

    /// Adds a disposable; disposes of it at once if `dispose()` was called before. This costs amortized O(1).
    ///
    /// - Parameter disposable: the new member of the group.
    /// - Returns: the key that `remove(for:)` takes, or nil when the group was disposed of.
    public func insert(_ disposable: any Disposable) -> DisposeKey? {
        if let number = lock.withLock({ contents?.append(disposable) }) { return DisposeKey(number: number) }
        disposable.dispose()
        return nil
    }

    /// Removes a disposable and disposes of it, if it is still held. This costs amortized O(log n).
    ///
    /// - Parameter disposeKey: the key that `insert` returned for it.
    public func remove(for disposeKey: DisposeKey) {
        lock.withLock { contents?.remove(disposeKey.number) }?.dispose()
    }

    /// Disposes of all members, and of each one that is inserted later.
    public func dispose() {
        var taken: NumberedDisposables?
        lock.withLock { swap(&taken, &contents) }
        taken?.disposeAll()
    }
}

/// Disposables under ascending numbers. The mutating methods run no foreign code: they return what they remove to the caller.
private struct NumberedDisposables {
    private typealias Entry = (number: Int, disposable: (any Disposable)?)

    /// The entries, ascending by number. A removed entry stays as a hole until half of the entries are holes.
    private var entries: [Entry]
    private var nextNumber: Int
    private(set) var count: Int

    init(_ disposables: [any Disposable]) {
        entries = disposables.enumerated().map { ($0.offset, $0.element) }
        nextNumber = disposables.count
        count = disposables.count
    }

    mutating func append(_ disposable: any Disposable) -> Int {
        let number = nextNumber
        nextNumber += 1
        count += 1
        entries.append((number, disposable))
        return number
    }

    mutating func remove(_ number: Int) -> (any Disposable)? {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].number < number { low = middle + 1 } else { high = middle }
        }
        guard low < entries.count, entries[low].number == number else { return nil }
        var taken: (any Disposable)?
        swap(&taken, &entries[low].disposable)
        if taken != nil {
            count -= 1
            if entries.count > 16, count < entries.count / 2 { entries.removeAll { $0.disposable == nil } }
        }
        return taken
    }

    func disposeAll() {
        for entry in entries { entry.disposable?.dispose() }
    }
}

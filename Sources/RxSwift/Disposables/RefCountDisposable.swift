// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// A disposable that disposes of another when itself and all its dependents have been disposed of.
///
/// All members may be used from any thread. Nothing is disposed of under a lock.
public final class RefCountDisposable: DisposeBase, Cancelable, @unchecked Sendable {
    private let lock = Mutex()

    // These fields are touched under the lock only.
    private var underlying: (any Disposable)?
    private var isPrimaryDisposed = false
    private var dependents = 0

    /// Creates a disposable that counts its dependents.
    ///
    /// - Parameter disposable: the underlying disposable, disposed of after this one and the last dependent.
    public init(disposable: any Disposable) {
        underlying = disposable
        super.init()
    }

    /// True if the underlying disposable was disposed of.
    public var isDisposed: Bool { lock.withLock { underlying == nil } }

    /// Makes a dependent, which keeps the underlying disposable from being disposed of until it is disposed of itself.
    ///
    /// - Returns: the dependent, or a disposable that does nothing if the underlying one was disposed of already.
    public func retain() -> any Disposable {
        let isAlive = lock.withLock {
            if underlying == nil { return false }
            dependents += 1
            return true
        }
        return isAlive ? Dependent(of: self) : Disposables.create()
    }

    /// Disposes of the underlying disposable as soon as there are no dependents.
    public func dispose() {
        disposePrimary()?.dispose()
    }

    fileprivate func release() {
        leave()?.dispose()
    }

    // Not inlined: disposals nest as deep as chains are long, and what is needed here only shall not be on the stack then (law L8).

    /// Does what `dispose()` does, but returns the underlying disposable for the caller to dispose of, if there are no dependents.
    @inline(never)
    func disposePrimary() -> (any Disposable)? {
        lock.withLock {
            isPrimaryDisposed = true
            return takeIfUnused()
        }
    }

    @inline(never)
    private func leave() -> (any Disposable)? {
        lock.withLock {
            dependents -= 1
            return takeIfUnused()
        }
    }

    /// Takes the underlying disposable if it may be disposed of now. The caller holds the lock.
    private func takeIfUnused() -> (any Disposable)? {
        guard isPrimaryDisposed, dependents == 0 else { return nil }
        var taken: (any Disposable)?
        swap(&taken, &underlying)
        return taken
    }
}

private final class Dependent: DisposeBase, Disposable, @unchecked Sendable {
    /// 0: counted by the parent; 1: disposed of, for ever.
    private let state = AtomicWord(0)

    private let parent: RefCountDisposable

    init(of parent: RefCountDisposable) {
        self.parent = parent
        super.init()
    }

    func dispose() {
        if state.exchange(1) == 0 { parent.release() }
    }
}

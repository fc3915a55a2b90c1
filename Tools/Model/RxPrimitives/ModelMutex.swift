// SPDX-License-Identifier: Apache-2.0

/// Takes the place of the lock of that name in Mutex.swift. A thread that waits is not chosen; when all wait, that is reported as a deadlock.
@frozen
@usableFromInline
package struct Mutex: ~Copyable {
    @usableFromInline let cell: UnsafeMutableRawPointer

    @inlinable
    package init() { cell = rxModelMake(0, 2) }

    @inlinable
    deinit { rxModelFree(cell) }

    @inlinable @inline(__always)
    package func lock() { rxModelLock(cell) }

    @inlinable @inline(__always)
    package func unlock() { rxModelUnlock(cell) }

    package func tryLock() -> Bool { rxModelTryLock(cell) != 0 }

    @inlinable @inline(__always)
    package func withLock<Result>(_ body: () throws -> Result) rethrows -> Result {
        lock()
        defer { unlock() }
        return try body()
    }
}

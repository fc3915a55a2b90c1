// SPDX-License-Identifier: Apache-2.0

// The locks of Locks.swift and the `Parker` of a build of Tools/explore. A thread that waits is not chosen; when all wait, the explorer
// reports a deadlock.

/// Takes the place of the lock of that name in Locks.swift.
@frozen
@usableFromInline
package struct SpinLock: ~Copyable {
    @usableFromInline let cell: UnsafeMutableRawPointer

    @inlinable
    package init() { cell = rxModelMake(0, 2) }

    @inlinable
    deinit { rxModelFree(cell) }

    @inlinable @inline(__always)
    package func lock() { rxModelLock(cell) }

    @inlinable @inline(__always)
    package func unlock() { rxModelUnlock(cell) }

    @inlinable @inline(__always)
    package func unlockAfterPlainBytes() { rxModelUnlock(cell) }

    @inlinable @inline(__always)
    package func withLock<Result>(_ body: () throws -> Result) rethrows -> Result {
        lock()
        defer { unlock() }
        return try body()
    }
}

/// Takes the place of the lock of that name in Mutex.swift.
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

/// Takes the place of the lock of that name in Locks.swift.
package final class Lock {
    private let spin = SpinLock()

    package init() {}

    package func lock() { spin.lock() }

    package func unlock() { spin.unlock() }

    package func withLock<Result>(_ body: () throws -> Result) rethrows -> Result {
        try spin.withLock(body)
    }
}

/// Takes the place of the class of that name in Parker.swift. A `park` with a deadline may end by itself at any moment.
package final class Parker: @unchecked Sendable {
    private let cell: UnsafeMutableRawPointer

    package init() { cell = rxModelMake(0, 3) }

    deinit { rxModelFree(cell) }

    package func park(until deadline: UInt64) { rxModelPark(cell, deadline == .max ? 0 : 1) }

    package func unpark() { rxModelUnpark(cell) }
}

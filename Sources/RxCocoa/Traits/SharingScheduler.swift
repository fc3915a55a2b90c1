// SPDX-License-Identifier: Apache-2.0

import RxPrimitives
public import RxSwift

/// The scheduler on which `Driver` and `Signal` deliver.
public enum SharingScheduler {
    /// The closure of the innermost `mock`, protected by `lock`.
    nonisolated(unsafe) private static var mocked: (() -> any SchedulerType)?
    private static let lock = Mutex()
    /// 1 while `mocked` is not nil, else 0; written under the lock.
    private static let mockState = AtomicWord(0)

    /// Makes the scheduler of a sequence that is being made: the main queue's, unless `mock` says otherwise.
    public static var make: () -> any SchedulerType { lock.withLock { mocked } ?? { MainScheduler() } }

    /// True while sequences are made that deliver elsewhere than on the main queue.
    @usableFromInline static var isMocked: Bool { mockState.loadRelaxed() != 0 }

    /// Makes sequences deliver on another scheduler, for tests.
    ///
    /// Concerns every sequence of the program that is made while the action runs.
    /// - Parameters:
    ///   - scheduler: where the sequences deliver that are made inside the action.
    ///   - action: makes sequences, or runs a whole test.
    public static func mock(scheduler: any SchedulerType, action: () throws -> Void) rethrows {
        try mock(makeScheduler: { scheduler }, action: action)
    }

    /// Makes sequences deliver on other schedulers, for tests.
    ///
    /// Concerns every sequence of the program that is made while the action runs.
    /// - Parameters:
    ///   - makeScheduler: makes the scheduler of each sequence that is made inside the action.
    ///   - action: makes sequences, or runs a whole test.
    @preconcurrency
    public static func mock(
        makeScheduler: @escaping @Sendable () -> any SchedulerType, action: () throws -> Void
    ) rethrows {
        let former = exchange(makeScheduler)
        defer { _ = exchange(former) }
        try action()
    }

    private static func exchange(_ replacement: (() -> any SchedulerType)?) -> (() -> any SchedulerType)? {
        lock.withLock {
            let former = mocked
            mocked = replacement
            mockState.storeRelaxed(replacement == nil ? 0 : 1)
            return former
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

public import RxSwift

extension MainScheduler {
    /// Runs code for which the main scheduler is another one: in virtual time, in most cases.
    ///
    /// Inside, `MainScheduler.instance`, `asyncInstance`, `ConcurrentMainScheduler.instance`, drivers and signals work as if they had been given
    /// `scheduler`. That holds for all code in the task of the caller and in tasks that it makes, also in tests that run in parallel, and for
    /// sequences that are made there, for as long as they live. Code on other threads sees the main queue.
    ///
    /// In Swift 6 mode, closures of the main actor stop the program where `scheduler` runs them on another actor: run such tests on the
    /// main actor.
    /// - Parameters:
    ///   - scheduler: the scheduler in place of the main one, such as a `TestScheduler` or a `ClockScheduler` of a `TestClock`.
    ///   - operation: the code that sees it.
    public static func replaced<Result, Failure: Error>(
        by scheduler: any SchedulerType, operation: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let outcome = MainReplacement.$inTask.withValue(MainReplacement(by: scheduler)) {
            Swift.Result { () throws(Failure) in try operation() }
        }
        return try outcome.get()
    }

    /// Runs asynchronous code for which the main scheduler is another one. As `replaced(by:operation:)` without `await`.
    public nonisolated(nonsending) static func replaced<Result>(
        by scheduler: any SchedulerType, operation: nonisolated(nonsending) () async throws -> Result
    ) async rethrows -> Result {
        try await MainReplacement.$inTask.withValue(MainReplacement(by: scheduler), operation: operation)
    }
}

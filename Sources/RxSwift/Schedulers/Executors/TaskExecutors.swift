// SPDX-License-Identifier: Apache-2.0

/// Runs tasks on the threads of the pool: `withTaskExecutorPreference(pool) { ... }`, `Task(executorPreference: pool) { ... }`.
///
/// The parts of a task between two of its suspensions are work of the pool, at the priority of this scheduler; those that come after
/// `shutdown()` run on the global executor, so that no task waits for ever. The task has to hold the scheduler, which Swift ensures.
extension BoundedPoolScheduler: TaskExecutor {
    /// Submits a part of a task to the pool. From any thread; never runs it at once.
    public func enqueue(_ job: consuming ExecutorJob) {
        poolJobs.submit(taskPart(UnownedJob(job), on: asUnownedTaskExecutor()))
    }
}

/// Runs tasks on the queue: `withTaskExecutorPreference(scheduler) { ... }`, `Task(executorPreference: scheduler) { ... }`.
extension ConcurrentDispatchQueueScheduler: TaskExecutor {
    /// Submits a part of a task to the queue. From any thread; never runs it at once.
    public final func enqueue(_ job: consuming ExecutorJob) {
        dispatchJobs.submit(taskPart(UnownedJob(job), on: asUnownedTaskExecutor()))
    }
}

/// A job that runs a part of a task on an executor, or elsewhere if the executor's scheduler takes no more work.
private func taskPart(_ part: UnownedJob, on executor: UnownedTaskExecutor) -> Job {
    WorkJob { budget, isRejected in
        budget -= 1
        if isRejected {
            globalConcurrentExecutor.enqueue(part)
            return false
        }
        part.runSynchronously(on: executor)
        return true
    }
}

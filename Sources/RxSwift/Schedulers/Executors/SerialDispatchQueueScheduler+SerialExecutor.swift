// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// Runs the code of actors in order with the scheduler's other work: an actor whose `unownedExecutor` is the scheduler's
/// (`asUnownedSerialExecutor()`) needs no hop for events that come there, and `assumeIsolated` succeeds in their observers.
///
/// The actor has to hold the scheduler.
extension SerialDispatchQueueScheduler: SerialExecutor {
    /// Enqueues a part of an actor's code or a task, to run after the work submitted before. From any thread; never runs it at once.
    public final func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        dispatchJobs.submit(
            WorkJob { [self] budget, _ in
                budget -= 1
                job.runSynchronously(on: asUnownedSerialExecutor())
                return true
            })
    }

    /// Stops the program unless the caller runs on the scheduler's queue.
    public final func checkIsolated() { dispatchPrecondition(condition: .onQueue(dispatchJobs.jobs.queue)) }
}

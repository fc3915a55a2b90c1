// SPDX-License-Identifier: Apache-2.0

import RxSwift

/// Runs the code of actors on the loop's thread, in order with submitted work: an actor whose `unownedExecutor` is the scheduler's
/// (`asUnownedSerialExecutor()`) needs no hop for events of sockets, files and timers, and `assumeIsolated` succeeds in their observers.
///
/// The actor has to hold the scheduler. When the loop has ended, actors on it run on a thread that all ended loops share, so that no task waits
/// for ever. If the system has had no thread for that for a second, they run on the thread that enqueues them.
extension IOUringScheduler: SerialExecutor {
    /// Enqueues a part of an actor's code or a task, to run after the work submitted before.
    ///
    /// From any thread. Never runs it at once, unless the loop has ended and the system has no thread.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.queue.submitIndependent(
            WorkJob { [self] budget, isRejected in
                if isRejected {
                    // Until the thread has ended, callbacks run on it, and may be the actor's.
                    loop.runAfterEnd { [self] in job.runSynchronously(on: asUnownedSerialExecutor()) }
                    return false
                }
                budget -= 1
                job.runSynchronously(on: asUnownedSerialExecutor())
                return true
            })
    }

    /// Stops the program unless the caller runs on the loop's thread.
    public func checkIsolated() {
        if !isCurrent {
            fatalError("IOUringScheduler: not on the thread of \(name). Call it from an actor of this executor.")
        }
    }
}

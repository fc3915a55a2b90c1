// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

// The end of the scheduler, and the forking of its process.
extension RunQueue {
    /// Rejects `limit` of the jobs that wait, or are submitted meanwhile. The caller is the drainer.
    ///
    /// - Returns: the number of pieces of work that are lost, and true if no job waits: the caller is no longer the drainer then.
    package func reject(atMost limit: Int) -> (lost: Int, isIdle: Bool) {
        var (lost, left) = (0, limit)
        repeat {
            while let job = localQueue.popFirst() ?? (takePending() ? localQueue.popFirst() : nil) {
                if job.wasRejected() { lost += 1 }
                left -= 1
                if left == 0 { return (lost, false) }
            }
        } while !leave()
        return (lost, true)
    }

    /// Rejects the waiting jobs that hold events, and then those that were submitted meanwhile. The caller is the drainer, and stays it.
    ///
    /// - Parameter goesOn: called behind each round; returns whether another one follows if there are jobs.
    /// - Returns: the number of pieces of work that are lost.
    package func rejectEvents(goesOn: () -> Bool) -> Int {
        var lost = 0
        var kept = JobQueue()
        repeat {
            takePending()
            if localQueue.isEmpty { break }
            var waiting = JobQueue()
            swap(&waiting, &localQueue)
            while let job = waiting.popFirst() {
                if !job.holdsEvents {
                    kept.append(job)
                } else if job.wasRejected() {
                    lost += 1
                }
            }
        } while goesOn()
        while let job = localQueue.popFirst() { kept.append(job) }
        swap(&kept, &localQueue)
        return lost
    }

    /// Makes the queue idle in a process that was just forked, and lacks the drainer: from now on a submission calls `wake`.
    ///
    /// Makes no more than two atomic stores. Waiting jobs are not touched: the parent process runs them, and they may be in the midst
    /// of a change.
    package func abandon() {
        // Relaxed: there is one thread.
        lastLocal.storeRelaxed(0)
        state.storeRelaxed(RunQueueState.idle.word)
    }
}

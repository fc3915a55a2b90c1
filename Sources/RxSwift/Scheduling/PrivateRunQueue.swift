// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// The private run queue of one hop on a scheduler that is not serial, or not of this library. A job of that scheduler drains it.
@usableFromInline
package class PrivateRunQueue: RunQueue {
    final let scheduler: any JobScheduler
    private let job = WakeJob()

    /// 1 from the call of `unschedule` on.
    private let isUnscheduled = AtomicWord(0)

    package init(scheduler: any JobScheduler) {
        self.scheduler = scheduler
        super.init(batchLimit: scheduler.batchLimit)
        job.queue = self
    }

    package override func wake() {
        if isUnscheduled.loadRelaxed() != 0 { return }
        scheduler.submit(job)
        // `unschedule` may have come too early to find the job.
        if isUnscheduled.loadRelaxed() != 0 { scheduler.unschedule(job) }
    }

    /// Notes which thread sends an event that is about to be queued. For queues in which that makes a difference.
    func noteProducer() {}

    /// Unschedules the queue: jobs that have not run are released with it.
    package final override func unschedule() {
        isUnscheduled.storeRelaxed(1)
        scheduler.unschedule(job)
    }

    /// Runs batches of the queue, which it does not hold: the hop holds it for as long as its work is wanted, and a scheduler may
    /// drop or keep a job that was unscheduled.
    private final class WakeJob: SchedulerJob {
        weak var queue: PrivateRunQueue?

        override var holdsEvents: Bool { true }

        override func run(_ budget: inout Int) -> Bool {
            queue?.drainBatch()
            return true
        }

        override func wasRejected() -> Bool { (queue?.rejectAll() ?? 0) > 0 }
    }
}

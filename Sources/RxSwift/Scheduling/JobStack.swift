// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

// Algorithm: a Treiber stack (R. K. Treiber, "Systems Programming: Coping with Parallelism", 1986) of jobs linked through themselves.
// Progress: lock-free. Threads: any thread may call any method.
// Safe against ABA: jobs leave the stack only all at once.

/// The jobs that several threads have submitted to one, which takes all of them at once, in order.
struct JobStack: ~Copyable {
    /// The address of the job submitted last, or 0.
    private let newest = AtomicWord(0)

    init() {}

    /// True if no job waits. Out of date as soon as it is read, unless it follows a read-modify-write of a word by which the submitting
    /// threads have released their jobs.
    var isEmpty: Bool { newest.loadRelaxed() == 0 }

    /// Adds a job, with the reference to it. Returns true if the stack was empty.
    func push(_ job: Unmanaged<Job>) -> Bool {
        while true {
            let head = newest.loadRelaxed()
            job.next = Unmanaged(word: head)
            // Releasing: paired with the exchange in `take`.
            if newest.compareExchange(head, job.word) { return head == 0 }
        }
    }

    /// Moves all jobs to the end of `queue`, the oldest first. Returns true if there were any.
    @discardableResult
    func take(into queue: inout JobQueue) -> Bool {
        if isEmpty { return false }
        // Acquiring: paired with the compare-exchange in `push`.
        guard let last = Unmanaged<Job>(word: newest.exchange(0)) else { return false }
        queue.append(from: JobQueue.oldestFirst(from: last), to: last)
        return true
    }

    /// Forgets the jobs, without a release, in a process that was just forked: they are the parent's. Makes one atomic store.
    func abandon() { newest.storeRelaxed(0) }

    deinit {
        var rest = JobQueue()
        take(into: &rest)
    }
}

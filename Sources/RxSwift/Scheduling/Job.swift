// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// A piece of work that a scheduler holds and runs.
///
/// An object, not a closure, so that its owner can submit it again and again without an allocation. A job is in at most one queue at
/// a time: the caller that submits it guarantees that it is in none.
@usableFromInline
package class Job: Stage {
    /// The next job in the queue that holds this one. Only that queue accesses it.
    @exclusivity(unchecked) package final var nextInQueue: Unmanaged<Job>?

    /// Counts the job until it has run, if it was submitted to a scheduler of the main queue. Set before that.
    @exclusivity(unchecked) package final var gate: InlineGate?

    @inlinable
    package override init() { super.init() }

    // Only a job that is submitted to a `JobScheduler` has room for these; other jobs wait only in a `RunQueue` or in a pool. These
    // are two properties because they are not under the same lock.

    /// An object that the scheduler that holds this job keeps with it. Only that scheduler accesses it.
    package var ticket: AnyObject? {
        get { nil }
        set { abstractMethod() }
    }

    /// The timer that holds this job, if one does. It belongs to the owner of the timer, and counts no reference.
    package var timer: Unmanaged<TimerEntry>? {
        get { nil }
        set { abstractMethod() }
    }

    /// Does the work, as much of it as `budget` allows.
    ///
    /// - Parameter budget: how many steps (events, actions) may still be taken in this batch; the job subtracts the steps that it
    ///   took.
    /// - Returns: false when the budget ran out first: the job has to be run again before those queued after it. The same, with a budget below
    ///   0, when it delivers to an observer that is in a callback further up the stack: see `RunQueue.runNext`. After returning
    ///   true it may have been submitted anew, and its queue must not touch it.
    @usableFromInline
    package func run(_ budget: inout Int) -> Bool { abstractMethod() }

    /// True if the job delivers events, or begins something that will: its rejection tells a subscriber of an end.
    package var holdsEvents: Bool { false }

    /// Releases the contents of the job, because the scheduler takes no more work and will not run it.
    ///
    /// Called on the thread that submitted the job, or on the scheduler's.
    ///
    /// - Returns: true if work is lost that is reported nowhere else.
    package func wasRejected() -> Bool {
        defer { cancel() }
        return !isCancelled
    }
}

extension Job {
    /// Rejects this job, which is in no queue, on the thread that submits it to a scheduler that has ended.
    ///
    /// - Returns: true if work is lost, as `wasRejected` does; nil if the job was not rejected and has to be enqueued.
    final func rejectBySubmitter() -> Bool? {
        let session = DrainSession.current
        // A rejected job may submit others as it is released. A long chain of them waits in the queue, instead of taking stack.
        if session.rejectionDepth >= Job.rejectionLimit { return nil }
        session.rejectionDepth += 1
        defer { session.rejectionDepth -= 1 }
        return wasRejected()
    }

    /// The greatest number of rejections on a thread's stack.
    private static let rejectionLimit = 16
}

/// A job for any `JobScheduler`, which may have to delay the job or to unschedule it.
@usableFromInline
package class SchedulerJob: Job {
    @exclusivity(unchecked) @usableFromInline final var ownTicket: AnyObject?
    @exclusivity(unchecked) @usableFromInline final var ownTimer: Unmanaged<TimerEntry>?

    @inlinable
    package override init() { super.init() }

    package final override var ticket: AnyObject? {
        get { ownTicket }
        set { ownTicket = newValue }
    }

    package final override var timer: Unmanaged<TimerEntry>? {
        get { ownTimer }
        set { ownTimer = newValue }
    }
}

/// The links of lists that go through the jobs themselves.
extension Unmanaged where Instance == Job {
    /// The next job in the list of this one.
    @inline(__always)
    var next: Unmanaged<Job>? {
        get { _withUnsafeGuaranteedRef { $0.nextInQueue } }
        nonmutating set { _withUnsafeGuaranteedRef { $0.nextInQueue = newValue } }
    }

    /// The address of the job, for an atomic word.
    @inline(__always)
    var word: UInt { UInt(bitPattern: toOpaque()) }

    /// The job whose address the word is, or nil for 0.
    @inline(__always)
    init?(word: UInt) {
        guard let address = UnsafeRawPointer(bitPattern: word) else { return nil }
        self = .fromOpaque(address)
    }
}

/// A first-in, first-out queue for one thread. The jobs are linked through themselves, and the queue retains them.
@usableFromInline
package struct JobQueue: ~Copyable {
    private var first: Unmanaged<Job>?
    private var last: Unmanaged<Job>?

    package init() {}

    package var isEmpty: Bool { first == nil }

    package mutating func append(_ job: Job) {
        append(retained: Unmanaged.passRetained(job))
    }

    package mutating func append(retained job: Unmanaged<Job>) {
        job.next = nil
        append(from: job, to: job)
    }

    /// Appends jobs that are linked, from the oldest to the newest, of which each has a reference of its own.
    package mutating func append(from oldest: Unmanaged<Job>, to newest: Unmanaged<Job>) {
        if let last {
            last.next = oldest
        } else {
            first = oldest
        }
        last = newest
    }

    /// Puts a job back in front.
    package mutating func prepend(_ job: Job) {
        prepend(retained: .passRetained(job))
    }

    package mutating func prepend(retained job: Unmanaged<Job>) {
        job.next = first
        first = job
        if last == nil { last = job }
    }

    /// The first job, with the queue's reference to it.
    package mutating func popFirstRetained() -> Unmanaged<Job>? {
        guard let job = first else { return nil }
        first = job.next
        if first == nil { last = nil }
        return job
    }

    package mutating func popFirst() -> Job? {
        guard let job = popFirstRetained()?.takeRetainedValue() else { return nil }
        job.nextInQueue = nil
        return job
    }

    /// Links the jobs of a Treiber stack, of which `newest` is the top, in order of submission. Returns the oldest.
    static func oldestFirst(from newest: Unmanaged<Job>) -> Unmanaged<Job> {
        var (oldest, rest) = (newest, newest.next)
        newest.next = nil
        while let job = rest {
            rest = job.next
            job.next = oldest
            oldest = job
        }
        return oldest
    }

    deinit {
        var rest = first
        while let job = rest {
            rest = job.next
            job.release()
        }
    }
}

import RxPrimitives

/// A piece of work that a scheduler holds and runs.
///
/// An object, not a closure, so that its owner can post it again and again without an allocation. It is in at most one
/// queue at a time: whoever posts it knows that it is in none.
@usableFromInline
package class Job: Stage {
    /// The next job in the queue that holds this one. Belongs to that queue.
    @exclusivity(unchecked) package final var nextInQueue: Unmanaged<Job>?

    @inlinable
    package override init() { super.init() }

    /// What the scheduler that holds this job keeps with it. Belongs to that scheduler, under its lock if it has one.
    ///
    /// Only a job that is handed to a `JobScheduler` has room for it; others only wait in a `TurnQueue` or in a pool.
    package var notes: SchedulerNotes {
        get { SchedulerNotes() }
        set { abstractMethod() }
    }

    /// Does the work, as much of it as `budget` allows.
    ///
    /// - Parameter budget: how many steps (events, actions) may still be taken in this turn; the job takes off what it used.
    /// - Returns: false when the budget ran out first: the job wants to be run again before what is queued behind it. After
    ///   returning true it may have been posted anew and must not be touched by its queue.
    @usableFromInline
    package func run(_ budget: inout Int) -> Bool { abstractMethod() }

    /// The scheduler takes no more work, and this job will not be run: what it held is released. On the thread that handed it
    /// over, or the scheduler's.
    ///
    /// - Returns: whether something is lost of which nobody else hears.
    package func wasRefused() -> Bool {
        defer { cancel() }
        return !isCancelled
    }
}

/// What a scheduler keeps with a job that waits for its time, or in a queue that is not ours.
@usableFromInline
package struct SchedulerNotes {
    package var ticket: AnyObject?

    /// The timer that holds the job, if one does. Counts no reference.
    package var timer: Unmanaged<TimerEntry>?

    @usableFromInline
    init() {}
}

/// A job for any `JobScheduler`, which may have to hand it over later, or to withdraw it.
@usableFromInline
package class SchedulerJob: Job {
    @exclusivity(unchecked) @usableFromInline final var ownNotes = SchedulerNotes()

    @inlinable
    package override init() { super.init() }

    package final override var notes: SchedulerNotes {
        get { ownNotes }
        set { ownNotes = newValue }
    }
}

/// First in, first out; the jobs are linked through themselves. Retains what it holds. For one thread.
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
        job._withUnsafeGuaranteedRef { $0.nextInQueue = nil }
        if let last {
            last._withUnsafeGuaranteedRef { $0.nextInQueue = job }
        } else {
            first = job
        }
        last = job
    }

    /// Puts a job back in front.
    package mutating func prepend(_ job: Job) {
        prepend(retained: .passRetained(job))
    }

    package mutating func prepend(retained job: Unmanaged<Job>) {
        job._withUnsafeGuaranteedRef { $0.nextInQueue = first }
        first = job
        if last == nil { last = job }
    }

    /// The first job, with the queue's reference to it.
    package mutating func popFirstRetained() -> Unmanaged<Job>? {
        guard let job = first else { return nil }
        first = job._withUnsafeGuaranteedRef { $0.nextInQueue }
        if first == nil { last = nil }
        return job
    }

    package mutating func popFirst() -> Job? {
        guard let job = first?.takeRetainedValue() else { return nil }
        first = job.nextInQueue
        if first == nil { last = nil }
        job.nextInQueue = nil
        return job
    }

    deinit {
        var rest = first
        while let job = rest {
            rest = job._withUnsafeGuaranteedRef { $0.nextInQueue }
            job.release()
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// A thread's queue of jobs, on which synchronous sources and recursive subscriptions take turns instead of nesting.
///
/// The outermost subscription opens it, and drains it before `subscribe` returns. Each thread has one, made at first use and used by
/// that thread only.
@usableFromInline
package final class Trampoline {
    @exclusivity(unchecked) private var jobs = JobQueue()

    /// True if a subscription or job further up this thread's stack will drain the queue.
    @exclusivity(unchecked) @usableFromInline package private(set) var isOpen = false

    /// The drain session of the thread, which is inside a callback while the trampoline is open.
    private let session = DrainSession.current

    @exclusivity(unchecked) private var foreignBudget = ForeignBudget()

    private init() {}

    /// The calling thread's trampoline.
    @usableFromInline
    package static var current: Trampoline { unretained.takeUnretainedValue() }

    /// The calling thread's trampoline, for use while the thread lives, without counting a reference.
    @inline(__always)
    static var unretained: Unmanaged<Trampoline> {
        if let known = ThreadSlot.trampoline.pointer { return .fromOpaque(known) }
        return make()
    }

    @inline(never)
    private static func make() -> Unmanaged<Trampoline> {
        let made = Unmanaged.passRetained(Trampoline())
        ThreadSlot.trampoline.set(made.toOpaque()) { Unmanaged<Trampoline>.fromOpaque($0!).release() }
        return made
    }

    /// True if jobs are waiting for their turn.
    @usableFromInline
    package var hasWaitingJobs: Bool { !jobs.isEmpty }

    /// Runs `body` with the trampoline open, and then, if this call opened it, the jobs queued meanwhile.
    @usableFromInline
    package func run(_ body: () -> Void) {
        if isOpen { return body() }
        open()
        body()
        close()
    }

    /// Opens the trampoline: jobs are queued from now on. The caller has to close it again.
    package func open() {
        assert(!isOpen, "the trampoline is open: whoever opened it will close it")
        isOpen = true
        foreignBudget = ForeignBudget()
        session.beginCallbacks()
    }

    /// Runs the jobs queued since `open`, and closes the trampoline.
    package func close() {
        drain()
        isOpen = false
        session.endCallbacks()
    }

    /// Runs the job that has waited longest, within the work that this thread is doing.
    ///
    /// For a caller that blocks the thread while it waits for an effect that such a job may have.
    /// - Returns: false if none is waiting.
    package func runNext() -> Bool {
        guard let job = jobs.popFirst() else { return false }
        var budget = Int.max
        _ = job.run(&budget)
        return true
    }

    /// Queues a job after those that wait. If the trampoline is not open, runs the job at once, and then the jobs that it queues.
    @usableFromInline
    package func submit(_ job: Job) {
        if isOpen {
            jobs.append(job)
        } else {
            run {
                jobs.append(job)
            }
        }
    }

    /// Tells whether the thread may submit one more job that does what another thread has brought (law L12), and counts it.
    ///
    /// If not, the caller leaves it to a deputy: the thread has to return to what it was doing when the trampoline was opened.
    func admitsForeignJob() -> Bool {
        if !isOpen { return true }
        return session.isDeputys ? session.admitsWork(isForeign: true, pending: 0) : foreignBudget.admitsJob()
    }

    private func drain() {
        while runNext() {}
    }
}

/// Bounds what a thread does for other threads while its trampoline is open, as `DrainSession` bounds the events it delivers for them.
private struct ForeignBudget {
    private var jobs = 0
    /// A time of `MonotonicClock`; 0 before the first job.
    private var deadline: UInt64 = 0

    mutating func admitsJob() -> Bool {
        let now = MonotonicClock.now()
        if deadline == 0 || now >= deadline - DrainSession.timeLimit + DrainSession.renewalTime {
            jobs = DrainSession.eventLimit
            deadline = now + DrainSession.timeLimit
        }
        if now >= deadline { jobs = 0 }
        if jobs == 0 { return false }
        jobs -= 1
        return true
    }
}

extension Trampoline: JobScheduler {
    @usableFromInline
    package func unschedule(_ job: Job) {}

    @usableFromInline
    package var runQueue: RunQueue? { nil }

    @usableFromInline
    package var batchLimit: Int { 1 }
}

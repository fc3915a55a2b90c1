/// A cold, synchronous source: emits element after element in steps, giving way where other work waits.
///
/// Runs as a plain loop while nothing else is queued on its scheduler, so that no element costs a scheduling; goes to the
/// back of the queue where another source or action waits, which is RxSwift's order (law L11).
@usableFromInline
package class SourceJob<Element>: Job {
    @usableFromInline package final let downstream: Sink<Element>
    @usableFromInline final let scheduler: any JobScheduler

    @inlinable
    package init(downstream: Sink<Element>, scheduler: any JobScheduler) {
        self.downstream = downstream
        self.scheduler = scheduler
        super.init()
    }

    /// Links the downstream and hands the job to its scheduler.
    @usableFromInline
    package final func begin() {
        downstream.link(self)
        scheduler.post(self)
    }

    /// Emits the next event.
    ///
    /// - Returns: whether there is more to come: false after a terminal event.
    @usableFromInline
    package func step() -> Bool { abstractMethod() }

    /// Emits events one after another, until there is no more, `limit` are emitted, or something else waits.
    ///
    /// Subclasses override it with a loop of their own where the call per element matters.
    @usableFromInline
    package override func run(_ budget: inout Int) -> Bool {
        repeat {
            if isCancelled || !step() { return true }
            budget -= 1
            if scheduler.hasWaitingJobs { break }
        } while budget > 0
        if !isCancelled { scheduler.post(self) }
        return true
    }

    @usableFromInline
    package override func cancel() {
        if takeUpstream() != nil { scheduler.withdraw(self) }
    }
}

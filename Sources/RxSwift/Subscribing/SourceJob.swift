// SPDX-License-Identifier: Apache-2.0

/// A cold, synchronous source: emits element after element in steps, giving way where other work waits.
///
/// Runs as a plain loop while nothing else is queued on its scheduler, so that no element costs a scheduling; goes to the
/// back of the queue where another source or action waits, which is RxSwift's order (law L11).
@usableFromInline
package class SourceJob<Element>: SchedulerJob, PausableSource {
    @usableFromInline package final let downstream: Sink<Element>
    private final let scheduler: any JobScheduler
    /// The scheduler, if it is the thread's trampoline: asked after each element.
    private final let trampoline: Trampoline?

    /// The number of steps until the stages below learn that this source goes on, which matters while it keeps a thread.
    @exclusivity(unchecked) private final var stepsUntilNote = SourceJobPace.stepsBetweenNotes

    private final let state = PauseState()
    @exclusivity(unchecked) private final var pace: QuestionPace

    @usableFromInline
    package init(downstream: Sink<Element>, scheduler: any JobScheduler) {
        self.downstream = downstream
        self.scheduler = scheduler
        self.trampoline = scheduler as? Trampoline
        // In virtual time, and on a user's own scheduler, a source runs on as in RxSwift: the program turns the clock, and does not know
        // that a source has paused.
        self.pace = scheduler.batchLimit > 1 ? QuestionPace() : .never
        super.init()
    }

    /// Links the downstream and submits the job to its scheduler.
    ///
    /// On the idle main queue the first event is sent at once, as the first action of a recursion is.
    package final func begin() {
        downstream.link(self)
        guard trampoline == nil, let gate = scheduler.inlineGate, gate.tryEnter() else {
            return scheduler.submit(self)
        }
        if !isCancelled, step(), !isCancelled { scheduler.submit(self) }
        gate.leave()
    }

    /// Emits the next event.
    ///
    /// - Returns: true if there is more to come; false after a terminal event.
    package func step() -> Bool { abstractMethod() }

    package override func run(_ budget: inout Int) -> Bool {
        if let trampoline {
            var untilNote = stepsUntilNote
            repeat {
                if isCancelled || !step() { return true }
                untilNote -= 1
                if untilNote == 0 {
                    downstream.upstreamGoesOn()
                    untilNote = SourceJobPace.stepsBetweenNotes
                }
            } while !trampoline.hasWaitingJobs
            stepsUntilNote = untilNote
        } else {
            repeat {
                if isCancelled || !step() { return true }
                budget -= 1
                if pace.isDue(), pauses() { return true }
            } while budget > 0 && !scheduler.hasWaitingJobs
        }
        // The job is submitted anew rather than kept in front: other work comes first, and virtual time moves on.
        if !isCancelled { scheduler.submit(self) }
        return true
    }

    /// Asks the stages below. After true the job is theirs, and submitted anew by `resume`.
    @inline(never)
    private final func pauses() -> Bool {
        pace.willAsk()
        state.willAsk()
        if !downstream.pauses(self) { return false }
        pace.willPause()
        return state.pause()
    }

    @usableFromInline
    package final func resume() {
        if state.resume(), !isCancelled { scheduler.submit(self) }
    }

    package override func quiesceLoop() -> UInt { quiesce() }

    package override func cancel() {
        if takeUpstream() != nil, trampoline == nil { scheduler.unschedule(self) }
    }
}

private enum SourceJobPace {
    static var stepsBetweenNotes: Int { 1_024 }
}

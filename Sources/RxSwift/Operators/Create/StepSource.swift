// SPDX-License-Identifier: Apache-2.0

/// A sequence that a closure emits step by step.
@usableFromInline
final class StepSource<Element>: Observable<Element>, @unchecked Sendable {
    /// Emits the next event through the job and tells whether more events follow.
    @usableFromInline typealias Step = (StepJob<Element>) -> Bool

    private let scheduler: any ImmediateSchedulerType
    private let jobType: StepJob<Element>.Type
    private let makeStep: () -> Step

    /// - Parameters:
    ///   - scheduler: runs the steps.
    ///   - makeStep: runs once per subscription, and returns the closure that emits its events.
    @inlinable
    convenience init(scheduler: any ImmediateSchedulerType, makeStep: @escaping () -> Step) {
        self.init(scheduler: scheduler, jobType: StepJob<Element>.self, makeStep: makeStep)
    }

    @usableFromInline
    init(scheduler: any ImmediateSchedulerType, jobType: StepJob<Element>.Type, makeStep: @escaping () -> Step) {
        self.scheduler = scheduler
        self.jobType = jobType
        self.makeStep = makeStep
        super.init()
    }

    override func subscribeCore(_ downstream: Sink<Element>) {
        jobType.init(step: makeStep(), downstream: downstream, scheduler: sourceScheduler(for: scheduler)).begin()
    }
}

@usableFromInline
final class StepJob<Element>: SourceJob<Element> {
    private let body: StepSource<Element>.Step

    required init(step: @escaping StepSource<Element>.Step, downstream: Sink<Element>, scheduler: any JobScheduler) {
        body = step
        super.init(downstream: downstream, scheduler: scheduler)
    }

    override func step() -> Bool { body(self) }

    // For the step: each sends an event, unless a closure of the user has disposed of the subscription meanwhile, and returns whether
    // more events follow.

    @inlinable
    func emit(_ element: Element) -> Bool {
        if isCancelled { return false }
        downstream.next(element)
        return true
    }

    @usableFromInline
    func complete() -> Bool {
        if !isCancelled { downstream.completed() }
        return false
    }

    @usableFromInline
    func fail(_ error: any Swift.Error) -> Bool {
        if !isCancelled { downstream.error(error) }
        return false
    }
}

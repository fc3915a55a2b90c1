/// A sequence that a closure emits step by step.
@usableFromInline
final class StepSource<Element>: Observable<Element> {
    /// Emits the next event and tells whether more events follow.
    @usableFromInline typealias Step = (Sink<Element>) -> Bool

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
    private let makeStep: StepSource<Element>.Step

    required init(step: @escaping StepSource<Element>.Step, downstream: Sink<Element>, scheduler: any JobScheduler) {
        makeStep = step
        super.init(downstream: downstream, scheduler: scheduler)
    }

    override func step() -> Bool { makeStep(downstream) }
}

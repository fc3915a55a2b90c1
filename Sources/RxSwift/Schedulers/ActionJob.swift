import Dispatch
import RxPrimitives

/// A scheduled action: the job a scheduler holds, and the disposable the user gets.
@usableFromInline
final class ActionJob<State>: Job, Cancelable {
    private let state: State
    private let action: (State) -> any Disposable
    private let scheduler: any JobScheduler

    @usableFromInline
    init(state: State, action: @escaping (State) -> any Disposable, scheduler: any JobScheduler) {
        self.state = state
        self.action = action
        self.scheduler = scheduler
        super.init()
    }

    @usableFromInline
    var isDisposed: Bool { isCancelled }

    override func run(_ budget: inout Int) -> Bool {
        if !isCancelled {
            let disposable = action(state)
            // Disposed of at once if this job was disposed of meanwhile.
            if !(disposable is EmptyDisposable) { link(DisposableStage(disposable)) }
        }
        return true
    }

    @usableFromInline
    func dispose() { cancel() }

    override func cancel() {
        guard let upstream = takeUpstream() else { return }
        scheduler.withdraw(self)
        upstream.take()?.cancel()
    }
}

/// An action that is run again and again.
final class PeriodicJob<State>: Job, Cancelable {
    /// Only the run under way touches it.
    private var state: State
    private let action: (State) -> State
    private let period: DispatchTimeInterval
    private let scheduler: any TimedJobScheduler
    /// When the next run is due, on the scheduler's clock.
    private var due: Int64

    init(
        state: State, startAfter: DispatchTimeInterval, period: DispatchTimeInterval, action: @escaping (State) -> State,
        scheduler: any TimedJobScheduler
    ) {
        self.state = state
        self.action = action
        self.period = period
        self.scheduler = scheduler
        due = scheduler.instant.addingClamped(startAfter.nanosecondsClamped)
        super.init()
        scheduler.post(self, after: startAfter)
    }

    var isDisposed: Bool { isCancelled }

    override func run(_ budget: inout Int) -> Bool {
        if isCancelled { return true }
        state = action(state)
        if isCancelled { return true }
        // Counted from when this run was due, so that the period does not drift; runs that were missed are not made up for.
        let now = scheduler.instant
        let step = max(period.nanosecondsClamped, 1)
        due = due.addingClamped(step)
        if due < now { due += (now - due) / step * step }
        scheduler.post(self, after: .nanoseconds(Int(max(0, due - now))))
        if isCancelled { scheduler.withdraw(self) }
        return true
    }

    func dispose() { cancel() }

    override func cancel() {
        if takeUpstream() != nil { scheduler.withdraw(self) }
    }
}

extension Int64 {
    func addingClamped(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}

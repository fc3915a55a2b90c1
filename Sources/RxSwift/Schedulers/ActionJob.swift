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
    private let scheduler: any TimedJobScheduler
    private var pace: Pace

    init(
        state: State, startAfter: DispatchTimeInterval, period: DispatchTimeInterval, action: @escaping (State) -> State,
        scheduler: any TimedJobScheduler
    ) {
        self.state = state
        self.action = action
        self.scheduler = scheduler
        pace = Pace(
            period: period.nanosecondsClamped,
            due: scheduler.instant.addingClamped(startAfter.nanosecondsClamped))
        super.init()
        scheduler.post(self, after: startAfter)
    }

    var isDisposed: Bool { isCancelled }

    override func run(_ budget: inout Int) -> Bool {
        if isCancelled { return true }
        state = action(state)
        if isCancelled { return true }
        scheduler.post(self, after: .nanoseconds(Int(pace.next(at: scheduler.instant))))
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

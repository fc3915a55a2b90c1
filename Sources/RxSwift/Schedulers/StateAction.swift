public import RxPrimitives

/// An action with its state, in one object, that a scheduler runs once. Cancelling releases both, unless the action has started.
///
/// Where the caller's module is optimized, the class is known there, and nothing is looked up.
@usableFromInline
package final class StateAction<State>: Job, Cancelable {
    /// 0: waiting. 1: claimed by the one that runs or drops the action, for ever.
    @usableFromInline let claim = AtomicWord(0)

    /// Belongs to the one that claims them.
    @exclusivity(unchecked) @usableFromInline var work: (state: State, action: (State) -> any Disposable)?

    @inlinable
    package init(_ state: State, _ action: @escaping (State) -> any Disposable) {
        work = (state, action)
        super.init()
    }

    @usableFromInline
    package var isDisposed: Bool { isCancelled }

    @usableFromInline
    package func dispose() { cancel() }

    @inlinable
    package override func run(_ budget: inout Int) -> Bool {
        if let work = takeWork() { keep(work.action(work.state)) }
        return true
    }

    @usableFromInline
    package override func cancel() {
        guard let upstream = takeUpstream() else { return }
        _ = takeWork()
        upstream.take()?.cancel()
    }

    package override func wasRefused() -> Bool {
        defer { cancel() }
        return !isCancelled
    }

    @inlinable
    func takeWork() -> (state: State, action: (State) -> any Disposable)? {
        guard claim.exchange(1) == 0 else { return nil }
        let taken = work
        work = nil
        return taken
    }
}

extension Job {
    /// Keeps what an action returned, to be disposed of with this job.
    @usableFromInline
    package final func keep(_ result: any Disposable) {
        // Most actions have nothing to dispose of: no stage is made for them.
        if !Job.isEmpty(result) { link(DisposableStage(result)) }
    }

    /// Whether an action returned nothing that would have to be disposed of.
    package static func isEmpty(_ result: any Disposable) -> Bool { type(of: result) == EmptyDisposable.self }
}

// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// Runs the tasks of `asyncMap`, and delivers their outcomes.
///
/// Each task is a worker: it transforms an element, delivers the outcome, and takes the next element if one waits. One worker at a time
/// delivers; those that finish meanwhile leave their outcomes to it.
final class AsyncMapCoordinator<Element, Result>: SerializedSink<Result>, @unchecked Sendable {
    typealias Transform = @Sendable (Element) async throws -> Result
    typealias StateMachine = AsyncMapStateMachine<Element, Result>

    private let priority: TaskPriority?
    private let transform: Transform
    private let backlogPlace = Backlog.Place()

    private let lock = Mutex()
    // The lock protects the following fields.
    @exclusivity(unchecked) private var state: StateMachine
    /// The sources that wait until few elements wait.
    @exclusivity(unchecked) private var waitingSources = WaitingSources()

    /// The number of outcomes that a worker delivers in a row, most of them those of others, before it leaves the rest to another task
    /// (law L12).
    private static var outcomesInARow: Int { 64 }

    package override var operatorName: StaticString { "asyncMap(maxConcurrent:keepsOrder:priority:_:)" }

    init(
        _ state: consuming StateMachine, priority: TaskPriority?, transform: @escaping Transform,
        downstream: Sink<Result>
    ) {
        self.state = state
        self.priority = priority
        self.transform = transform
        super.init(downstream: downstream)
    }

    // MARK: By the source

    func admit(_ element: Element) {
        lock.lock()
        let started = state.admit(element, for: AsyncMapWorker())
        let count = Backlog.count(state.waitingCount, whilePausing: !waitingSources.isEmpty)
        lock.unlock()
        if let started { start(started.work, started.worker) }
        Backlog.noticed(count, at: operatorName, backlogPlace)
    }

    func sourceCompleted() {
        let isLast = lock.withLock { state.sourceCompleted() }
        if isLast { completed() }
        endSource()
    }

    func sourceFailed(_ error: any Swift.Error) {
        self.error(error)
        // The error may have to wait for the drainer. The tasks and the source have ended all the same.
        closeState()
        endSource()
    }

    /// Tells whether so many elements wait that the source has to pause.
    func pausesAtBound(_ source: any PausableSource) -> Bool {
        let inspected: WaitingSources.Inspected? = lock.withLock {
            state.mustPause(isAwaited: !waitingSources.isEmpty) ? waitingSources.add(source) : nil
        }
        return inspected != nil
    }

    // MARK: By the workers

    private func start(_ work: StateMachine.Work, _ worker: AsyncMapWorker) {
        let task = Task(priority: priority) { await run(work, worker) }
        let isWanted = lock.withLock { state.started(work.number, worker, task) }
        if !isWanted { task.cancel() }
    }

    private func run(_ first: StateMachine.Work, _ worker: AsyncMapWorker) async {
        var next: StateMachine.Work? = first
        while let work = next.take() {
            // A closure may have cancelled the task that it ran in.
            if Task.isCancelled, work.number != first.number { return startAnew(work) }
            // The subscription may have ended meanwhile: then no closure begins (law L1).
            guard lock.withLock({ state.begins(work.number) }) else { return }
            do {
                let result = try await transform(work.element)
                next = finish(work.number, .success(result), worker)
            } catch {
                next = finish(work.number, .failure(error), worker)
            }
        }
    }

    /// Returns the element that the worker transforms next.
    private func finish(
        _ number: Int, _ outcome: StateMachine.Outcome, _ worker: AsyncMapWorker
    ) -> StateMachine.Work? {
        lock.lock()
        let finish = state.finish(number, outcome)
        let sources = finish.hasFailed ? waitingSources.takeAll() : nil
        lock.unlock()
        if finish.hasFailed {
            // The error may have to wait for the elements before. The closures above must not run meanwhile (law L1).
            quiesceUpstream()
            for task in finish.tasks { task.cancel() }
            sources?.resume()
        }
        return finish.delivers ? deliver(outcome, worker) : nil
    }

    /// Delivers an outcome, and the outcomes that follow it and are known. Returns an element that the worker transforms next.
    private func deliver(_ first: StateMachine.Outcome, _ worker: AsyncMapWorker) -> StateMachine.Work? {
        var outcome = first
        var kept: StateMachine.Work?
        for _ in 0..<AsyncMapCoordinator.outcomesInARow {
            switch outcome {
            case .success(let result): next(result)
            case .failure(let error):
                sourceFailed(error)
                return nil
            }
            let delivered = finishDelivery(worker)
            if let work = delivered.work {
                if let earlier = kept { startAnew(earlier) }
                kept = work
            }
            if delivered.isLast { completed() }
            guard let next = delivered.next else { return kept }
            outcome = next
        }
        Task(priority: priority) { [outcome] in
            let other = AsyncMapWorker()
            if let work = deliver(outcome, other) { startAnew(work) }
        }
        return kept
    }

    private func finishDelivery(_ worker: AsyncMapWorker) -> StateMachine.Delivered {
        lock.lock()
        let delivered = state.delivered(by: worker)
        let isEmptying = !waitingSources.isEmpty && !state.mustPause(isAwaited: true)
        let sources = isEmptying ? waitingSources.takeAll() : nil
        lock.unlock()
        sources?.resume()
        return delivered
    }

    /// Passes an element to a new worker.
    private func startAnew(_ work: StateMachine.Work) {
        let worker = AsyncMapWorker()
        lock.withLock { state.pass(work, to: worker) }
        start(work, worker)
    }

    // MARK: The end

    override var hasSources: Bool { true }

    override func quiesceSources() {
        super.quiesceSources()
        lock.withLock { state.quiesce() }
    }

    override func cancel() {
        super.cancel()
        closeState()
    }

    /// Cancels the tasks, and releases the waiting elements.
    private func closeState() {
        lock.lock()
        if state.isClosed { return lock.unlock() }
        let remains = state.close()
        let sources = waitingSources.takeAll()
        lock.unlock()
        for task in remains.tasks { task.cancel() }
        sources.resume()
        _ = consume remains
    }
}

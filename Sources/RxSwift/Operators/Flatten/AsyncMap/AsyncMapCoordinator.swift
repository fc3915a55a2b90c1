import RxPrimitives

/// Runs the tasks of `asyncMap`, and delivers their outcomes.
///
/// One task at a time delivers; those that finish meanwhile leave their outcomes to it.
final class AsyncMapCoordinator<Element, Result>: SerializedSink<Result>, @unchecked Sendable {
    typealias Transform = @isolated(any) @Sendable (Element) async throws -> Result
    typealias StateMachine = AsyncMapStateMachine<Element, Result>

    private let priority: TaskPriority?
    private let transform: Transform
    private let backlogPlace = Backlog.Place()

    private let lock = Mutex()
    // The lock protects the following fields.
    @exclusivity(unchecked) private var state: StateMachine
    /// The sources that wait until few elements wait.
    @exclusivity(unchecked) private var waitingSources = WaitingSources()

    /// The number of outcomes that one task delivers, most of them those of other tasks (law L12).
    private static var outcomesPerTask: Int { 64 }

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
        let work = state.admit(element)
        let count = waitingSources.isEmpty ? state.waitingCount : 0
        lock.unlock()
        if let work { start(work) }
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

    // MARK: By the tasks

    private func start(_ work: StateMachine.Work) {
        let task = Task(priority: priority) { [transform] in
            // The subscription may have ended meanwhile: then no closure begins (law L1).
            guard lock.withLock({ state.begins(work.number) }) else { return }
            do {
                let result = try await transform(work.element)
                finish(work.number, .success(result))
            } catch {
                finish(work.number, .failure(error))
            }
        }
        let superfluous = lock.withLock { state.started(work.number, task) }
        superfluous?.cancel()
    }

    private func finish(_ number: Int, _ outcome: StateMachine.Outcome) {
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
        if finish.delivers { deliver() }
    }

    /// Delivers outcomes in their order, while there are any.
    private func deliver() {
        for _ in 0..<AsyncMapCoordinator.outcomesPerTask {
            guard let outcome = lock.withLock({ state.nextOutcome() }) else { return }
            switch outcome {
            case .success(let result): next(result)
            case .failure(let error): return sourceFailed(error)
            }
            settleDelivery()
        }
        Task(priority: priority) { deliver() }
    }

    private func settleDelivery() {
        lock.lock()
        let next = state.delivered()
        let isEmptying = !waitingSources.isEmpty && !state.mustPause(isAwaited: true)
        let sources = isEmptying ? waitingSources.takeAll() : nil
        lock.unlock()
        sources?.resume()
        switch next {
        case .start(let work): start(work)
        case .idle: break
        case .complete: completed()
        }
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

    /// Cancels the tasks, and releases what waits.
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

// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
    /// Transforms each element with an asynchronous closure, in tasks: one after the other, or several at a time.
    ///
    /// An element runs in a task, which goes on with an element that had to wait, if there is one. The task inherits the priority and the
    /// task-local values of the task that starts it: of the one that emits its first element, or of another worker. A closure that is written
    /// in an actor's code runs on that actor. When the subscription ends, the tasks are cancelled, and their outcomes dropped.
    ///
    /// Elements wait while `maxConcurrent` tasks run or have results that were not delivered yet. A source that can pause does so while 16
    /// wait; it also pauses when a stage below does.
    /// - Parameters:
    ///   - maxConcurrent: the greatest number of tasks at a time; a number below 1 counts as 1.
    ///   - keepsOrder: whether results come in the order of their elements. Otherwise they come as soon as they are there.
    ///   - priority: the priority of the tasks.
    ///   - transform: makes the result. An error it throws ends the sequence: after the results of the elements before, if the order is
    ///     kept. Then no later element is transformed.
    /// - Returns: the results, one at a time, on threads of the tasks. Completes after the last one; fails at once if the source fails.
    /// - SeeAlso: [FlatMap](https://reactivex.io/documentation/operators/flatmap.html)
    @preconcurrency
    public func asyncMap<Result>(
        maxConcurrent: Int = 1, keepsOrder: Bool = true, priority: TaskPriority? = nil,
        @_inheritActorContext _ transform: @escaping @Sendable (Element) async throws -> Result
    ) -> Observable<Result> {
        AsyncMap(
            source: asObservable(), limit: max(1, maxConcurrent), keepsOrder: keepsOrder, priority: priority,
            transform: transform)
    }

    /// Turns each element into a sequence with an asynchronous closure, and merges the sequences.
    ///
    /// An element's task, and after it the sequence that it returned, count as one until that sequence has completed: so many run at a time.
    /// Other elements wait; a source that can pause does so while 16 wait. Tasks are cancelled as those of
    /// `asyncMap(maxConcurrent:keepsOrder:priority:_:)`.
    /// - Parameters:
    ///   - maxConcurrent: the greatest number of tasks and sequences at a time; a number below 1 counts as 1.
    ///   - priority: the priority of the tasks.
    ///   - selector: returns a sequence, which is subscribed to on a thread of the task. An error it throws ends the result.
    /// - Returns: the elements of all sequences in order of acceptance, one at a time. The first error ends the sequence; it completes when
    ///   the source and all the others have.
    /// - SeeAlso: [FlatMap](https://reactivex.io/documentation/operators/flatmap.html)
    @preconcurrency
    public func flatMap<Source: ObservableConvertibleType>(
        maxConcurrent: Int, priority: TaskPriority? = nil,
        @_inheritActorContext _ selector: @escaping @Sendable (Element) async throws -> Source
    ) -> Observable<Source.Element> {
        LimitedMerge(
            source: asObservable(), limit: max(1, maxConcurrent), dropsWhenFull: false, name: "flatMap(maxConcurrent:)"
        ) { element in
            AsyncMap(source: .just(element), limit: 1, keepsOrder: true, priority: priority, transform: selector)
                .concatMap { $0 }
        }
    }
}

private final class AsyncMap<Element, Result>: Observable<Result>, @unchecked Sendable {
    private let source: Observable<Element>
    private let limit: Int
    private let keepsOrder: Bool
    private let priority: TaskPriority?
    private let transform: AsyncMapCoordinator<Element, Result>.Transform

    init(
        source: Observable<Element>, limit: Int, keepsOrder: Bool, priority: TaskPriority?,
        transform: @escaping AsyncMapCoordinator<Element, Result>.Transform
    ) {
        self.source = source
        self.limit = limit
        self.keepsOrder = keepsOrder
        self.priority = priority
        self.transform = transform
        super.init()
    }

    override func subscribeCore(_ downstream: Sink<Result>) {
        let coordinator = AsyncMapCoordinator(
            AsyncMapStateMachine(limit: limit, keepsOrder: keepsOrder), priority: priority, transform: transform,
            downstream: downstream)
        coordinator.linkDownstream()
        source.subscribeCore(AsyncMapSink(coordinator: coordinator))
    }
}

/// Receives the elements that are transformed.
private final class AsyncMapSink<Element, Result>: Sink<Element> {
    private let coordinator: AsyncMapCoordinator<Element, Result>

    init(coordinator: AsyncMapCoordinator<Element, Result>) {
        self.coordinator = coordinator
        super.init()
    }

    override func link(_ stage: Stage) { coordinator.link(stage) }

    override func next(_ element: Element) { coordinator.admit(element) }

    override func error(_ error: any Swift.Error) { coordinator.sourceFailed(error) }

    override func completed() { coordinator.sourceCompleted() }

    override func upstreamGoesOn() { coordinator.upstreamGoesOn() }

    override func pauses(_ source: any PausableSource) -> Bool {
        coordinator.pausesAtBound(source) || coordinator.pauses(source)
    }
}

// SPDX-License-Identifier: Apache-2.0

/// The closures that `do` runs at terminal events, before and after the downstream handles them.
///
/// An object, which the sinks share: they must not retain the observable, and with it the source. Four closures in each sink would make the
/// stack frames of its end larger (law L8).
@usableFromInline
final class TerminationActions {
    @usableFromInline let onError: ((any Swift.Error) throws -> Void)?
    @usableFromInline let afterError: ((any Swift.Error) throws -> Void)?
    @usableFromInline let onCompleted: (() throws -> Void)?
    @usableFromInline let afterCompleted: (() throws -> Void)?

    @inlinable
    init(
        onError: ((any Swift.Error) throws -> Void)?, afterError: ((any Swift.Error) throws -> Void)?,
        onCompleted: (() throws -> Void)?, afterCompleted: (() throws -> Void)?
    ) {
        self.onError = onError
        self.afterError = afterError
        self.onCompleted = onCompleted
        self.afterCompleted = afterCompleted
    }
}

/// The part of `do` that runs closures at terminal events.
@usableFromInline
final class DoOnTermination<Element>: Observable<Element>, @unchecked Sendable {
    @usableFromInline let source: Observable<Element>
    @usableFromInline let actions: TerminationActions
    @usableFromInline let sinkType: DoOnTerminationSink<Element>.Type

    @inlinable
    init(source: Observable<Element>, actions: TerminationActions) {
        self.source = source
        self.actions = actions
        self.sinkType = DoOnTerminationSink<Element>.self
        super.init()
    }

    override func subscribeCore(_ downstream: Sink<Element>) {
        source.subscribeCore(sinkType.init(actions, isAdjacent: true, downstream: downstream))
    }

    override func queueHeldByCaller(mainQueueRuns: Bool) -> String? {
        source.queueHeldByCaller(mainQueueRuns: mainQueueRuns)
    }

    override func aboveOperator() -> Observable<Element> { AboveOperator(self) }

    @usableFromInline
    override func subscribeCoreAboveOperator(_ downstream: Sink<Element>) {
        source.subscribeCore(sinkType.init(actions, isAdjacent: false, downstream: downstream))
    }
}

@usableFromInline
final class DoOnTerminationSink<Element>: LinearSink<Element, Element> {
    private let actions: TerminationActions
    /// True if no operator without a stage stands between this stage and the downstream.
    private let isAdjacent: Bool

    required init(_ actions: TerminationActions, isAdjacent: Bool, downstream: Sink<Element>) {
        self.actions = actions
        self.isAdjacent = isAdjacent
        super.init(downstream: downstream)
    }

    override func next(_ element: Element) { downstream.next(element) }

    override func error(_ error: any Swift.Error) {
        if isCancelled { return }
        do {
            try actions.onError?(error)
        } catch {
            return fail(error)
        }
        // An error that this closure throws comes too late: no event may follow the terminal event.
        if isAdjacent, !isCancelled, let afterError = actions.afterError {
            return downstream.error(error, then: { try? afterError(error) })
        }
        if !isCancelled { downstream.error(error) }
        try? actions.afterError?(error)
    }

    override func completed() {
        if isCancelled { return }
        do {
            try actions.onCompleted?()
        } catch {
            return fail(error)
        }
        if isAdjacent, !isCancelled, let afterCompleted = actions.afterCompleted {
            return downstream.completed(then: { try? afterCompleted() })
        }
        if !isCancelled { downstream.completed() }
        try? actions.afterCompleted?()
    }
}

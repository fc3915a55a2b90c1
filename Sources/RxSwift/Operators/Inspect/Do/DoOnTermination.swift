/// The part of `do` that runs closures at terminal events.
@usableFromInline
final class DoOnTermination<Element>: Observable<Element> {
    @usableFromInline let source: Observable<Element>
    @usableFromInline let onError: ((any Swift.Error) throws -> Void)?
    @usableFromInline let afterError: ((any Swift.Error) throws -> Void)?
    @usableFromInline let onCompleted: (() throws -> Void)?
    @usableFromInline let afterCompleted: (() throws -> Void)?
    @usableFromInline let sinkType: DoOnTerminationSink<Element>.Type

    @inlinable
    init(
        source: Observable<Element>,
        onError: ((any Swift.Error) throws -> Void)?, afterError: ((any Swift.Error) throws -> Void)?,
        onCompleted: (() throws -> Void)?, afterCompleted: (() throws -> Void)?
    ) {
        self.source = source
        self.onError = onError
        self.afterError = afterError
        self.onCompleted = onCompleted
        self.afterCompleted = afterCompleted
        self.sinkType = DoOnTerminationSink<Element>.self
        super.init()
    }

    override func subscribeCore(_ downstream: Sink<Element>) {
        source.subscribeCore(sinkType.init(observable: self, isAdjacent: true, downstream: downstream))
    }

    override func aboveOperator() -> Observable<Element> { AboveOperator(self) }

    @usableFromInline
    override func subscribeCoreAboveOperator(_ downstream: Sink<Element>) {
        source.subscribeCore(sinkType.init(observable: self, isAdjacent: false, downstream: downstream))
    }
}

@usableFromInline
final class DoOnTerminationSink<Element>: LinearSink<Element, Element> {
    private let observable: DoOnTermination<Element>
    /// True if no operator without a stage stands between this stage and the downstream.
    private let isAdjacent: Bool

    required init(observable: DoOnTermination<Element>, isAdjacent: Bool, downstream: Sink<Element>) {
        self.observable = observable
        self.isAdjacent = isAdjacent
        super.init(downstream: downstream)
    }

    override func next(_ element: Element) { downstream.next(element) }

    override func error(_ error: any Swift.Error) {
        if isCancelled { return }
        do {
            try observable.onError?(error)
        } catch {
            return fail(error)
        }
        // An error that this closure throws comes too late: no event may follow the terminal event.
        if isAdjacent, !isCancelled, let afterError = observable.afterError {
            return downstream.error(error, then: { try? afterError(error) })
        }
        if !isCancelled { downstream.error(error) }
        try? observable.afterError?(error)
    }

    override func completed() {
        if isCancelled { return }
        do {
            try observable.onCompleted?()
        } catch {
            return fail(error)
        }
        if isAdjacent, !isCancelled, let afterCompleted = observable.afterCompleted {
            return downstream.completed(then: { try? afterCompleted() })
        }
        if !isCancelled { downstream.completed() }
        try? observable.afterCompleted?()
    }
}

// SPDX-License-Identifier: Apache-2.0

/// The part of `do` that runs closures at elements.
@usableFromInline
final class DoOnNext<Element>: Observable<Element>, @unchecked Sendable {
    @usableFromInline let source: Observable<Element>
    @usableFromInline let onNext: (Element) throws -> Void
    @usableFromInline let afterNext: (Element) throws -> Void
    /// True if the source belongs to another operator, and is not another part of the same `do`.
    @usableFromInline let isAlone: Bool
    @usableFromInline let sinkType: DoOnNextSink<Element>.Type

    @inlinable
    init(
        source: Observable<Element>, onNext: ((Element) throws -> Void)?, afterNext: ((Element) throws -> Void)?,
        isAlone: Bool
    ) {
        self.source = source
        // Calling a closure that does nothing costs less per element than asking whether there is one, which would retain it.
        self.onNext = onNext ?? { _ in }
        self.afterNext = afterNext ?? { _ in }
        self.isAlone = isAlone
        self.sinkType = DoOnNextSink<Element>.self
        super.init()
    }

    override func subscribeCore(_ downstream: Sink<Element>) {
        let sink = sinkType.init(onNext: onNext, afterNext: afterNext, isAlone: isAlone, downstream: downstream)
        if isAlone { source.subscribeCoreAboveOperator(sink) } else { source.subscribeCore(sink) }
    }

    override func queueHeldByCaller(mainQueueRuns: Bool) -> String? {
        source.queueHeldByCaller(mainQueueRuns: mainQueueRuns)
    }

    override func aboveOperator() -> Observable<Element> { AboveOperator(self) }

    @usableFromInline
    override func subscribeCoreAboveOperator(_ downstream: Sink<Element>) {
        let sink = sinkType.init(onNext: onNext, afterNext: afterNext, isAlone: true, downstream: downstream)
        source.subscribeCoreAboveOperator(sink)
    }
}

@usableFromInline
final class DoOnNextSink<Element>: LinearSink<Element, Element> {
    private let onNext: (Element) throws -> Void
    private let afterNext: (Element) throws -> Void
    /// True as in `DoOnNext`, and also if the downstream belongs to another operator.
    private let isAlone: Bool

    required init(
        onNext: @escaping (Element) throws -> Void, afterNext: @escaping (Element) throws -> Void, isAlone: Bool,
        downstream: Sink<Element>
    ) {
        self.onNext = onNext
        self.afterNext = afterNext
        self.isAlone = isAlone
        super.init(downstream: downstream)
    }

    package override var endingStage: AnySink? { downstream.endingStage }

    // This sink forms one operator with the `DoOnTerminationSink` above it.

    override func error(_ error: any Swift.Error, then after: () -> Void) {
        if isAlone || isCancelled { return super.error(error, then: after) }
        downstream.error(error, then: after)
    }

    override func completed(then after: () -> Void) {
        if isAlone || isCancelled { return super.completed(then: after) }
        downstream.completed(then: after)
    }

    override func next(_ element: Element) {
        do {
            try onNext(element)
            if !isCancelled { downstream.next(element) }
            try afterNext(element)
        } catch {
            fail(error)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

/// An operator without state that makes at most one event out of each element.
///
/// The work on an element is a closure which receives the sink, not one that returns a value: the caller's module
/// knows the types and builds optionals, tuples and events there, without the look-up of type metadata that this module
/// would need per element.
@usableFromInline
final class ElementOperator<Element, Output>: FusibleOperator<Element, Output>, @unchecked Sendable {
    @usableFromInline let handle: (Element, ElementSink<Element, Output>) throws -> Void
    @usableFromInline let sinkType: ElementSink<Element, Output>.Type

    /// - Parameters:
    ///   - work: the same as `handle` as one step of several, where that is possible.
    ///   - handle: calls `emit` or `finish` of the sink at most once, and then returns; an error that it throws ends the sequence.
    @inlinable
    init(
        source: Observable<Element>, work: FusedWork? = nil,
        handle: @escaping (Element, ElementSink<Element, Output>) throws -> Void
    ) {
        self.handle = handle
        self.sinkType = ElementSink<Element, Output>.self
        super.init(source: source, makes: true, work: work)
    }

    @usableFromInline
    override func makeStage(_ downstream: Sink<Output>) -> Sink<Element> {
        sinkType.init(handle: handle, downstream: downstream)
    }
}

@usableFromInline
final class ElementSink<Element, Output>: LinearSink<Element, Output> {
    private let handle: (Element, ElementSink<Element, Output>) throws -> Void

    required init(
        handle: @escaping (Element, ElementSink<Element, Output>) throws -> Void, downstream: Sink<Output>
    ) {
        self.handle = handle
        super.init(downstream: downstream)
    }

    package override var endingStage: AnySink? { downstream.endingStage }

    override func next(_ element: Element) {
        do {
            try handle(element, self)
        } catch {
            fail(error)
        }
    }

    /// Passes an element on, unless the closure has disposed of the subscription.
    @inlinable
    func emit(_ element: Output) {
        if !isCancelled { downstream.next(element) }
    }

    /// Ends the sequence, unless the closure has disposed of the subscription.
    @usableFromInline
    func finish() {
        if !isCancelled { downstream.completed() }
    }
}

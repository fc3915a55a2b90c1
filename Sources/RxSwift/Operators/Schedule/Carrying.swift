// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
    /// Carries a task-local value across hops and timers, with each element.
    ///
    ///     requests
    ///         .carrying(Trace.$id) { $0.observe(on: worker).delay(.seconds(1), scheduler: worker) }
    ///         .subscribe(onNext: { handle($0) })     // `Trace.id` is the one that was bound at the source
    ///
    /// An element is delivered with the value that was bound where it came to this operator; tasks that observers make inherit it. The terminal
    /// event is delivered with what is bound on its thread.
    ///
    /// Apply it to the source itself. Where threads or callbacks emit at once, at a subject or in `merge`, one thread delivers the elements
    /// of others, with the value that it has bound: below such a place the value may be another element's. To carry several values, nest. Costs O(1) per element, and no allocation.
    /// - Parameters:
    ///   - local: the task-local value, as the projection of its property: `Trace.$id`.
    ///   - operators: the part of the chain that changes threads. It may use all operators that need not look into the elements.
    public func carrying<Value: Sendable>(
        _ local: TaskLocal<Value>,
        through operators: (Observable<Carried<Element, Value>>) -> Observable<Carried<Element, Value>>
    ) -> Observable<Element> {
        let carried = operators(asObservable().map { Carried(element: $0, value: local.get()) })
        return CarriedElements(source: carried, local: local)
    }
}

/// An element, and a task-local value that goes with it. See `carrying(_:through:)`.
public struct Carried<Element, Value: Sendable> {
    /// The element.
    public let element: Element
    /// The value that was bound when the element came to the operator.
    public let value: Value
}

extension Carried: Weighted where Element: Weighted {
    public var weightInBytes: Int { element.weightInBytes }
}

private final class CarriedElements<Element, Value: Sendable>: Observable<Element>, @unchecked Sendable {
    private let source: Observable<Carried<Element, Value>>
    private let local: TaskLocal<Value>

    init(source: Observable<Carried<Element, Value>>, local: TaskLocal<Value>) {
        self.source = source
        self.local = local
        super.init()
    }

    override func subscribeCore(_ downstream: Sink<Element>) {
        source.subscribeCore(CarriedElementsSink(local: local, downstream: downstream))
    }
}

private final class CarriedElementsSink<Element, Value: Sendable>: LinearSink<Carried<Element, Value>, Element> {
    private let local: TaskLocal<Value>

    init(local: TaskLocal<Value>, downstream: Sink<Element>) {
        self.local = local
        super.init(downstream: downstream)
    }

    override func next(_ carried: Carried<Element, Value>) {
        local.withValue(carried.value) { downstream.next(carried.element) }
    }
}

// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
    /// Turns the events of this sequence into elements.
    ///
    /// A terminal event is sent as an element too, followed by `completed`: the result never fails.
    /// - SeeAlso: [Materialize](https://reactivex.io/documentation/operators/materialize-dematerialize.html)
    @inlinable
    public func materialize() -> Observable<Event<Element>> {
        LinearOperator(
            asObservable(),
            settings: MaterializeSettings { element, downstream in downstream.next(.next(element)) },
            sinkType: MaterializeSink<Element>.self)
    }
}

@usableFromInline
struct MaterializeSettings<Element> {
    @usableFromInline let emit: (Element, Sink<Event<Element>>) -> Void

    /// - Parameter emit: sends an element's event. A closure of the caller's module, which needs no look-up of the event's metadata.
    @inlinable
    init(emit: @escaping (Element, Sink<Event<Element>>) -> Void) { self.emit = emit }
}

@usableFromInline
final class MaterializeSink<Element>: OperatorSink<Element, Event<Element>, MaterializeSettings<Element>> {
    private let emit: (Element, Sink<Event<Element>>) -> Void

    required init(_ settings: MaterializeSettings<Element>, downstream: Sink<Event<Element>>) {
        self.emit = settings.emit
        super.init(downstream: downstream)
    }

    override func next(_ element: Element) { emit(element, downstream) }

    override func error(_ error: any Swift.Error) { end(.error(error)) }

    override func completed() { end(.completed) }

    private func end(_ event: Event<Element>) {
        if isCancelled { return }
        downstream.next(event)
        if !isCancelled { downstream.completed() }
    }
}

// SPDX-License-Identifier: Apache-2.0

extension ObservableType where Element: EventConvertible {
    /// Turns elements that stand for events back into events.
    ///
    /// The first element that stands for a terminal event ends the sequence; so do the source's own terminal events.
    /// - SeeAlso: [Dematerialize](https://reactivex.io/documentation/operators/materialize-dematerialize.html)
    @inlinable
    public func dematerialize() -> Observable<Element.Element> {
        ElementOperator(source: asObservable()) { element, sink in
            switch element.event {
            case .next(let element): sink.emit(element)
            case .error(let error): throw error
            case .completed: sink.finish()
            }
        }
    }
}

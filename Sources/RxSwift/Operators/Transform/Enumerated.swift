// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
    /// Pairs each element with its index, counted from 0.
    ///
    /// - SeeAlso: [Map](https://reactivex.io/documentation/operators/map.html)
    @inlinable
    public func enumerated() -> Observable<(index: Int, element: Element)> {
        LinearOperator(
            asObservable(),
            settings: EnumeratedSettings { index, element, downstream in
                downstream.next((index: index, element: element))
            },
            sinkType: EnumeratedSink<Element>.self)
    }
}

@usableFromInline
struct EnumeratedSettings<Element> {
    @usableFromInline
    typealias Emit = (Int, Element, Sink<(index: Int, element: Element)>) -> Void

    @usableFromInline let emit: Emit

    /// - Parameter emit: sends the pair. A closure of the caller's module, which needs no look-up of the pair's metadata.
    @inlinable
    init(emit: @escaping Emit) { self.emit = emit }
}

@usableFromInline
final class EnumeratedSink<Element>: OperatorSink<
    Element, (index: Int, element: Element), EnumeratedSettings<Element>
>
{
    private let emit: EnumeratedSettings<Element>.Emit
    private var index = 0

    required init(_ settings: EnumeratedSettings<Element>, downstream: Sink<(index: Int, element: Element)>) {
        self.emit = settings.emit
        super.init(downstream: downstream)
    }

    override func next(_ element: Element) {
        let index = self.index
        self.index = index + 1
        emit(index, element, downstream)
    }
}

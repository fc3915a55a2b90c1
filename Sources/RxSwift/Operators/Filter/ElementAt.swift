// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
    /// The element at an index, and nothing else.
    ///
    /// Ends with `RxError.argumentOutOfRange` if the sequence completes before that index.
    /// - Parameter index: the index, counted from 0, not negative.
    /// - SeeAlso: [ElementAt](https://reactivex.io/documentation/operators/elementat.html)
    @inlinable
    public func element(at index: Int) -> Observable<Element> {
        if index < 0 { fatalError("element(at:): the index must not be negative, is \(index)") }
        return LinearOperator(asObservable(), settings: index, sinkType: ElementAtSink<Element>.self)
    }

    /// The former name of `element(at:)`.
    ///
    /// - Parameter index: the index, counted from 0, not negative.
    @available(*, deprecated, renamed: "element(at:)")
    public func elementAt(_ index: Int) -> Observable<Element> {
        element(at: index)
    }
}

@usableFromInline
final class ElementAtSink<Element>: OperatorSink<Element, Element, Int> {
    /// The number of elements that are still to be dropped.
    private var remaining: Int

    required init(_ index: Int, downstream: Sink<Element>) {
        self.remaining = index
        super.init(downstream: downstream)
    }

    override func next(_ element: Element) {
        let remaining = self.remaining
        self.remaining = remaining - 1
        guard remaining == 0 else { return }
        downstream.next(element)
        if !isCancelled { downstream.completed() }
    }

    override func completed() {
        if !isCancelled, remaining >= 0 { downstream.error(RxError.argumentOutOfRange) }
    }
}

// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
    /// Lets through the elements that satisfy a predicate.
    ///
    /// - Parameter predicate: runs once per element, on the thread that emits it; an error it throws ends the sequence.
    /// - SeeAlso: [Filter](https://reactivex.io/documentation/operators/filter.html)
    @preconcurrency @inlinable
    public func filter(
        _ predicate: @escaping @Sendable (Element) throws -> Bool
    ) -> Observable<Element> {
        Filter(
            source: asObservable(), predicate: predicate,
            work: !_isPOD(Element.self)
                ? nil
                : { element, _ in
                    try predicate(element.assumingMemoryBound(to: Element.self).pointee) ? .passed : .dropped
                })
    }
}

@usableFromInline
final class Filter<Element>: FusibleOperator<Element, Element>, @unchecked Sendable {
    @usableFromInline let predicate: (Element) throws -> Bool
    @usableFromInline let sinkType: FilterSink<Element>.Type

    @inlinable
    init(source: Observable<Element>, predicate: @escaping (Element) throws -> Bool, work: FusedWork?) {
        self.predicate = predicate
        self.sinkType = FilterSink<Element>.self
        super.init(source: source, makes: false, work: work)
    }

    @usableFromInline
    override func makeStage(_ downstream: Sink<Element>) -> Sink<Element> {
        sinkType.init(predicate: predicate, downstream: downstream)
    }
}

@usableFromInline
final class FilterSink<Element>: LinearSink<Element, Element> {
    @usableFromInline let predicate: (Element) throws -> Bool

    required init(predicate: @escaping (Element) throws -> Bool, downstream: Sink<Element>) {
        self.predicate = predicate
        super.init(downstream: downstream)
    }

    package override var endingStage: AnySink? { downstream.endingStage }

    @usableFromInline
    override func next(_ element: Element) {
        do {
            if try predicate(element), !isCancelled { downstream.next(element) }
        } catch {
            fail(error)
        }
    }
}

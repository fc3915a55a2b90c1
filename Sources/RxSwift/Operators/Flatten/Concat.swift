// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
    /// The elements of this sequence, and after it has completed, those of a second one.
    ///
    /// - Parameter second: is subscribed to on the thread on which this sequence completes; not at all if it fails.
    /// - SeeAlso: [Concat](https://reactivex.io/documentation/operators/concat.html)
    @inlinable
    public func concat<Source: ObservableConvertibleType>(
        _ second: Source
    ) -> Observable<Element> where Source.Element == Element {
        Observable.concat([asObservable(), second.asObservable()])
    }

    /// The elements of one sequence after another, as long as they complete.
    ///
    /// Stack and memory do not grow with the number of sequences, however they end, nor with recursion in the last place
    /// of a collection.
    /// - Parameter sequence: iterated lazily, once per subscription: the next source is requested when the one before it has
    ///   completed, on the thread on which it has. An error ends the result.
    /// - SeeAlso: [Concat](https://reactivex.io/documentation/operators/concat.html)
    @inlinable
    public static func concat<Sequence: Swift.Sequence>(
        _ sequence: Sequence
    ) -> Observable<Element> where Sequence.Element == Observable<Element> {
        Concat(sources: sequence, count: nil)
    }

    /// The elements of one sequence after another, as long as they complete.
    ///
    /// Stack and memory do not grow with the number of sequences, however they end, nor with recursion in the last place
    /// of a collection.
    /// - Parameter collection: iterated lazily, once per subscription: the next source is requested when the one before it has
    ///   completed, on the thread on which it has. An error ends the result.
    /// - SeeAlso: [Concat](https://reactivex.io/documentation/operators/concat.html)
    @inlinable
    public static func concat<Collection: Swift.Collection>(
        _ collection: Collection
    ) -> Observable<Element> where Collection.Element == Observable<Element> {
        Concat(sources: collection, count: collection.count)
    }

    /// The elements of one sequence after another, as long as they complete.
    ///
    /// - Parameter sources: each is subscribed to on the thread on which the one before it completes. An error ends the
    ///   result.
    /// - SeeAlso: [Concat](https://reactivex.io/documentation/operators/concat.html)
    @inlinable
    public static func concat(_ sources: Observable<Element>...) -> Observable<Element> {
        Concat(sources: sources, count: sources.count)
    }
}

@usableFromInline
final class Concat<Sources: Sequence, Element>: SourceSequence<Element>, @unchecked Sendable
where Sources.Element == Observable<Element> {
    @usableFromInline let sources: Sources
    @usableFromInline let count: Int?

    @inlinable
    init(sources: Sources, count: Int?) {
        self.sources = sources
        self.count = count
        super.init()
    }

    override func makeIterator() -> SourceIterator<Element> {
        SourceIteratorOf(sources.makeIterator(), count: count, operatorType: Self.self)
    }

    @usableFromInline
    override func subscribeCore(_ downstream: Sink<Element>) {
        let sink = ConcatSink(sources: SourceStack(self), downstream: downstream)
        downstream.link(sink)
        sink.begin()
    }
}

final class ConcatSink<Element>: ResubscribingSink<Element> {
    private let sources: SourceStack<Element>
    private let downstream: Sink<Element>

    init(sources: SourceStack<Element>, downstream: Sink<Element>) {
        self.sources = sources
        self.downstream = downstream
        super.init()
    }

    override func next(_ element: Element) { downstream.next(element) }

    package override func upstreamGoesOn() { downstream.upstreamGoesOn() }

    package override func pauses(_ source: any PausableSource) -> Bool { downstream.pauses(source) }

    override func error(_ error: any Swift.Error) { self.error(error, then: {}) }

    override func error(_ error: any Swift.Error, then after: () -> Void) {
        end({ downstream.error(error) }, then: after)
    }

    override func completed() {
        sourceEnded()
    }

    override func nextSource() -> Observable<Element>? { sources.next { endSource() } }

    override func exhausted() {
        downstream.completed()
        cancel()
    }
}

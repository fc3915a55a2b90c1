// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
    /// The elements of one sequence after another, until one completes.
    ///
    /// Stack and memory do not grow with the number of sequences.
    /// - Parameter sequence: iterated lazily, once per subscription: the next source is requested when the one before it has
    ///   failed, on the thread on which it has. The error of the last one ends the result.
    /// - SeeAlso: [Catch](https://reactivex.io/documentation/operators/catch.html)
    @inlinable
    public static func `catch`<Sequence: Swift.Sequence>(
        sequence: Sequence
    ) -> Observable<Element> where Sequence.Element == Observable<Element> {
        CatchSequence(sources: sequence)
    }

    /// The former name of `catch(sequence:)`.
    @available(*, deprecated, renamed: "catch(sequence:)")
    @inlinable
    public static func catchError<Sequence: Swift.Sequence>(
        _ sequence: Sequence
    ) -> Observable<Element> where Sequence.Element == Observable<Element> {
        CatchSequence(sources: sequence)
    }
}

@usableFromInline
final class CatchSequence<Sources: Sequence, Element>: SourceSequence<Element>, @unchecked Sendable
where Sources.Element == Observable<Element> {
    @usableFromInline let sources: Sources

    @inlinable
    init(sources: Sources) {
        self.sources = sources
        super.init()
    }

    override func makeIterator() -> SourceIterator<Element> {
        SourceIteratorOf(sources.makeIterator(), count: nil, operatorType: Self.self)
    }

    @usableFromInline
    override func subscribeCore(_ downstream: Sink<Element>) {
        let sink = CatchSequenceSink(sources: SourceStack(self), downstream: downstream)
        downstream.link(sink)
        sink.begin()
    }
}

final class CatchSequenceSink<Element>: ResubscribingSink<Element> {
    private let sources: SourceStack<Element>
    private let downstream: Sink<Element>

    /// The error of the source that ended last. The gate passes it on to the thread that subscribes to the next source.
    private var lastError: (any Swift.Error)?

    init(sources: SourceStack<Element>, downstream: Sink<Element>) {
        self.sources = sources
        self.downstream = downstream
        super.init()
    }

    override func next(_ element: Element) { downstream.next(element) }

    package override func upstreamGoesOn() { downstream.upstreamGoesOn() }

    package override func pauses(_ source: any PausableSource) -> Bool { downstream.pauses(source) }

    override func completed() { completed(then: {}) }

    override func completed(then after: () -> Void) {
        end({ downstream.completed() }, then: after)
    }

    override func error(_ error: any Swift.Error) {
        lastError = error
        sourceEnded()
    }

    override func nextSource() -> Observable<Element>? { sources.next { endSource() } }

    override func exhausted() {
        if let lastError {
            downstream.error(lastError)
        } else {
            downstream.completed()
        }
        cancel()
    }
}

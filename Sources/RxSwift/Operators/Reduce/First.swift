// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
    /// The first element of the sequence, or nil if it completes without one.
    ///
    /// - SeeAlso: [First](https://reactivex.io/documentation/operators/first.html)
    @inlinable
    public func first() -> Single<Element?> {
        PrimitiveSequence(raw: First(source: asObservable()))
    }
}

@usableFromInline
final class First<Element>: Observable<Element?>, @unchecked Sendable {
    @usableFromInline let source: Observable<Element>
    @usableFromInline let sinkType: FirstSink<Element>.Type

    @inlinable
    init(source: Observable<Element>) {
        self.source = source
        self.sinkType = FirstSink<Element>.self
        super.init()
    }

    override func queueHeldByCaller(mainQueueRuns: Bool) -> String? {
        source.queueHeldByCaller(mainQueueRuns: mainQueueRuns)
    }

    override func subscribeCore(_ downstream: Sink<Element?>) {
        source.subscribeCore(sinkType.init(downstream: downstream))
    }
}

@usableFromInline
final class FirstSink<Element>: LinearSink<Element, Element?> {
    required override init(downstream: Sink<Element?>) {
        super.init(downstream: downstream)
    }

    /// True once the sequence has ended; set before the terminal event is sent.
    private var hasEnded = false

    override func next(_ element: Element) {
        if hasEnded { return }
        hasEnded = true
        end(with: element)
    }

    override func completed() {
        if !hasEnded, !isCancelled { end(with: nil) }
    }

    private func end(with element: Element?) {
        downstream.next(element)
        if !isCancelled { downstream.completed() }
    }
}

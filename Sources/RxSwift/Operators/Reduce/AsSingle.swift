// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
    /// The only element of the sequence, sent when the sequence completes.
    ///
    /// Ends with `RxError.moreThanOneElement` at a second element, and with `RxError.noElements` if the sequence completes without one.
    /// - SeeAlso: [First](https://reactivex.io/documentation/operators/first.html)
    @inlinable
    public func asSingle() -> Single<Element> {
        PrimitiveSequence(raw: AsSingle(source: asObservable()))
    }
}

@usableFromInline
final class AsSingle<Element>: Observable<Element>, @unchecked Sendable {
    @usableFromInline let source: Observable<Element>
    @usableFromInline let sinkType: AsSingleSink<Element>.Type

    @inlinable
    init(source: Observable<Element>) {
        self.source = source
        self.sinkType = AsSingleSink<Element>.self
        super.init()
    }

    override func queueHeldByCaller(mainQueueRuns: Bool) -> String? {
        source.queueHeldByCaller(mainQueueRuns: mainQueueRuns)
    }

    override func subscribeCore(_ downstream: Sink<Element>) {
        source.subscribeCore(sinkType.init(downstream: downstream))
    }
}

@usableFromInline
final class AsSingleSink<Element>: LinearSink<Element, Element> {
    private var element: Element?
    /// True once the sequence has ended; set before the terminal event is sent.
    private var hasEnded = false

    required override init(downstream: Sink<Element>) {
        super.init(downstream: downstream)
    }

    override func next(_ element: Element) {
        if hasEnded { return }
        if self.element != nil {
            hasEnded = true
            downstream.error(RxError.moreThanOneElement)
        } else {
            self.element = element
        }
    }

    override func completed() {
        if hasEnded || isCancelled { return }
        guard let element else { return downstream.error(RxError.noElements) }
        downstream.next(element)
        if !isCancelled { downstream.completed() }
    }
}

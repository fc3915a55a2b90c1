// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
    /// Lets through a number of elements from the start, and completes after the last of them.
    ///
    /// - Parameter count: the number of elements, not negative. With 0, the sequence completes at once, and the source is not
    ///   subscribed to.
    /// - SeeAlso: [Take](https://reactivex.io/documentation/operators/take.html)
    @inlinable
    public func take(_ count: Int) -> Observable<Element> {
        if count == 0 { EmptySequence() } else { Take(source: asObservable(), count: count) }
    }
}

@usableFromInline
final class Take<Element>: Observable<Element>, @unchecked Sendable {
    @usableFromInline let source: Observable<Element>
    @usableFromInline let count: Int
    @usableFromInline let sinkType: TakeSink<Element>.Type

    @inlinable
    init(source: Observable<Element>, count: Int) {
        if count < 0 { fatalError("take(_:): the count must not be negative, is \(count)") }
        self.source = source
        self.count = count
        self.sinkType = TakeSink<Element>.self
        super.init()
    }

    override func queueHeldByCaller(mainQueueRuns: Bool) -> String? {
        source.queueHeldByCaller(mainQueueRuns: mainQueueRuns)
    }

    override func subscribeCore(_ downstream: Sink<Element>) {
        source.subscribeCore(sinkType.init(count: count, downstream: downstream))
    }
}

@usableFromInline
final class TakeSink<Element>: LinearSink<Element, Element> {
    /// The number of elements still to let through. Only the upstream uses this field, and its calls are serial.
    @exclusivity(unchecked) private var remaining: Int

    required init(count: Int, downstream: Sink<Element>) {
        self.remaining = count
        super.init(downstream: downstream)
    }

    override func next(_ element: Element) {
        // Below 0 the end has been sent, and a cancellation is on its way up on another thread.
        let remaining = self.remaining - 1
        self.remaining = remaining
        if remaining > 0 { return downstream.next(element) }
        if remaining == 0 { finish(with: element) }
    }

    package override var endingStage: AnySink? { self }

    package override var wantsNoMore: Bool { remaining <= 0 || downstream.endingStage?.wantsNoMore ?? false }

    private func finish(with element: Element) {
        downstream.next(element)
        if !isCancelled { downstream.completed() }
    }

    override func error(_ error: any Swift.Error) {
        if remaining > 0 { super.error(error) }
    }

    override func completed() {
        if remaining > 0 { super.completed() }
    }
}

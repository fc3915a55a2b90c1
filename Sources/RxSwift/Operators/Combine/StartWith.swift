// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
    /// Sends elements before those of the sequence.
    ///
    /// - Parameter elements: sent inside `subscribe`, before the source is subscribed to.
    /// - SeeAlso: [StartWith](https://reactivex.io/documentation/operators/startwith.html)
    @inlinable
    public func startWith(_ elements: Element...) -> Observable<Element> {
        StartWith(source: asObservable(), elements: elements)
    }
}

@usableFromInline
final class StartWith<Element>: Observable<Element>, @unchecked Sendable {
    @usableFromInline let source: Observable<Element>
    @usableFromInline let elements: [Element]
    @usableFromInline let sinkType: StartWithSink<Element>.Type

    @inlinable
    init(source: Observable<Element>, elements: [Element]) {
        self.source = source
        self.elements = elements
        self.sinkType = StartWithSink<Element>.self
        super.init()
    }

    override func subscribeCore(_ downstream: Sink<Element>) {
        let sink = sinkType.init(downstream: downstream)
        sink.linkToDownstream()
        for element in elements {
            if sink.isCancelled { break }
            downstream.next(element)
        }
        // The source is subscribed to even if the first elements were enough, an effect that RxSwift has too. It is then cancelled at once.
        source.subscribeCore(sink)
    }
}

@usableFromInline
final class StartWithSink<Element>: LifecycleSink<Element, Element> {
    required override init(downstream: Sink<Element>) {
        super.init(downstream: downstream)
    }

    // A source whose subscriber is a cancelled stage may nevertheless send its first event.
    override func next(_ element: Element) {
        if !isCancelled { downstream.next(element) }
    }

    override func error(_ error: any Swift.Error) {
        if !isCancelled { super.error(error) }
    }

    override func completed() {
        if !isCancelled { super.completed() }
    }

    override func upstreamReleased() { downstream.upstreamReleased() }

    // In RxSwift no operator stands here, but the source itself.

    override func error(_ error: any Swift.Error, then after: () -> Void) {
        if isCancelled { return after() }
        downstream.error(error, then: after)
        cancel()
    }

    override func completed(then after: () -> Void) {
        if isCancelled { return after() }
        downstream.completed(then: after)
        cancel()
    }
}

// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
    /// Continues with another sequence if this one completes without an element.
    ///
    /// - Parameter other: subscribed to when this sequence completes without an element.
    /// - SeeAlso: [DefaultIfEmpty](https://reactivex.io/documentation/operators/defaultifempty.html)
    @inlinable
    public func ifEmpty(switchTo other: Observable<Element>) -> Observable<Element> {
        SwitchIfEmpty(source: asObservable(), other: other)
    }
}

@usableFromInline
final class SwitchIfEmpty<Element>: Observable<Element>, @unchecked Sendable {
    private let source: Observable<Element>
    private let other: Observable<Element>

    @usableFromInline
    init(source: Observable<Element>, other: Observable<Element>) {
        self.source = source
        self.other = other
        super.init()
    }

    override func subscribeCore(_ downstream: Sink<Element>) {
        let links = SwitchIfEmptyLinks()
        downstream.link(links)
        source.subscribeCore(SwitchIfEmptySink(other: other, links: links, downstream: downstream))
    }
}

/// Ends both subscriptions: to the source, and to the other sequence.
private final class SwitchIfEmptyLinks: Stage {
    let source = UpstreamLink()
    let other = UpstreamLink()
    /// Covers the subscription to the other sequence.
    let subscribePhase = SubscribePhase()

    override func forEachFurtherLink(_ body: (Stage) -> Void) {
        body(source)
        body(other)
    }

    override func quiesceBoundary() -> UInt { quiesce() }

    override func cancel() {
        guard takeUpstream() != nil else { return }
        source.cancel()
        other.cancel()
    }
}

private final class SwitchIfEmptySink<Element>: Sink<Element> {
    private let other: Observable<Element>
    private let links: SwitchIfEmptyLinks
    private let downstream: Sink<Element>
    private var isEmpty = true

    init(other: Observable<Element>, links: SwitchIfEmptyLinks, downstream: Sink<Element>) {
        self.other = other
        self.links = links
        self.downstream = downstream
        super.init()
    }

    override func link(_ stage: Stage) { links.source.link(stage) }

    override func next(_ element: Element) {
        if links.isCancelled { return }
        isEmpty = false
        downstream.next(element)
    }

    package override func upstreamGoesOn() { downstream.upstreamGoesOn() }

    package override func pauses(_ source: any PausableSource) -> Bool { downstream.pauses(source) }

    override func error(_ error: any Swift.Error) {
        if links.isCancelled { return }
        downstream.error(error)
        links.source.cancel()
    }

    override func completed() { completed(then: {}) }

    override func completed(then after: () -> Void) {
        if links.isCancelled { return after() }
        guard isEmpty else {
            downstream.completed()
            links.source.cancel()
            return after()
        }
        links.subscribePhase.begin()
        other.start(SwitchedSink(links: links, downstream: downstream))
        _ = links.subscribePhase.end()
        // In RxSwift the source ends by itself (law L11).
        after()
        links.source.cancel()
    }
}

/// Passes the events of the other sequence on.
private final class SwitchedSink<Element>: Sink<Element> {
    private let links: SwitchIfEmptyLinks
    private let downstream: Sink<Element>

    init(links: SwitchIfEmptyLinks, downstream: Sink<Element>) {
        self.links = links
        self.downstream = downstream
        super.init()
    }

    override func link(_ stage: Stage) { links.other.link(stage) }

    override func next(_ element: Element) { downstream.next(element) }

    package override func upstreamGoesOn() { downstream.upstreamGoesOn() }

    package override func pauses(_ source: any PausableSource) -> Bool { downstream.pauses(source) }

    override func error(_ error: any Swift.Error) { self.error(error, then: {}) }

    override func completed() { completed(then: {}) }

    override func error(_ error: any Swift.Error, then after: () -> Void) {
        links.other.end(links.subscribePhase, { downstream.error(error) }, then: after)
    }

    override func completed(then after: () -> Void) {
        links.other.end(links.subscribePhase, { downstream.completed() }, then: after)
    }
}

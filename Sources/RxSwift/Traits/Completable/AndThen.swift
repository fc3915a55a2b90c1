// SPDX-License-Identifier: Apache-2.0

extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Never {
    /// Continues with a single when this completable has completed.
    ///
    /// - Parameter second: subscribed to on the thread on which this one completes; not at all if it fails.
    /// - SeeAlso: [Concat](https://reactivex.io/documentation/operators/concat.html)
    @inlinable
    public func andThen<Element>(_ second: Single<Element>) -> Single<Element> {
        PrimitiveSequence(raw: AndThen(first: primitiveSequence.source, second: second.source))
    }

    /// Continues with a maybe when this completable has completed.
    ///
    /// - Parameter second: subscribed to on the thread on which this one completes; not at all if it fails.
    /// - SeeAlso: [Concat](https://reactivex.io/documentation/operators/concat.html)
    @inlinable
    public func andThen<Element>(_ second: Maybe<Element>) -> Maybe<Element> {
        PrimitiveSequence(raw: AndThen(first: primitiveSequence.source, second: second.source))
    }

    /// Continues with another completable when this one has completed.
    ///
    /// - Parameter second: subscribed to on the thread on which this one completes; not at all if it fails.
    /// - SeeAlso: [Concat](https://reactivex.io/documentation/operators/concat.html)
    @inlinable
    public func andThen(_ second: Completable) -> Completable {
        PrimitiveSequence(raw: CompletableAndThen(first: primitiveSequence.source, second: second.source))
    }

    /// Continues with an observable when this completable has completed.
    ///
    /// - Parameter second: subscribed to on the thread on which this one completes; not at all if it fails.
    /// - SeeAlso: [Concat](https://reactivex.io/documentation/operators/concat.html)
    @inlinable
    public func andThen<Element>(_ second: Observable<Element>) -> Observable<Element> {
        AndThen(first: primitiveSequence.source, second: second)
    }
}

@usableFromInline
final class AndThen<Element>: Observable<Element>, @unchecked Sendable {
    @usableFromInline let first: Observable<Never>
    @usableFromInline let second: Observable<Element>
    @usableFromInline let sinkType: AndThenSink<Element>.Type

    @inlinable
    init(first: Observable<Never>, second: Observable<Element>) {
        self.first = first
        self.second = second
        self.sinkType = AndThenSink<Element>.self
        super.init()
    }

    @usableFromInline
    override func subscribeCore(_ downstream: Sink<Element>) {
        let sink = sinkType.init(second: second, downstream: downstream)
        downstream.link(sink)
        first.subscribeCore(ElementlessSink(receiver: sink))
    }
}

/// `AndThen` where both sources have the same type, so that one sink receives both.
@usableFromInline
final class CompletableAndThen: Observable<Never>, @unchecked Sendable {
    private let first: Observable<Never>
    private let second: Observable<Never>

    @usableFromInline
    init(first: Observable<Never>, second: Observable<Never>) {
        self.first = first
        self.second = second
        super.init()
    }

    override func subscribeCore(_ downstream: Sink<Never>) {
        let sink = AndThenSink(second: second, downstream: downstream)
        downstream.link(sink)
        first.subscribeCore(sink)
    }
}

/// Receives the end of the first source, and then the events of the second.
@usableFromInline
final class AndThenSink<Element>: Sink<Element> {
    /// Nil once it was subscribed to. Only the thread that delivers the first source's end touches it.
    private var second: Observable<Element>?
    private let downstream: Sink<Element>
    private let first = EndingSource()
    /// The phase of subscribing to the second source.
    private let subscribePhase = SubscribePhase()

    required init(second: Observable<Element>, downstream: Sink<Element>) {
        self.second = second
        self.downstream = downstream
        super.init()
    }

    @usableFromInline
    override func next(_ element: Element) { downstream.next(element) }

    package override func upstreamGoesOn() { downstream.upstreamGoesOn() }

    package override func pauses(_ source: any PausableSource) -> Bool { downstream.pauses(source) }

    @usableFromInline
    override func error(_ error: any Swift.Error) { self.error(error, then: {}) }

    @usableFromInline
    override func completed() { completed(then: {}) }

    override func error(_ error: any Swift.Error, then after: () -> Void) {
        end(subscribePhase, { downstream.error(error) }, then: after)
    }

    override func completed(then after: () -> Void) {
        guard let second else { return end(subscribePhase, { downstream.completed() }, then: after) }
        self.second = nil
        first.keep(unlinkSource())
        if !isCancelled {
            subscribePhase.begin()
            second.start(self)
            _ = subscribePhase.end()
        }
        first.cancel()
        after()
    }

    @usableFromInline
    override func cancel() {
        super.cancel()
        first.cancel()
    }
}

/// Passes the end of a source without elements to a sink of another element type.
final class ElementlessSink: Sink<Never> {
    private let receiver: AnySink

    init(receiver: AnySink) {
        self.receiver = receiver
        super.init()
    }

    override func link(_ stage: Stage) { receiver.link(stage) }

    override func error(_ error: any Swift.Error) { receiver.error(error) }

    override func completed() { receiver.completed() }

    override func upstreamGoesOn() { receiver.upstreamGoesOn() }
}

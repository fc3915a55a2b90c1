// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
    /// A sequence that a closure builds from the source, which it may use several times over one subscription to it.
    ///
    /// - Parameters:
    ///   - subjectSelector: runs per subscription and makes the subject through which the source's events go.
    ///   - selector: runs per subscription and returns the sequence that the subscriber gets.
    ///
    /// An error thrown by either closure becomes an error event.
    /// - SeeAlso: [Publish](https://reactivex.io/documentation/operators/publish.html)
    @preconcurrency
    public func multicast<Subject: SubjectType, Result>(
        _ subjectSelector: @escaping @Sendable () throws -> Subject,
        selector: @escaping @Sendable (Observable<Subject.Element>) throws -> Observable<Result>
    ) -> Observable<Result> where Subject.Observer.Element == Element {
        MulticastSelector(source: asObservable(), makeSubject: subjectSelector, selector: selector)
    }
}

final class MulticastSelector<Subject: SubjectType, Result>: Observable<Result>, @unchecked Sendable {
    private let source: Observable<Subject.Observer.Element>
    private let makeSubject: () throws -> Subject
    private let selector: (Observable<Subject.Element>) throws -> Observable<Result>

    init(
        source: Observable<Subject.Observer.Element>, makeSubject: @escaping () throws -> Subject,
        selector: @escaping (Observable<Subject.Element>) throws -> Observable<Result>
    ) {
        self.source = source
        self.makeSubject = makeSubject
        self.selector = selector
        super.init()
    }

    override func subscribeCore(_ downstream: Sink<Result>) {
        let stage = MulticastSelectorStage()
        guard let connection = subscribeSelected(downstream, stage) else { return stage.didSubscribe() }
        source.subscribeCore(connection)
        connection.didSubscribe()
        stage.didSubscribe()
    }

    /// Runs the closures and subscribes to their result, but not to the source, so that a chain of these needs little stack for each
    /// (law L8).
    ///
    /// - Returns: the connection that the caller subscribes to the source, if there is a new one.
    @inline(never)
    private func subscribeSelected(
        _ downstream: Sink<Result>, _ stage: MulticastSelectorStage
    ) -> MulticastConnection<Subject>? {
        let connectable: Multicast<Subject>
        let selected: Observable<Result>
        do {
            let subject = try makeSubject()
            connectable = Multicast(source: source, makeSubject: { subject })
            selected = try selector(connectable)
        } catch {
            downstream.linkAndFail(error)
            return nil
        }
        downstream.link(stage)
        selected.subscribeCore(MulticastSelectorSink(downstream: downstream, stage: stage))
        let (connection, isNew) = connectable.joinConnection()
        stage.connection.link(connection)
        return isNew ? connection : nil
    }
}

/// Ends both the selected sequence and the connection.
final class MulticastSelectorStage: Stage {
    let selected = UpstreamLink()
    let connection = UpstreamLink()

    private let subscribePhase = SubscribePhase(begun: true)

    /// True if the calling thread is subscribing to both.
    var isSubscribing: Bool { subscribePhase.isOnStack }

    func didSubscribe() {
        if subscribePhase.end() { selected.cancel() }
    }

    override func forEachFurtherLink(_ body: (Stage) -> Void) {
        body(selected)
        body(connection)
    }

    override func quiesceBoundary() -> UInt { quiesce() }

    override func cancel() {
        guard takeUpstream() != nil else { return }
        // While the source is being subscribed to, only the source is cancelled at once, because it may be in a loop.
        if connection.isUnlinked || !subscribePhase.postpones() {
            selected.cancel()
        } else {
            selected.quiesceUpstream()
        }
        connection.cancel()
    }
}

final class MulticastSelectorSink<Result>: Sink<Result> {
    private let downstream: Sink<Result>
    private let stage: MulticastSelectorStage

    init(downstream: Sink<Result>, stage: MulticastSelectorStage) {
        self.downstream = downstream
        self.stage = stage
        super.init()
    }

    override func link(_ stage: Stage) { self.stage.selected.link(stage) }

    override func next(_ element: Result) { downstream.next(element) }

    package override func upstreamGoesOn() { downstream.upstreamGoesOn() }

    package override func pauses(_ source: any PausableSource) -> Bool { downstream.pauses(source) }
    override func error(_ error: any Swift.Error) { self.error(error, then: {}) }

    override func completed() { completed(then: {}) }

    override func error(_ error: any Swift.Error, then after: () -> Void) {
        end({ downstream.error(error) }, then: after)
    }

    override func completed(then after: () -> Void) {
        end({ downstream.completed() }, then: after)
    }

    /// Ends both after the selected sequence has ended by itself, which is not postponed. While the source is being subscribed to,
    /// that comes after the closures that `do` runs after the event, as in RxSwift (law L11).
    private func end(_ tell: () -> Void, then after: () -> Void) {
        let isSubscribing = stage.isSubscribing
        tell()
        if isSubscribing { after() }
        stage.selected.cancel()
        stage.cancel()
        if !isSubscribing { after() }
    }
}

extension ObservableType {
    /// A sequence that a closure builds from the source, which it may use several times over one subscription to the source.
    ///
    /// - Parameters:
    ///   - subjectSelector: runs per subscription and makes the subject through which the source's events go.
    ///   - selector: runs per subscription; what it returns is what the subscriber gets.
    ///
    /// What either throws becomes an error event.
    /// - SeeAlso: [Publish](https://reactivex.io/documentation/operators/publish.html)
    @preconcurrency
    public func multicast<Subject: SubjectType, Result>(
        _ subjectSelector: @escaping @Sendable () throws -> Subject,
        selector: @escaping @Sendable (Observable<Subject.Element>) throws -> Observable<Result>
    ) -> Observable<Result> where Subject.Observer.Element == Element {
        MulticastSelector(source: asObservable(), makeSubject: subjectSelector, selector: selector)
    }
}

final class MulticastSelector<Subject: SubjectType, Result>: Observable<Result> {
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

    /// All but subscribing to the source, so that a chain needs little stack for each of these (law L8).
    ///
    /// - Returns: what to subscribe to the source.
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

    /// Whether the calling thread is subscribing to both.
    var isSubscribing: Bool { subscribePhase.isOnStack }

    func didSubscribe() {
        if subscribePhase.end() { selected.cancel() }
    }

    override func quiesce() -> UInt {
        quiesceUpstream()
        selected.quiesceUpstream()
        connection.quiesceUpstream()
        return 0
    }

    override func quiesceBoundary() -> UInt { quiesce() }

    override func cancel() {
        guard takeUpstream() != nil else { return }
        // The source, if that is being subscribed to: it may be in a loop.
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
    override func error(_ error: any Swift.Error) { self.error(error, then: {}) }

    override func completed() { completed(then: {}) }

    override func error(_ error: any Swift.Error, then after: () -> Void) {
        end({ downstream.error(error) }, then: after)
    }

    override func completed(then after: () -> Void) {
        end({ downstream.completed() }, then: after)
    }

    /// The selected sequence has ended by itself, which is not put off; but while the source is being subscribed to it comes behind what
    /// `do` runs after the event, as in RxSwift (law L11).
    private func end(_ tell: () -> Void, then after: () -> Void) {
        let isSubscribing = stage.isSubscribing
        tell()
        if isSubscribing { after() }
        stage.selected.cancel()
        stage.cancel()
        if !isSubscribing { after() }
    }
}

// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

extension ObservableType {
    /// A connectable sequence which passes the source's events on through a subject.
    ///
    /// - Parameter subject: passes the source's events to the subscribers. All connections use it, so it stays ended after a
    ///   terminal event.
    /// - SeeAlso: [Publish](https://reactivex.io/documentation/operators/publish.html)
    public func multicast<Subject: SubjectType>(
        _ subject: Subject
    ) -> ConnectableObservable<Subject.Element> where Subject.Observer.Element == Element {
        Multicast(source: asObservable(), makeSubject: { subject })
    }

    /// A connectable sequence which passes the source's events on through a subject made for each connection.
    ///
    /// - Parameter makeSubject: runs when the first subscriber or connection needs a subject, and again after the connection has
    ///   ended. If two threads need one at the same time it may run twice; the second subject is not used.
    /// - SeeAlso: [Publish](https://reactivex.io/documentation/operators/publish.html)
    @preconcurrency
    public func multicast<Subject: SubjectType>(
        makeSubject: @escaping @Sendable () -> Subject
    ) -> ConnectableObservable<Subject.Element> where Subject.Observer.Element == Element {
        Multicast(source: asObservable(), makeSubject: makeSubject)
    }

    /// A connectable sequence whose subscribers share one subscription to the source.
    ///
    /// - SeeAlso: [Publish](https://reactivex.io/documentation/operators/publish.html)
    public func publish() -> ConnectableObservable<Element> {
        multicast { PublishSubject() }
    }

    /// A connectable sequence whose subscribers share one subscription to the source, and first get its last elements.
    ///
    /// - Parameter bufferSize: the greatest number of elements to repeat; must not be negative.
    /// - SeeAlso: [Replay](https://reactivex.io/documentation/operators/replay.html)
    public func replay(_ bufferSize: Int) -> ConnectableObservable<Element> {
        if bufferSize < 0 { fatalError("swift-rx: replay: bufferSize is \(bufferSize), it must not be negative") }
        return multicast { ReplaySubject.create(bufferSize: bufferSize) }
    }

    /// A connectable sequence whose subscribers share one subscription to the source, and get all its elements.
    ///
    /// - SeeAlso: [Replay](https://reactivex.io/documentation/operators/replay.html)
    public func replayAll() -> ConnectableObservable<Element> {
        multicast { ReplaySubject.createUnbounded() }
    }
}

/// A connectable sequence over a subject of any kind.
final class Multicast<Subject: SubjectType>: ConnectableObservable<Subject.Element>, @unchecked Sendable {
    private let source: Observable<Subject.Observer.Element>
    private let makeSubject: () -> Subject
    private let lock = Mutex()
    /// The state under the lock; the objects that it drops are released outside the lock.
    private var state = ConnectableStateMachine<Subject>()

    init(source: Observable<Subject.Observer.Element>, makeSubject: @escaping () -> Subject) {
        self.source = source
        self.makeSubject = makeSubject
        super.init()
    }

    override func connect() -> any Disposable {
        let (connection, isNew) = joinConnection()
        if isNew { start(connection) }
        return connection
    }

    /// Returns the existing connection, or a new one, which the caller has to subscribe to the source.
    func joinConnection() -> (MulticastConnection<Subject>, isNew: Bool) {
        while true {
            if let joined = joinConnection(ofSubject: currentSubject().number) { return joined }
        }
    }

    /// The same, for the subject of this number; nil if that is out of use.
    ///
    /// Separate from subscribing, so that a chain of connections needs little stack for each (law L8).
    @inline(never)
    private func joinConnection(ofSubject number: Int) -> (MulticastConnection<Subject>, isNew: Bool)? {
        lock.lock()
        let (subject, existing) = state.subject(number)
        lock.unlock()
        guard let subject else { return nil }
        if let existing { return (known(existing), false) }
        let candidate = MulticastConnection(observer: subject.asObserver(), parent: self)
        lock.lock()
        let attempt = state.connect(candidate, ofSubject: number)
        lock.unlock()
        switch attempt {
        case .connected: return (candidate, true)
        case .existing(let connection): return (known(connection), false)
        case .stale: return nil
        }
    }

    /// Casts a connection that `state` holds, which is always of this type.
    private func known(_ connection: AnyObject) -> MulticastConnection<Subject> {
        unsafeDowncast(connection, to: MulticastConnection<Subject>.self)
    }

    // The subject decides this, and no subject starts on the trampoline.
    override var startsOnTrampoline: Bool { false }

    override func subscribeCore(_ downstream: Sink<Subject.Element>) { _ = subscribeToSubject(downstream) }

    override func subscribeToSubject(_ downstream: Sink<Subject.Element>) -> Int {
        let (subject, number) = currentSubject()
        subject.asObservable().start(downstream)
        return number
    }

    /// Drops a connection that was disposed of, or whose source has ended.
    fileprivate func ended(_ connection: MulticastConnection<Subject>) {
        let released = release(connection)
        withExtendedLifetime(released) {}
    }

    /// Takes a connection and its subject out of use. Returns the subject, which the caller releases.
    fileprivate func release(_ connection: MulticastConnection<Subject>) -> Subject? {
        lock.lock()
        let released = state.end(connection)
        lock.unlock()
        return released
    }

    private func currentSubject() -> (subject: Subject, number: Int) {
        lock.lock()
        let existing = state.current
        lock.unlock()
        if let existing { return existing }
        let made = makeSubject()
        lock.lock()
        let current = state.adopt(made)
        lock.unlock()
        return current
    }

    // MARK: For refCount

    override func prepareConnection(ofSubject number: Int) -> (connection: any DemandingConnection, isNew: Bool)? {
        joinConnection(ofSubject: number)
    }

    override var hasSubjectEnded: Bool {
        let observer = currentSubject().subject.asObserver()
        // `AsyncSubject` is not among the subjects with a core, because it keeps its elements back.
        if let subject = observer as? AsyncSubject<Subject.Observer.Element> { return subject.core.isStopped }
        return (observer as? any SubjectWithCore)?.listCore.isStopped ?? false
    }

    override func start(_ connection: any DemandingConnection) {
        let connection = unsafeDowncast(connection, to: MulticastConnection<Subject>.self)
        source.start(connection)
        connection.didSubscribe()
    }
}

/// Passes the source's events to the subject's observer; `connect` returns it.
final class MulticastConnection<Subject: SubjectType>: Sink<Subject.Observer.Element>, DemandingConnection {
    private let demand = ConnectionDemand()
    private let subscribePhase = SubscribePhase(begun: true)
    private let observer: Subject.Observer
    /// The observer's core, if it has one. It takes events without making values of them, which would cost look-ups of type
    /// metadata and, in a chain, stack for each (law L8).
    private let core: SubjectCore<Subject.Observer.Element>?
    private let parent: Multicast<Subject>

    fileprivate init(observer: Subject.Observer, parent: Multicast<Subject>) {
        self.observer = observer
        if let subject = observer as? any SubjectWithCore {
            core = unsafeDowncast(subject.listCore, to: SubjectCore<Subject.Observer.Element>.self)
        } else {
            core = nil
        }
        self.parent = parent
        super.init()
    }

    override func next(_ element: Subject.Observer.Element) {
        if isCancelled { return }
        if !demand.isWanted, isExhausted() { return }
        if let core { core.accept(element) } else { forward(element) }
    }

    package override func link(_ stage: Stage) {
        demand.connect(to: stage).pass()
        super.link(stage)
    }

    package override func pauses(_ source: any PausableSource) -> Bool { core?.pauses(source) ?? false }

    @inline(never)
    private func isExhausted() -> Bool {
        if !demand.endsNow() { return false }
        cancel()
        return true
    }

    package override func upstreamGoesOn() {
        if !demand.isWanted, isExhausted() { return }
        core?.upstreamGoesOn()
    }

    // The connection ends first, so that a subscription made inside the terminal event starts anew. The source is cancelled before
    // the event is passed on, or after it if the source ends while it is being subscribed to, as in RxSwift.

    override func error(_ error: any Swift.Error) { self.error(error, then: {}) }

    override func completed() { completed(then: {}) }

    override func error(_ error: any Swift.Error, then after: () -> Void) {
        guard let upstream = endUnlessClosed() else { return after() }
        let source = upstream.take()
        if !subscribePhase.isOnStack { source?.cancel() }
        if let core { core.end(.error(error)) } else { forward(error) }
        after()
        source?.cancel()
    }

    override func completed(then after: () -> Void) {
        guard let upstream = endUnlessClosed() else { return after() }
        let source = upstream.take()
        if !subscribePhase.isOnStack { source?.cancel() }
        if let core { core.end(.completed) } else { forwardCompleted() }
        after()
        source?.cancel()
    }

    /// Notes that the source has been subscribed to.
    func didSubscribe() { _ = subscribePhase.end() }

    override func cancel() { end()?.take()?.cancel() }

    func dispose() { cancel() }

    func detach() -> Any? {
        demand.close()
        return parent.release(self)
    }

    func endDemand() -> ConnectionDemand.Change { demand.end() }

    func resumeDemand() -> ConnectionDemand.Change { demand.resume() }

    /// - Returns: the link to the source, which the caller cancels; nil if the connection had ended before.
    private func end() -> Upstream? {
        guard let upstream = takeUpstream() else { return nil }
        parent.ended(self)
        return upstream
    }

    /// The same for a terminal event of the source, which no subscriber wants of a connection that is out of use.
    private func endUnlessClosed() -> Upstream? {
        if !demand.isClosed { return end() }
        cancel()
        return nil
    }

    // These pass events as values, to an observer without a core.

    @inline(never)
    private func forward(_ element: Subject.Observer.Element) { observer.on(.next(element)) }

    @inline(never)
    private func forward(_ error: any Swift.Error) { observer.on(.error(error)) }

    @inline(never)
    private func forwardCompleted() { observer.on(.completed) }
}

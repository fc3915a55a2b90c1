// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

extension ConnectableObservableType {
    /// A sequence that is connected while it has a subscriber.
    ///
    /// The first subscriber connects after it has been subscribed; the last one to leave disconnects.
    /// - SeeAlso: [RefCount](https://reactivex.io/documentation/operators/refcount.html)
    public func refCount() -> Observable<Element> {
        RefCount(source: asObservable(), connect: connect)
    }
}

final class RefCount<Element>: Observable<Element>, @unchecked Sendable {
    private let source: Observable<Element>
    /// The source, if it is one of this library's connectable sequences.
    private let connectable: ConnectableObservable<Element>?
    private let connect: () -> any Disposable
    private let lock = Mutex()
    // The mutable fields are protected by the lock.
    private var state = RefCountStateMachine()
    private var connection: RefCountConnection?
    /// The connection that is being made.
    private var connecting: (any DemandingConnection)?

    init(source: Observable<Element>, connect: @escaping () -> any Disposable) {
        self.source = source
        connectable = source as? ConnectableObservable<Element>
        self.connect = connect
        super.init()
    }

    override func subscribeCore(_ downstream: Sink<Element>) {
        let (action, subject) = join(downstream)
        guard case .connect(let generation) = action else { return }
        guard let connectable else {
            return connected(RefCountConnection(disposable: connect(), demanding: nil), generation)
        }
        guard let (made, isNew) = connectable.prepareConnection(ofSubject: subject) else {
            return lock.withLock { state.notConnected(generation) }
        }
        prepare(made, generation)
        if isNew { connectable.start(made) }
        connected(RefCountConnection(disposable: made, demanding: made), generation)
    }

    // Separate from connecting, so that a chain of these needs little stack for each (law L8).

    @inline(never)
    private func join(_ downstream: Sink<Element>) -> (RefCountStateMachine.Action, subject: Int) {
        let sink = RefCountSink(parent: self, downstream: downstream)
        lock.lock()
        state.beginJoining()
        lock.unlock()
        let subject = subscribe(sink)
        // A subscriber that left before it received the terminal event of an ended subject counts as if it had received it.
        let hasEnded = sink.isCancelled && connectable?.hasSubjectEnded == true
        lock.lock()
        let action = hasEnded ? state.joinNothing() : state.join(&sink.membership, subject: subject)
        // Where the subscriber is the first one of a new subject, the connection of the former one has ended by itself.
        let ended = action == .none ? nil : connection.take()
        let detached = ended?.detach()
        let change = action == .none ? demandChange() : nil
        lock.unlock()
        change?.pass()
        ended?.disposable.dispose()
        withExtendedLifetime(detached) {}
        return (action, subject)
    }

    /// Returns the number of the subject at which the subscriber waits; always the same for a connectable sequence of the user's.
    private func subscribe(_ sink: RefCountSink<Element>) -> Int {
        if let connectable { return connectable.subscribeToSubject(sink) }
        source.subscribeCore(sink)
        return 0
    }

    @inline(never)
    private func prepare(_ made: any DemandingConnection, _ generation: Int) {
        lock.lock()
        let change = state.isWanted(generation) ? made.resumeDemand() : made.endDemand()
        let before = connecting
        connecting = made
        lock.unlock()
        change.pass()
        withExtendedLifetime(before) {}
    }

    @inline(never)
    private func connected(_ made: RefCountConnection, _ generation: Int) {
        lock.lock()
        let isWanted = state.connected(generation)
        if isWanted { connection = made }
        let detached = isWanted ? nil : made.detach()
        let connecting = self.connecting === made.demanding ? self.connecting.take() : nil
        lock.unlock()
        withExtendedLifetime(connecting) {}
        withExtendedLifetime(detached) {}
        if !isWanted { made.disposable.dispose() }
    }

    /// Removes a subscriber that has left, and disconnects if none remains.
    fileprivate func leave(_ sink: RefCountSink<Element>) {
        disconnect { state.leave(&sink.membership, wasAbandoned: sink.isAbandoned) }
    }

    /// Notes that a subscriber is bound to leave.
    fileprivate func abandon(_ sink: RefCountSink<Element>) {
        lock.lock()
        if !sink.isAbandoned { sink.isAbandoned = state.abandon(sink.membership) }
        let change = state.isUnwanted ? demandChange() : nil
        lock.unlock()
        change?.pass()
    }

    /// Tells the connection whether it is wanted. The caller holds the lock, and passes the result on after unlocking it.
    private func demandChange() -> ConnectionDemand.Change? {
        let known = connecting ?? connection?.demanding
        return state.isUnwanted ? known?.endDemand() : known?.resumeDemand()
    }

    /// Ends the connection, because the source has ended.
    fileprivate func terminated(_ sink: RefCountSink<Element>) {
        disconnect { state.terminated(&sink.membership) }
    }

    private func disconnect(if transition: () -> Bool) {
        var ended: RefCountConnection?
        var detached: Any?
        var change: ConnectionDemand.Change?
        lock.lock()
        if transition() {
            ended = connection.take()
            detached = ended?.detach()
        } else if state.isUnwanted {
            change = demandChange()
        }
        lock.unlock()
        change?.pass()
        ended?.disposable.dispose()
        withExtendedLifetime(detached) {}
    }
}

/// A connection as `RefCount` keeps it. Not nested, because a type within a generic one is looked up at each use.
private struct RefCountConnection {
    let disposable: any Disposable
    /// The same object, if the connectable sequence is one of this library's.
    let demanding: (any DemandingConnection)?

    /// Takes the connection out of use, so that a new subscriber does not meet one that is about to be disposed of. The caller
    /// holds the lock; after unlocking it disposes of the connection and releases the result.
    func detach() -> Any? { demanding?.detach() }
}

final class RefCountSink<Element>: LinearSink<Element, Element> {
    private let parent: RefCount<Element>
    /// The membership, protected by the lock of the parent.
    fileprivate var membership = RefCountStateMachine.Membership.pending
    /// True once the state counts the sink as one that will leave; protected by the same lock.
    fileprivate var isAbandoned = false

    init(parent: RefCount<Element>, downstream: Sink<Element>) {
        self.parent = parent
        super.init(downstream: downstream)
    }

    override func next(_ element: Element) { downstream.next(element) }

    override func error(_ error: any Swift.Error) {
        if isCancelled { return }
        parent.terminated(self)
        downstream.error(error)
    }

    override func completed() {
        if isCancelled { return }
        parent.terminated(self)
        downstream.completed()
    }

    // Not forwarded: only `cancel` ends the membership.
    override func upstreamReleased() {}

    override func abandonSubscription() -> UInt {
        parent.abandon(self)
        return super.abandonSubscription()
    }

    override func cancel() {
        super.cancel()
        parent.leave(self)
    }
}

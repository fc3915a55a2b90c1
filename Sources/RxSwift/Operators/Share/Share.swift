// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// The lifetime of the elements that a shared sequence remembers.
public enum SubjectLifetimeScope: Sendable {
    /// The sequence remembers while it is connected.
    ///
    /// A subscriber that comes after the last one has left, or after the source has ended, starts the source anew and gets no earlier
    /// elements.
    case whileConnected
    /// The sequence remembers for ever.
    ///
    /// A new connection continues where the last one ended, and after the source has ended subscribers get the remembered elements and the
    /// terminal event.
    case forever
}

extension ObservableType {
    /// A sequence whose subscribers share one subscription to the source.
    ///
    /// The first subscriber starts the subscription to the source. It ends when the last subscriber leaves, or with the source's
    /// terminal event. A subscriber that comes while it is being disposed of starts a new one beside it.
    ///
    /// The sequence may be used from any thread; each subscriber gets its events one at a time, in one order. A synchronous
    /// source runs on the thread that connects, and so do all subscribers' closures for its events.
    /// - Parameters:
    ///   - replay: the number of last elements that a new subscriber gets inside `subscribe`; must not be negative.
    ///   - scope: the lifetime of the remembered elements, which may end with the connection to the source.
    /// - SeeAlso: [RefCount](https://reactivex.io/documentation/operators/refcount.html)
    public func share(
        replay: Int = 0, scope: SubjectLifetimeScope = .whileConnected
    ) -> Observable<Element> {
        if replay < 0 { fatalError("swift-rx: share: replay is \(replay), it must not be negative") }
        return Share(source: asObservable(), replay: replay, scope: scope)
    }
}

final class Share<Element>: Observable<Element>, @unchecked Sendable {
    private let source: Observable<Element>
    private let replay: Int
    private let scope: SubjectLifetimeScope
    /// The core of all connections, if the scope is `forever`.
    private let lastingCore: SubjectCore<Element>?
    private let lock = Mutex()
    /// The state of the connection, protected by the lock.
    private var state = ShareStateMachine()

    /// The share whose elements the operator `source` transforms, if this share may make it superfluous; and its address. `source` holds that
    /// share. Both are written before the observable is in use.
    private unowned(unsafe) var upstreamShare: (any BypassableShare)?
    private var upstreamAddress: UnsafeMutableRawPointer?
    /// 1 from `bypass` on: all subscriptions go straight to the source.
    private let isBypassed = AtomicWord(0)

    init(source: Observable<Element>, replay: Int, scope: SubjectLifetimeScope) {
        self.source = source
        self.replay = replay
        self.scope = scope
        self.lastingCore = scope == .forever ? Self.makeCore(replay) : nil
        super.init()
    }

    deinit {
        lastingCore?.end(.abandoned)
    }

    private static func makeCore(_ replay: Int) -> SubjectCore<Element> {
        if replay == 0 { return SubjectCore(name: "share") }
        return ReplayRing.remembering(name: "share(replay:)", bound: replay, policy: .always)
    }

    // As in RxSwift, where the two common forms subscribe on their own and the others are made of `multicast` and `refCount`.
    override var startsOnTrampoline: Bool { scope == .forever || replay > 1 }

    override func queueHeldByCaller(mainQueueRuns: Bool) -> String? {
        source.queueHeldByCaller(mainQueueRuns: mainQueueRuns)
    }

    override func subscribeCore(_ downstream: Sink<Element>) {
        if isBypassed.loadRelaxed() != 0 {
            bypassUpstream()
            return source.subscribeCoreAboveOperator(downstream)
        }
        if let lastingCore, lastingCore.isStopped {
            let subscription = SubjectSubscription(core: lastingCore, downstream: downstream)
            return lastingCore.admit(subscription, downstream, subject: self)
        }
        let (connection, mustConnect) = join()
        if countsDuringReplay, !mustConnect { return admitReplaying(connection, downstream) }
        let subscription = ShareSubscription(connection: connection, downstream: downstream)
        connection.core.admit(subscription, downstream, subject: self)
        if mustConnect {
            bypassUpstream()
            source.start(connection)
            connection.didSubscribe()
            connected(connection)
        }
    }

    // As in RxSwift, where the other forms subscribe to a subject, which does not count.
    private var countsDuringReplay: Bool { replay > 0 && !startsOnTrampoline }

    @inline(never)
    private func admitReplaying(_ connection: ShareConnection<Element>, _ downstream: Sink<Element>) {
        let subscription = ReplayedShareSubscription(connection: connection, downstream: downstream)
        subscription.whileCounting { connection.core.admit(subscription, downstream, subject: self) }
    }

    /// Notes that the connection was subscribed to the source, and cancels it if no subscriber is left.
    @inline(never)
    private func connected(_ connection: ShareConnection<Element>) {
        lock.lock()
        let unused = state.connected(connection)
        if unused != nil { connection.demand.close() }
        lock.unlock()
        if unused != nil { connection.cancel() }
    }

    // MARK: Going past shares without another possible subscriber

    /// A connected share gives its only subscriber the events of its source. One of scope `forever` also remembers earlier events.
    override var bypassableShare: (any BypassableShare)? { scope == .whileConnected ? self : nil }

    override func shares<Upstream>(derivedFrom upstream: Observable<Upstream>) {
        upstreamShare = upstream.bypassableShare
        upstreamAddress = upstreamShare.map { Unmanaged.passUnretained($0 as AnyObject).toOpaque() }
    }

    /// Makes the upstream share superfluous if nothing but `source` holds it. That cannot change, because no other code
    /// has a reference to pass on.
    private func bypassUpstream() {
        if let upstreamAddress, RuntimeLayout.isHeldOnce(upstreamAddress) { upstreamShare?.bypass() }
    }

    override var fusionOffset: FusionOffset { bypassableShare == nil ? .none : source.fusionOffset.splittable }

    override var fusionSplit: FusionOffset {
        guard isBypassed.loadRelaxed() != 0 else { return fusionOffset }
        bypassUpstream()
        return source.fusionSplit
    }

    override func subscribeCore<Last>(_ steps: FusedSteps, downstream: Sink<Last>) {
        if steps.begin(after: fusionOffset) {
            super.subscribeCore(steps, downstream: downstream)
        } else {
            source.subscribeCore(steps, downstream: downstream)
        }
    }

    private func join() -> (ShareConnection<Element>, mustConnect: Bool) {
        lock.lock()
        let existing = state.join()
        // Released after unlocking, if it has ended because no subscriber wanted it.
        defer { withExtendedLifetime(existing) {} }
        if let existing {
            let connection = connection(existing)
            let change = connection.demand.resume()
            if !connection.demand.isClosed {
                lock.unlock()
                change.pass()
                return (connection, false)
            }
        }
        defer { lock.unlock() }
        // Made under the lock, which costs less than taking the lock twice; only code of the library runs meanwhile.
        let fresh = ShareConnection(core: lastingCore ?? Self.makeCore(replay), parent: self)
        state.connect(fresh)
        return (fresh, true)
    }

    /// Casts the object that `state` holds, which is always of this type.
    private func connection(_ held: AnyObject) -> ShareConnection<Element> {
        unsafeDowncast(held, to: ShareConnection<Element>.self)
    }

    fileprivate func abandon(_ connection: ShareConnection<Element>) {
        lock.lock()
        state.abandon(connection)
        let change = state.isUnwanted(connection) ? connection.demand.end() : nil
        lock.unlock()
        change?.pass()
    }

    fileprivate func leave(_ connection: ShareConnection<Element>, wasAbandoned: Bool) {
        lock.lock()
        let unused = state.leave(connection, wasAbandoned: wasAbandoned)
        let change = state.isUnwanted(connection) ? connection.demand.end() : nil
        if unused != nil { connection.demand.close() }
        lock.unlock()
        change?.pass()
        if unused != nil { connection.cancel() }
    }

    /// Drops a connection whose source has ended, before any subscriber is told.
    fileprivate func terminated(_ connection: ShareConnection<Element>) {
        // A core that lasts stays with its connection, as subscribers get the terminal event from it.
        if lastingCore != nil { return }
        lock.lock()
        let ended = state.terminated(connection)
        lock.unlock()
        withExtendedLifetime(ended) {}
    }
}

extension Share: BypassableShare {
    package func bypass() { isBypassed.storeRelaxed(1) }
}

/// Receives the source's events for all subscribers of one connection.
final class ShareConnection<Element>: Sink<Element> {
    let core: SubjectCore<Element>
    let demand = ConnectionDemand()
    private let parent: Share<Element>
    private let subscribePhase = SubscribePhase(begun: true)

    init(core: SubjectCore<Element>, parent: Share<Element>) {
        self.core = core
        self.parent = parent
        super.init()
    }

    /// Notes that the source has been subscribed to.
    func didSubscribe() { _ = subscribePhase.end() }

    override func link(_ stage: Stage) {
        demand.connect(to: stage).pass()
        super.link(stage)
    }

    override func next(_ element: Element) {
        if !demand.isWanted { return nextUnwanted(element) }
        core.accept(element)
    }

    package override func pauses(_ source: any PausableSource) -> Bool { core.pauses(source) }

    @inline(never)
    private func nextUnwanted(_ element: Element) {
        if demand.endsNow() { return cancel() }
        core.accept(element)
    }

    override func error(_ error: any Swift.Error) { end(.error(error), then: {}) }

    override func completed() { end(.completed, then: {}) }

    override func error(_ error: any Swift.Error, then after: () -> Void) { end(.error(error), then: after) }

    override func completed(then after: () -> Void) { end(.completed, then: after) }

    private func end(_ stop: SubjectListCore.Stop, then after: () -> Void) {
        if demand.isClosed {
            after()
            return cancel()
        }
        // This comes first, so that a subscriber that subscribes again inside the terminal event starts the source anew.
        parent.terminated(self)
        // The forms that RxSwift builds from `multicast` and `refCount` cancel the source before they pass the event on.
        if parent.startsOnTrampoline, !subscribePhase.isOnStack { cancel() }
        core.end(stop)
        after()
        cancel()
    }

    package override func upstreamGoesOn() {
        if !demand.isWanted, demand.endsNow() { return cancel() }
        core.upstreamGoesOn()
    }

    /// Notes that a subscriber is bound to leave, unless its word says that it was noted.
    func abandonOnce(_ isAbandoned: borrowing AtomicWord) {
        if isAbandoned.loadRelaxed() != 0 { return }
        isAbandoned.storeRelaxed(1)
        parent.abandon(self)
    }

    func leave(wasAbandoned: Bool) { parent.leave(self, wasAbandoned: wasAbandoned) }
}

final class ShareSubscription<Element>: SubjectSubscription {
    private let connection: ShareConnection<Element>
    /// Only a thread that keeps all others from cancelling this stage writes this.
    private let isAbandoned = AtomicWord(0)

    init(connection: ShareConnection<Element>, downstream: Sink<Element>) {
        self.connection = connection
        super.init(core: connection.core, downstream: downstream)
    }

    package override func abandonSubscription() -> UInt {
        connection.abandonOnce(isAbandoned)
        return 0
    }

    override func didCancel() { connection.leave(wasAbandoned: isAbandoned.loadRelaxed() != 0) }
}

/// A subscription that counts until `subscribe` has returned, though it ends in the replay: a subscriber that comes inside that finds the connection.
///
/// A class of its own: with a subclass, a `ShareSubscription` would take 330 instructions more.
final class ReplayedShareSubscription<Element>: SubjectSubscription {
    private let connection: ShareConnection<Element>
    private let isAbandoned = AtomicWord(0)
    /// The identity of the thread inside `whileCounting`, or 0. Relaxed: to other threads it only says that they are others.
    private let replayer = AtomicWord(0)
    /// True if the subscription has ended inside `whileCounting`. Used only by the thread inside.
    private var hasEnded = false

    init(connection: ShareConnection<Element>, downstream: Sink<Element>) {
        self.connection = connection
        super.init(core: connection.core, downstream: downstream)
    }

    /// Admits the subscription.
    func whileCounting(_ admit: () -> Void) {
        replayer.storeRelaxed(CurrentThread.identity)
        admit()
        replayer.storeRelaxed(0)
        if hasEnded { leave() }
    }

    package override func abandonSubscription() -> UInt {
        connection.abandonOnce(isAbandoned)
        return 0
    }

    override func didCancel() {
        if replayer.loadRelaxed() == CurrentThread.identity { hasEnded = true } else { leave() }
    }

    private func leave() { connection.leave(wasAbandoned: isAbandoned.loadRelaxed() != 0) }
}

import RxPrimitives

/// How long a shared sequence remembers.
public enum SubjectLifetimeScope {
    /// As long as it is connected. Who subscribes after the last subscriber has left, or after the source has ended, starts
    /// the source anew and gets nothing of what was before.
    case whileConnected
    /// For ever. A new connection goes on where the last one ended, and after the source has ended subscribers get what is
    /// remembered and the terminal event.
    case forever
}

extension ObservableType {
    /// A sequence whose subscribers share one subscription to the source.
    ///
    /// The first subscriber subscribes to the source, the last one that leaves ends that; so does the source's terminal event.
    /// From any thread; each subscriber gets its events one at a time, in one order.
    /// - Parameters:
    ///   - replay: how many of the last elements a newcomer gets inside `subscribe`. Not negative.
    ///   - scope: what becomes of the remembered elements when the connection to the source ends.
    /// - SeeAlso: [RefCount](https://reactivex.io/documentation/operators/refcount.html)
    public func share(
        replay: Int = 0, scope: SubjectLifetimeScope = .whileConnected
    ) -> Observable<Element> {
        precondition(replay >= 0, "swift-rx: share: replay is \(replay), it must not be negative")
        return Share(source: asObservable(), replay: replay, scope: scope)
    }
}

final class Share<Element>: Observable<Element> {
    private let source: Observable<Element>
    private let replay: Int
    private let scope: SubjectLifetimeScope
    /// For `forever`: the one core of all connections.
    private let lastingCore: SubjectCore<Element>?
    private let lock = Mutex()
    /// Under the lock.
    private var state = ShareStateMachine()

    /// The share that `source` is an operator over, if it may become superfluous, and its address. `source` holds it.
    /// Written before the recipe is in use.
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
        let subscription = ShareSubscription(connection: connection, downstream: downstream)
        connection.core.admit(subscription, downstream, subject: self)
        if mustConnect {
            bypassUpstream()
            source.start(connection)
            connection.didSubscribe()
            connected(connection)
        }
    }

    /// The connection was subscribed to the source.
    @inline(never)
    private func connected(_ connection: ShareConnection<Element>) {
        lock.lock()
        let abandoned = state.connected(connection)
        lock.unlock()
        if abandoned != nil { connection.cancel() }
    }

    // MARK: Going past shares that nobody else can subscribe to

    /// While connected a share gives its only subscriber what its source sends. One that lasts remembers what was before.
    override var bypassableShare: (any BypassableShare)? { scope == .whileConnected ? self : nil }

    override func shares<Upstream>(derivedFrom upstream: Observable<Upstream>) {
        upstreamShare = upstream.bypassableShare
        upstreamAddress = upstreamShare.map { Unmanaged.passUnretained($0 as AnyObject).toOpaque() }
    }

    /// Once it is superfluous, it stays so: nobody who could hand out a reference has one.
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
        if steps.begin(behind: fusionOffset) {
            super.subscribeCore(steps, downstream: downstream)
        } else {
            source.subscribeCore(steps, downstream: downstream)
        }
    }

    private func join() -> (ShareConnection<Element>, mustConnect: Bool) {
        lock.lock()
        defer { lock.unlock() }
        if let existing = state.join() {
            let connection = connection(existing)
            connection.demand.resume()
            return (connection, false)
        }
        // Made under the lock, which costs less than to take it twice: no code runs meanwhile but the library's.
        let fresh = ShareConnection(core: lastingCore ?? Self.makeCore(replay), parent: self)
        state.connect(fresh)
        return (fresh, true)
    }

    /// What `state` holds, which never is anything else.
    private func connection(_ held: AnyObject) -> ShareConnection<Element> {
        unsafeDowncast(held, to: ShareConnection<Element>.self)
    }

    fileprivate func leave(_ connection: ShareConnection<Element>) {
        lock.lock()
        let abandoned = state.leave(connection)
        if state.isUnwanted { connection.demand.end() }
        lock.unlock()
        if abandoned != nil { connection.cancel() }
    }

    /// The source has ended, nobody was told yet.
    fileprivate func terminated(_ connection: ShareConnection<Element>) {
        // A core that lasts stays with its connection: subscribers get the terminal event from it.
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

    /// The source has been subscribed to.
    func didSubscribe() { _ = subscribePhase.end() }

    override func next(_ element: Element) {
        if !demand.isWanted { return nextUnwanted(element) }
        core.accept(element)
    }

    @inline(never)
    private func nextUnwanted(_ element: Element) {
        if demand.isExhausted() { return cancel() }
        core.accept(element)
    }

    override func error(_ error: any Swift.Error) { end(.error(error), then: {}) }

    override func completed() { end(.completed, then: {}) }

    override func error(_ error: any Swift.Error, then after: () -> Void) { end(.error(error), then: after) }

    override func completed(then after: () -> Void) { end(.completed, then: after) }

    private func end(_ stop: SubjectListCore.Stop, then after: () -> Void) {
        // First, so that who subscribes again inside the terminal event starts the source anew.
        parent.terminated(self)
        // The forms that RxSwift makes of `multicast` and `refCount` cancel the source before they pass the event on.
        if parent.startsOnTrampoline, !subscribePhase.isOnStack { cancel() }
        core.end(stop)
        after()
        cancel()
    }

    func leave() { parent.leave(self) }
}

final class ShareSubscription<Element>: SubjectSubscription {
    private let connection: ShareConnection<Element>

    init(connection: ShareConnection<Element>, downstream: Sink<Element>) {
        self.connection = connection
        super.init(core: connection.core, downstream: downstream)
    }

    override func didCancel() { connection.leave() }
}

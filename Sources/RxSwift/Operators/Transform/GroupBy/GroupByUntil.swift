// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

extension ObservableType {
    /// Sorts the elements into groups by key, each of which lives until a sequence of its own sends an element or ends.
    ///
    /// As `groupBy`, for keys of which there are ever new ones: a group that has ended leaves nothing behind. An element whose key has no group
    /// opens a new one, also after an earlier group of that key.
    ///
    /// A group completes when the sequence that `duration` returned for it sends an element or completes, also while the source pauses, in which the
    /// clocks of a `duration` run on; if that sequence fails, the groups and the result fail. The element that is being delivered then is delivered in any case. Memory is that of the open groups.
    ///
    ///     requests.groupBy { $0.client } until: { $0.filter(\.isLogout) }
    /// - Parameters:
    ///   - keySelector: runs once per element, never two runs at a time; an error it throws ends the groups and the result.
    ///   - duration: runs once per group, after the delivery of the group to the observer, and receives the group. Its sequence gets each
    ///     element of the group after the group's subscribers do, and does not keep the source subscribed to. An error it throws ends the
    ///     groups and the result.
    /// - Returns: the groups. Costs two atomic read-modify-writes and a look-up by key per element.
    /// - SeeAlso: [GroupBy](https://reactivex.io/documentation/operators/groupby.html)
    @preconcurrency @inlinable
    public func groupBy<Key: Hashable, Duration: ObservableConvertibleType>(
        _ keySelector: @escaping @Sendable (Element) throws -> Key,
        until duration: @escaping @Sendable (GroupedObservable<Key, Element>) throws -> Duration
    ) -> Observable<GroupedObservable<Key, Element>> {
        GroupByUntil(
            source: asObservable(), keySelector: keySelector,
            lifetime: .sequence { try duration($0).asObservable().map { _ in } })
    }

    /// Sorts the elements into groups by key, and ends a group to which no element has come for a while.
    ///
    /// As `groupBy(_:until:)`; see there what the end of a group means. A group in whose idle time the source has paused waits for another one, unless the source
    /// has gone on and paused again without an element for it.
    /// - Parameters:
    ///   - keySelector: runs once per element, never two runs at a time; an error it throws ends the groups and the result.
    ///   - idleTimeout: the time without an element after which a group completes.
    ///   - scheduler: runs a timer per open group, and completes groups.
    /// - Returns: the groups.
    /// - SeeAlso: [GroupBy](https://reactivex.io/documentation/operators/groupby.html)
    @preconcurrency @inlinable
    public func groupBy<Key: Hashable>(
        _ keySelector: @escaping @Sendable (Element) throws -> Key, idleTimeout: RxTimeInterval,
        scheduler: any SchedulerType
    ) -> Observable<GroupedObservable<Key, Element>> {
        GroupByUntil(
            source: asObservable(), keySelector: keySelector, lifetime: .idleTimeout(idleTimeout, scheduler: scheduler))
    }
}

/// What ends a group.
@usableFromInline
enum GroupLifetime<Key: Hashable, Element> {
    case sequence((GroupedObservable<Key, Element>) throws -> Observable<Void>)
    case idleTimeout(RxTimeInterval, scheduler: any SchedulerType)
}

@usableFromInline
final class GroupByUntil<Key: Hashable, Element>: Observable<GroupedObservable<Key, Element>>, @unchecked Sendable {
    private let source: Observable<Element>
    private let keySelector: (Element) throws -> Key
    private let lifetime: GroupLifetime<Key, Element>

    @usableFromInline
    init(
        source: Observable<Element>, keySelector: @escaping (Element) throws -> Key,
        lifetime: GroupLifetime<Key, Element>
    ) {
        self.source = source
        self.keySelector = keySelector
        self.lifetime = lifetime
        super.init()
    }

    override func subscribeCore(_ downstream: Sink<GroupedObservable<Key, Element>>) {
        let sink = GroupByUntilSink(keySelector: keySelector, lifetime: lifetime, downstream: downstream)
        downstream.link(sink.share)
        source.subscribeCore(sink)
    }
}

/// Brings the source's elements and the ends of groups into one order, and passes the elements to their groups.
private final class GroupByUntilSink<Key: Hashable, Element>: Sink<Element>, SerializerTarget {
    private enum Work {
        case next(Element)
        case stop(SubjectListCore.Stop)
        /// The tick is that of the idle time which has passed.
        case expired(OpenGroup<Key, Element>, tick: Int?)
    }

    private let keySelector: (Element) throws -> Key
    private let lifetime: GroupLifetime<Key, Element>
    private let downstream: Sink<GroupedObservable<Key, Element>>
    private let serializer = Serializer()
    /// The drainer, while it calls the sequences that end groups, and each may keep it; 0 otherwise.
    private let durationThread = AtomicWord(0)

    // Only the drainer uses these.
    @exclusivity(unchecked) private var groups: [Key: OpenGroup<Key, Element>] = [:]
    @exclusivity(unchecked) private var opened = 0

    /// Knows of the source's pauses, in which no group is idle. Nil without an idle timeout.
    private let relay: PauseRelay?

    /// The subscription to the source, held in shares: by the downstream, and by the subscribers of groups.
    private let sharedUpstream = SharedUpstream()
    private let watchedUpstream = SharedUpstream(isPermanent: true)
    let share: UpstreamShare

    var operatorName: StaticString { "groupBy(_:until:)" }

    var elementsWeigh: Bool { isWeighted(Element.self) }

    init(
        keySelector: @escaping (Element) throws -> Key,
        lifetime: GroupLifetime<Key, Element>, downstream: Sink<GroupedObservable<Key, Element>>
    ) {
        self.keySelector = keySelector
        self.lifetime = lifetime
        self.downstream = downstream
        share = UpstreamShare(sharedUpstream)
        if case .idleTimeout = lifetime { relay = PauseRelay() } else { relay = nil }
        super.init()
    }

    deinit {
        if serializer.hasPending { serializer.discardPending(AnySerializerTarget(self)) }
    }

    override func link(_ stage: Stage) {
        sharedUpstream.willLink(stage)
        super.link(stage)
        sharedUpstream.link(self)
    }

    override func cancel() {
        guard let upstream = takeUpstream() else { return }
        serializer.close(AnySerializerTarget(self))
        upstream.take()?.cancel()
    }

    override func quiesce() -> UInt {
        if serializer.isClosed { return 0 }
        quiesceUpstream()
        serializer.close(AnySerializerTarget(self))
        return 0
    }

    override func quiesceBoundary() -> UInt { quiesce() }

    // MARK: From any thread

    override func next(_ element: Element) {
        sharedUpstream.countUnwanted()
        submit(.next(element))
    }

    override func upstreamGoesOn() {
        sharedUpstream.countUnwanted()
        tellDownstreamGoesOn()
    }

    private func tellDownstreamGoesOn() {
        // Does nothing while another thread delivers: the source will tell once more.
        if !serializer.tryEnter() { return }
        downstream.upstreamGoesOn()
        if !serializer.tryLeave() { finishLeaving() }
    }

    /// Notes that the sequence which ends a group goes on. The group belongs to the drainer, which may be the thread that this sequence keeps: then
    /// no other thread ends it.
    fileprivate func durationGoesOn(_ group: OpenGroup<Key, Element>) {
        if isCancelled { return group.link.abandonUpstream() }
        sharedUpstream.countUnwanted()
        if durationThread.loadRelaxed() == CurrentThread.identity {
            downstream.upstreamGoesOn()
        } else {
            tellDownstreamGoesOn()
        }
    }

    override func error(_ error: any Swift.Error) { sourceEnded(.error(error)) }

    override func completed() { sourceEnded(.completed) }

    /// Does what `submit` does, but leaves more room on the stack: the ends of a long chain lie above each other (law L8).
    @inline(__always)
    private func sourceEnded(_ stop: SubjectListCore.Stop) {
        if serializer.tryEnter() {
            end(stop)
            if !serializer.tryLeave() { finishLeaving() }
        } else {
            submitLater(stop)
        }
        // The event may have to wait for the drainer. The source has ended all the same.
        endSource()
    }

    @inline(never)
    private func finishLeaving() { serializer.finishLeaving(AnySerializerTarget(self)) }

    @inline(never)
    private func submitLater(_ stop: SubjectListCore.Stop) {
        serializer.submit(WorkNode.make(Work.stop(stop)), to: AnySerializerTarget(self))
    }

    fileprivate func expired(_ group: OpenGroup<Key, Element>, tick: Int?) { submit(.expired(group, tick: tick)) }

    fileprivate func failed(_ error: any Swift.Error) { submit(.stop(.error(error))) }

    override func pauses(_ source: any PausableSource) -> Bool {
        serializer.pauses(source, for: AnySerializerTarget(self))
    }

    private func submit(_ work: Work) {
        if serializer.tryEnter() {
            perform(work)
            if !serializer.tryLeave() { finishLeaving() }
        } else {
            serializer.submit(WorkNode.make(work), to: AnySerializerTarget(self))
        }
    }

    // MARK: By the drainer

    private func perform(_ work: Work) {
        switch work {
        case .next(let element): receive(element)
        case .stop(let stop): end(stop)
        case .expired(let group, let tick):
            guard groups[group.key] === group else { return }
            // The time has passed while an element was being delivered, behind which it began anew.
            if let tick, tick != group.tick { return }
            if waitsForSource(group) { return wait(group) }
            groups[group.key] = nil
            group.end(.completed)
        }
    }

    /// True if the source has paused in the idle time of a group, and so may have had no chance to send it an element.
    ///
    /// Behind a consumer that is always slower, the source pauses in each idle time. Where it has gone on and paused again, it has had a chance.
    private func waitsForSource(_ group: OpenGroup<Key, Element>) -> Bool {
        guard let relay, relay.pauseCount &- group.pausesBefore < 2 else { return false }
        let (isPaused, resumeCount) = relay.current
        return isPaused || resumeCount != group.resumesBefore
    }

    /// Begins the idle time of a group anew.
    private func wait(_ group: OpenGroup<Key, Element>) {
        guard let relay, case .ticks(let ticks) = group.watched else { return }
        group.resumesBefore = relay.resumeCount
        group.tick &+= 1
        ticks.core.next(group.tick)
    }

    private func receive(_ element: Element) {
        do {
            let key = try keySelector(element)
            if isCancelled { return }
            guard let group = try groups[key] ?? open(key) else { return }
            group.group.core.next(element)
            if case .elements(let watched) = group.watched {
                return callingDuration { watched.core.next(element) }
            }
            if let relay { group.pausesBefore = relay.pauseCount }
            wait(group)
        } catch {
            if !isCancelled { end(.error(error)) }
        }
    }

    /// Sends a new group, unless the downstream has cancelled: the group would then never have a subscriber.
    ///
    /// - Returns: the group, if its first element is wanted.
    private func open(_ key: Key) throws -> OpenGroup<Key, Element>? {
        if share.isCancelled { return nil }
        let (watched, startDuration) = watch(key)
        let group = OpenGroup<Key, Element>(key: key, number: opened, sharedUpstream: sharedUpstream, watched: watched)
        opened += 1
        groups[key] = group
        downstream.next(GroupedObservable(key: key, source: group.group))
        if isCancelled { return nil }
        // An end that comes within the subscription waits until the element has been delivered.
        try callingDuration { try startDuration(group) }
        return isCancelled ? nil : group
    }

    /// Runs `body`, which may subscribe to a sequence that never lets the thread go.
    @inline(__always)
    private func callingDuration(_ body: () throws -> Void) rethrows {
        durationThread.storeRelaxed(CurrentThread.identity)
        defer { durationThread.storeRelaxed(0) }
        try body()
    }

    /// Makes the part of a new group that its duration observes, and the closure that makes the duration and subscribes to it.
    private func watch(_ key: Key) -> (OpenGroup<Key, Element>.Watched, (OpenGroup<Key, Element>) throws -> Void) {
        switch lifetime {
        case .sequence(let make):
            let elements = SharedUpstreamSubject<Element>(sharedUpstream: watchedUpstream, name: "groupBy(_:until:)")
            return (
                .elements(elements),
                { group in
                    let duration = try make(GroupedObservable(key: key, source: elements))
                    if !self.isCancelled { duration.start(GroupDurationSink(group: group, of: self, isOnce: true)) }
                }
            )
        case .idleTimeout(let time, let scheduler):
            let ticks = SharedUpstreamSubject<Int>(sharedUpstream: watchedUpstream, name: "groupBy(_:until:)")
            return (
                .ticks(ticks),
                { group in
                    ticks.debounce(time, scheduler: scheduler).start(
                        GroupDurationSink(group: group, of: self, isOnce: false))
                }
            )
        }
    }

    private func end(_ stop: SubjectListCore.Stop) {
        serializer.closeFromInside()
        quiesceUpstream()
        endGroups(stop)
        if !share.isCancelled {
            switch stop {
            case .error(let error): downstream.error(error)
            default: downstream.completed()
            }
        }
        sharedUpstream.cancel()
    }

    private func endGroups(_ stop: SubjectListCore.Stop) {
        let open = groups.values.sorted { $0.number < $1.number }
        groups = [:]
        for group in open { group.end(stop) }
    }

    // MARK: SerializerTarget

    func run(_ node: UnsafeMutablePointer<DrainNode>) { perform(WorkNode<Work>.take(node)) }

    func discard(_ node: UnsafeMutablePointer<DrainNode>) { _ = WorkNode<Work>.take(node) }

    /// Only if the downstream and all groups pause the source; a group without a subscriber does not.
    func downstreamPauses(_ source: any PausableSource) -> Bool {
        relay?.isPausing(source, allPause) ?? allPause(source)
    }

    private func allPause(_ source: any PausableSource) -> Bool {
        guard share.isCancelled || downstream.pauses(source) else { return false }
        for group in groups.values where !group.group.core.pauses(source) { return false }
        return !groups.isEmpty || !share.isCancelled
    }

    func serializerDidClose() {
        endGroups(.abandoned)
        relay?.end()
    }

    func drainAsDeputy() { serializer.drainAsDeputy(AnySerializerTarget(self)) }
}

/// Receives the sequence that ends a group.
private final class GroupDurationSink<Key: Hashable, Element, Signal>: Sink<Signal> {
    private let group: OpenGroup<Key, Element>
    private let sink: GroupByUntilSink<Key, Element>
    /// True if the first element of the sequence is the last that counts.
    private let isOnce: Bool

    init(group: OpenGroup<Key, Element>, of sink: GroupByUntilSink<Key, Element>, isOnce: Bool) {
        self.group = group
        self.sink = sink
        self.isOnce = isOnce
        super.init()
    }

    override func link(_ stage: Stage) { group.link.link(stage) }

    override func next(_ signal: Signal) { end(tick: signal as? Int) }

    override func completed() { end(tick: nil) }

    override func upstreamGoesOn() { sink.durationGoesOn(group) }

    override func error(_ error: any Swift.Error) {
        if group.link.isCancelled { return }
        group.link.cancel()
        sink.failed(error)
    }

    private func end(tick: Int?) {
        if group.link.isCancelled { return }
        if isOnce { group.link.cancel() }
        sink.expired(group, tick: tick)
    }
}

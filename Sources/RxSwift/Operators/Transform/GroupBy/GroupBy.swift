// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

extension ObservableType {
    /// Sorts the elements into groups by key, and sends each group when its first element appears.
    ///
    /// A group is like a `PublishSubject`: a subscriber gets the elements that come after it subscribed, the first one included if
    /// it subscribes at once. The source stays subscribed to while the result or any group is. At the end, all groups end the same
    /// way, in order of first appearance, and then the result does.
    /// - Parameter keySelector: runs once per element, on the thread that emits it; an error it throws ends the groups and the
    ///   result. One look-up by key per element: amortized O(1). Keys are kept until the source ends: with
    ///   keys of which there are ever new ones, use `groupBy(_:until:)` or `groupBy(_:idleTimeout:scheduler:)`.
    /// - SeeAlso: [GroupBy](https://reactivex.io/documentation/operators/groupby.html)
    @preconcurrency @inlinable
    public func groupBy<Key: Hashable>(
        keySelector: @escaping @Sendable (Element) throws -> Key
    ) -> Observable<GroupedObservable<Key, Element>> {
        GroupBy(source: asObservable(), keySelector: keySelector)
    }
}

@usableFromInline
final class GroupBy<Key: Hashable, Element>: Observable<GroupedObservable<Key, Element>>, @unchecked Sendable {
    private let source: Observable<Element>
    private let keySelector: (Element) throws -> Key

    @usableFromInline
    init(source: Observable<Element>, keySelector: @escaping (Element) throws -> Key) {
        self.source = source
        self.keySelector = keySelector
        super.init()
    }

    override func subscribeCore(_ downstream: Sink<GroupedObservable<Key, Element>>) {
        let sink = GroupBySink(keySelector: keySelector, downstream: downstream)
        downstream.link(sink.share)
        source.subscribeCore(sink)
    }
}

/// Receives the source's elements and passes them to their groups.
final class GroupBySink<Key: Hashable, Element>: Sink<Element> {
    private let keySelector: (Element) throws -> Key
    private let downstream: Sink<GroupedObservable<Key, Element>>
    private let groups = GroupTable<Key>()
    private let groupType = SharedUpstreamSubject<Element>.self

    /// The subscription to the source, held in shares.
    private let sharedUpstream: SharedUpstream

    /// The downstream's share of that subscription.
    fileprivate let share: UpstreamShare

    init(keySelector: @escaping (Element) throws -> Key, downstream: Sink<GroupedObservable<Key, Element>>) {
        self.keySelector = keySelector
        self.downstream = downstream
        sharedUpstream = SharedUpstream()
        share = UpstreamShare(sharedUpstream)
        super.init()
    }

    override func link(_ stage: Stage) {
        sharedUpstream.willLink(stage)
        sharedUpstream.link(stage)
    }

    override func next(_ element: Element) {
        sharedUpstream.countUnwanted()
        do {
            let key = try keySelector(element)
            if sharedUpstream.isCancelled { return }
            let hash = key.hashValue
            if let group = groups.group(of: key, hash: hash) {
                group._withUnsafeGuaranteedRef { unsafeDowncast($0, to: SubjectCore<Element>.self).next(element) }
            } else if let group = open(key, hash: hash) {
                group.core.next(element)
            }
        } catch {
            if sharedUpstream.isCancelled { return }
            sharedUpstream.cancel()
            self.error(error)
        }
    }

    override func upstreamGoesOn() {
        sharedUpstream.countUnwanted()
        downstream.upstreamGoesOn()
    }

    /// Sends a new group, unless the downstream has cancelled: the group would then never have a subscriber.
    ///
    /// - Returns: the group, if its first element is wanted.
    @inline(never)
    private func open(_ key: Key, hash: Int) -> SharedUpstreamSubject<Element>? {
        if share.isCancelled { return nil }
        let group = groupType.init(sharedUpstream: sharedUpstream, name: "groupBy")
        groups.add(group.core, for: key, hash: hash)
        downstream.next(GroupedObservable(key: key, source: group))
        return sharedUpstream.isCancelled ? nil : group
    }

    /// Only if the downstream and all groups pause the source; a group without a subscriber does not.
    override func pauses(_ source: any PausableSource) -> Bool {
        if share.isCancelled || downstream.pauses(source) {
            for index in 0..<groups.count {
                if !groups.group(at: index)._withUnsafeGuaranteedRef({ $0.pauses(source) }) { return false }
            }
            return groups.count != 0 || !share.isCancelled
        }
        return false
    }

    override func error(_ error: any Swift.Error) {
        endGroups(.error(error))
        if !share.isCancelled { downstream.error(error) }
        sharedUpstream.cancel()
    }

    override func completed() {
        endGroups(.completed)
        if !share.isCancelled { downstream.completed() }
        sharedUpstream.cancel()
    }

    private func endGroups(_ stop: SubjectListCore.Stop) {
        for index in 0..<groups.count {
            groups.group(at: index)._withUnsafeGuaranteedRef { $0.end(stop) }
        }
    }
}

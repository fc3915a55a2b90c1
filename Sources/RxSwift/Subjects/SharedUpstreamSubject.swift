// SPDX-License-Identifier: Apache-2.0

/// A sequence of some of the elements of a source: a group, or a window. Each subscriber holds a share of the subscription to that source.
final class SharedUpstreamSubject<Element>: Observable<Element>, @unchecked Sendable {
    let core: SubjectCore<Element>
    private let sharedUpstream: SharedUpstream

    required init(sharedUpstream: SharedUpstream, name: StaticString) {
        core = SubjectCore<Element>(name: name)
        self.sharedUpstream = sharedUpstream
        super.init()
    }

    override var startsOnTrampoline: Bool { false }

    override func subscribeCore(_ downstream: Sink<Element>) {
        if core.stop == nil, subscribeShare(downstream) { return }
        // Also the end that came while the share was taken: it was accepted before the last of the other shares was released.
        switch core.stop {
        case .completed: downstream.linkAndComplete()
        case .error(let error): downstream.linkAndFail(error)
        // The source was cancelled, as everything that it sent events to: there will be none.
        case .abandoned, nil: break
        }
    }

    /// Takes a share and subscribes. Returns false if the source has been cancelled.
    private func subscribeShare(_ downstream: Sink<Element>) -> Bool {
        let subscription = SubjectSubscription(core: core, downstream: downstream)
        let share = UpstreamShare(sharedUpstream)
        if share.isReleased { return false }
        // At once: until then a thread that ends the downstream does not find this share, and the source goes on for it.
        downstream.link(share)
        share.link(subscription)
        core.add(subscription)
        return true
    }
}

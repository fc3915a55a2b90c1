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
        switch core.stop {
        case nil:
            let subscription = SubjectSubscription(core: core, downstream: downstream)
            let share = UpstreamShare(sharedUpstream)
            // The source was cancelled, as everything that it sent events to: there will be none.
            if share.isReleased { return }
            // At once: until then nobody who ends the downstream finds this share, and the source goes on for it.
            downstream.link(share)
            share.link(subscription)
            core.add(subscription)
        case .completed: downstream.linkAndComplete()
        case .error(let error): downstream.linkAndFail(error)
        case .abandoned: break
        }
    }
}

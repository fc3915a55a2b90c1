// SPDX-License-Identifier: Apache-2.0

/// A group that is open.
final class OpenGroup<Key: Hashable, Element> {
    let key: Key
    /// The number of groups opened before it.
    let number: Int
    let group: SharedUpstreamSubject<Element>
    /// The part of the group that its duration observes. It is separate from the subscribers, which alone decide about pauses and keep the
    /// source subscribed to.
    let watched: Watched
    /// The link to the group's sequence.
    let link = UpstreamLink()
    /// The number of times that the source had paused before the latest element, and that it had gone on before the idle time began.
    var pausesBefore: UInt = 0
    var resumesBefore: UInt = 0
    /// The number of the last tick, with which the idle time began.
    var tick = 0

    enum Watched {
        case elements(SharedUpstreamSubject<Element>)
        /// Emits a number at each element of a group with an idle timeout.
        case ticks(SharedUpstreamSubject<Int>)
    }

    init(key: Key, number: Int, sharedUpstream: SharedUpstream, watched: Watched) {
        self.key = key
        self.number = number
        group = SharedUpstreamSubject(sharedUpstream: sharedUpstream, name: "groupBy(_:until:)")
        self.watched = watched
    }

    func end(_ stop: SubjectListCore.Stop) {
        link.cancel()
        group.core.end(stop)
        switch watched {
        case .elements(let group): group.core.end(.abandoned)
        case .ticks(let group): group.core.end(.abandoned)
        }
    }
}

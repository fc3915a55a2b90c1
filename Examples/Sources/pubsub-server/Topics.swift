// SPDX-License-Identifier: Apache-2.0

import RxIOUring
import RxSwift
import Synchronization

/// The topics that have subscribers: each is made for its first subscriber, and dropped with the last.
///
/// May be used from any thread.
final class Topics: Sendable {
    private struct Entry {
        let topic = Topic()
        var members = 0
    }

    private let entries = Mutex<[String: Entry]>([:])
    private let statistics: Statistics

    init(statistics: Statistics) { self.statistics = statistics }

    /// The messages published during the subscription. See `Topic`.
    func messages(of name: String) -> Observable<ByteChunk> {
        .using(
            { Membership(of: name, in: self) },
            observableFactory: { $0.topic.messages })
    }

    /// Passes a message on to the topic's subscribers; makes the message only if there are any.
    ///
    /// - Returns: false if too many messages of the topic wait already.
    func publish(_ message: @autoclosure () -> ByteChunk, to name: String) -> Bool {
        // The topic is looked up under the lock, but called outside of it: subscribers may call this type again.
        let topic = entries.withLock { $0[name]?.topic }
        if let topic, !topic.publish(message()) { return false }
        statistics.published.count()
        return true
    }

    fileprivate func join(_ name: String) -> Topic {
        statistics.subscriptions.count()
        return entries.withLock { entries in
            if entries[name] == nil { statistics.topics.count() }
            entries[name, default: Entry()].members += 1
            return entries[name]!.topic
        }
    }

    fileprivate func leave(_ name: String) {
        statistics.subscriptions.count(-1)
        entries.withLock { entries in
            entries[name]?.members -= 1
            guard entries[name]?.members == 0 else { return }
            entries[name] = nil
            statistics.topics.count(-1)
        }
    }
}

/// Keeps a topic while it has a subscriber: `using` disposes of the membership with the subscription.
private final class Membership: Disposable {
    let topic: Topic
    private let name: String
    private let topics: Topics

    init(of name: String, in topics: Topics) {
        self.name = name
        self.topics = topics
        topic = topics.join(name)
    }

    func dispose() { topics.leave(name) }
}

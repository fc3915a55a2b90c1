import RxIOUring
import RxSwift
import Synchronization

/// The topics that somebody is subscribed to: each is made for the first subscriber, and dropped with the last.
///
/// From any thread.
final class Topics: Sendable {
    private struct Entry {
        let topic = Topic()
        var members = 0
    }

    private let entries = Mutex<[String: Entry]>([:])
    private let statistics: Statistics

    init(statistics: Statistics) { self.statistics = statistics }

    /// The messages that are published while subscribed. See `Topic`.
    func messages(of name: String) -> Observable<ByteChunk> {
        .using(
            { Membership(of: name, in: self) },
            observableFactory: { $0.topic.messages })
    }

    /// Passes a message on to the topic's subscribers; it is made only if there are any.
    ///
    /// - Returns: false if too many messages of the topic wait already.
    func publish(_ message: @autoclosure () -> ByteChunk, to name: String) -> Bool {
        // Looked up under the lock, called outside: subscribers may come back here.
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

/// Keeps a topic as long as somebody is subscribed: `using` disposes of it with the subscription.
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

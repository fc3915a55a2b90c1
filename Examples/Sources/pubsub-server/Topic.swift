import RxIOUring
import RxSwift
import Synchronization

/// What is published under one name. From any thread.
final class Topic {
    private let subject = PublishSubject<ByteChunk>()
    private let underWay = UnderWay()

    /// How many messages may wait for their turn.
    private static let mostUnderWay = 1_000

    init() {
        // Subscribes first, hence hears of each message first. Ends with the subject, whom nobody else holds.
        _ = subject.subscribe(onNext: { [underWay] _ in underWay.count.count(-1) })
    }

    /// The messages, on the threads of the publishers, one at a time. What comes while nobody is subscribed is nobody's.
    var messages: Observable<ByteChunk> { subject }

    /// Passes a message on to the subscribers, who all get the messages of a topic in one order.
    ///
    /// While another thread passes one on, this one does not wait for it, but leaves the message to it. Publishers on other
    /// loops could so leave more than that thread can pass on: hence the limit.
    /// - Returns: false if too many wait already.
    func publish(_ message: ByteChunk) -> Bool {
        guard underWay.count.add(1, ordering: .relaxed).newValue <= Topic.mostUnderWay else {
            underWay.count.count(-1)
            return false
        }
        subject.onNext(message)
        return true
    }
}

/// A count that outlives its topic: messages that were left to another thread do, too.
private final class UnderWay: Sendable {
    let count = Atomic(0)
}

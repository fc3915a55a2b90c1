// SPDX-License-Identifier: Apache-2.0

import RxIOUring
import RxSwift
import Synchronization

/// A stream of messages published under one name. May be used from any thread.
final class Topic {
    private let subject = PublishSubject<ByteChunk>()
    private let underWay = UnderWay()

    /// The most messages that may wait for their turn.
    private static let mostUnderWay = 1_000

    init() {
        // Subscribes first, hence receives each message first. Ends with the subject, which only the topic holds.
        _ = subject.subscribe(onNext: { [underWay] _ in underWay.count.count(-1) })
    }

    /// The messages, on the threads of the publishers, one at a time. A message without a subscriber is lost.
    var messages: Observable<ByteChunk> { subject }

    /// Passes a message on to the subscribers, who all get the messages of a topic in one order.
    ///
    /// While another thread delivers a message, the caller does not wait but leaves its message to that thread. Publishers on other
    /// loops could leave more messages than that thread can deliver: hence the limit.
    /// - Returns: false if too many messages wait already.
    func publish(_ message: ByteChunk) -> Bool {
        guard underWay.count.add(1, ordering: .relaxed).newValue <= Topic.mostUnderWay else {
            underWay.count.count(-1)
            return false
        }
        subject.onNext(message)
        return true
    }
}

/// A count that outlives its topic, as messages left to another thread do.
private final class UnderWay: Sendable {
    let count = Atomic(0)
}

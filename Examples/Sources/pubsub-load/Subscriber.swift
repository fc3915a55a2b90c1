// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Histogram
import PubSub
import RxIOUring
import RxSwift
import Synchronization

/// A connection that subscribes to a topic and checks the messages it receives.
// Unchecked: a subject may be used from any thread, but is not Sendable.
final class Subscriber: @unchecked Sendable {
    struct Result {
        var check = DeliveryCheck()
        /// Nanoseconds from the publisher to this subscriber.
        var latencies = Histogram<UInt64>(highestTrackableValue: 60_000_000_000, numberOfSignificantValueDigits: .three)
        /// The reason for which the connection ended, if it did.
        var failure: String?
    }

    let topic: Int
    let isSlow: Bool
    private let connection: Connection
    private let ready = AsyncSubject<Never>()
    /// Written on the connection's loop.
    private let state = Mutex(Result())

    init(_ connection: Connection, topic: Int, isSlow: Bool) {
        self.connection = connection
        self.topic = topic
        self.isSlow = isSlow
    }

    /// Completes when the server has subscribed the connection to the topic.
    var isReady: Completable { ready.asCompletable() }

    var result: Result { state.withLock { $0 } }

    /// The number of messages received so far.
    var received: Int { state.withLock { $0.check.received } }

    /// - Parameter sent: the number of messages that each of the topic's publishers sent.
    func hasAll(of sent: [Int: Int]) -> Bool {
        state.withLock { $0.failure != nil || $0.check.lost(of: sent) <= 0 }
    }

    /// Subscribes, and receives until the result is disposed of.
    func receive() -> any Disposable {
        connection.send(Command.subscribe(topic: Publisher.topic(topic)).line)
        return chunks.lines().subscribe(
            onNext: received,
            onError: { error in self.ended("\(error)") },
            onCompleted: { self.ended("closed by the server") })
    }

    /// The received chunks. A slow subscriber keeps each for a while: then the connection receives no more, the kernel's buffers fill
    /// up, and then the server's queue.
    private var chunks: Observable<ByteChunk> {
        guard isSlow else { return connection.received }
        let scheduler = connection.scheduler
        return connection.received.concatMap { chunk in
            Observable.just(chunk).delay(.milliseconds(10), scheduler: scheduler)
        }
    }

    private func received(_ line: String) {
        switch ServerLine(line: line) {
        case .message(_, let payload):
            guard let stamp = Stamp(payload: payload) else { return ended("a message that nobody sent: \(line)") }
            let now = DispatchTime.now().uptimeNanoseconds
            state.withLock {
                $0.check.receive(publisher: stamp.publisher, sequence: stamp.sequence)
                $0.latencies.record(now - min(now, stamp.time))
            }
        case .dropped(let count): state.withLock { $0.check.serverDropped(count) }
        case .done: ready.onCompleted()
        default: ended("the server said '\(line)'")
        }
    }

    private func ended(_ reason: String) {
        state.withLock { $0.failure = $0.failure ?? reason }
        ready.onError(LoadError("a subscriber's connection ended: \(reason)"))
    }
}

// SPDX-License-Identifier: Apache-2.0

import Glibc
import PubSub
import RxIOUring
import RxSwift

/// One client, from its connection to its end. Its commands run on the loop of the connection.
struct Session {
    let connection: Connection
    let topics: Topics
    let statistics: Statistics
    let limits: Limits

    /// Answers commands until the client leaves or `stop` emits. Completes when the last answer is sent, and fails when the connection
    /// does.
    func run(until stop: Observable<CInt>) -> Completable {
        Completable.using(
            { Subscriptions(statistics: statistics) },
            primitiveSequenceFactory: { subscriptions in
                // The session does nothing but write the answers to the received commands. While the client does not read the answers,
                // `write` makes `received` pause: a client that floods the server with commands waits for itself.
                connection.write(answers(subscriptions, until: stop).map { ByteChunk($0.line) })
                    // Otherwise the queued answers would be kept for half a minute, for a client that reads nothing.
                    .do(onError: { _ in connection.abort() })
            })
    }

    private func answers(_ subscriptions: Subscriptions, until stop: Observable<CInt>) -> Observable<ServerLine> {
        let outbox = Outbox(connection, gate: limits.gate, statistics: statistics)
        return connection.received
            .lines(maximumLength: limits.longestLine)
            .map { line in answer(line, subscriptions, outbox) }
            // The signal may come on another loop; everything else here runs on this loop.
            .take(until: stop.observe(on: connection.scheduler))
            .catch { error in .just(.error(reason(error))) }
            .concat(Observable.just(.bye))
            .take(until: { $0 == .bye }, behavior: .inclusive)
    }

    private func reason(_ error: any Error) -> String {
        (error as? IOError)?.code == EMSGSIZE ? "a line has at most \(limits.longestLine) bytes" : "\(error)"
    }

    private func answer(_ line: String, _ subscriptions: Subscriptions, _ outbox: Outbox) -> ServerLine {
        do {
            switch try Command(line: line) {
            case .subscribe(let topic):
                guard subscriptions.count < limits.mostTopics else {
                    return .error("at most \(limits.mostTopics) topics for a connection")
                }
                return subscriptions.add(topic) { topics.messages(of: topic).subscribe(onNext: outbox.deliver) }
                    ? .done : .error("subscribed already")
            case .unsubscribe(let topic):
                return subscriptions.remove(topic) ? .done : .error("not subscribed")
            case .publish(let topic, let payload):
                // One message is made, and the queues of all subscribers share it.
                let message = ServerLine.message(topic: topic[...], payload: payload)
                return topics.publish(ByteChunk(message.line), to: topic)
                    ? .done : .error("too many messages for \(topic)")
            case .ping: return .pong
            case .statistics: return .statistics(statistics.line)
            case .quit: return .bye
            }
        } catch {
            return .error("\(error)")
        }
    }
}

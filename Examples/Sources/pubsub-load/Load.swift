// SPDX-License-Identifier: Apache-2.0

import Foundation
import Program
import RxIOUring
import RxSwift

/// One run: connects the subscribers and publishers, publishes, waits for the last message, and adds up the results.
struct Load {
    let plan: PubSubLoad
    let group: IOUringSchedulerGroup

    /// The longest time without a message, after the publishers have ended, in which more may still come.
    static let idleTimeout = RxTimeInterval.seconds(15)

    func run() async throws -> Report {
        let subscribers = try await connectSubscribers()
        // The connections of the subscribers stay open until `receiving` is disposed of.
        let receiving = subscribers.map { $0.receive() }
        defer { for disposable in receiving { disposable.dispose() } }
        for subscriber in subscribers { try await subscriber.isReady.value }

        let start = ContinuousClock.now
        let sent = try await publish()
        let publishing = ContinuousClock.now - start
        try await waitForDeliveries(of: sent, to: subscribers)
        return Report(plan: plan, sent: sent, subscribers: subscribers, publishing: publishing)
    }

    private func connectSubscribers() async throws -> [Subscriber] {
        var subscribers: [Subscriber] = []
        for number in 0..<plan.subscribers {
            let isSlow = number < plan.slow
            var options = ConnectionOptions()
            // Otherwise the kernel would buffer megabytes before the server notices. With less than a few of its largest segments, 64 KiB each
            // on the loopback interface, TCP can fall into a state in which it sends 29 KB in 200 ms.
            if isSlow { options.receiveBufferSize = 256 * 1024 }
            let connection = try await connect(options)
            subscribers.append(Subscriber(connection, topic: number % plan.topics, isSlow: isSlow))
        }
        return subscribers
    }

    /// Returns the number of messages that each publisher sent.
    private func publish() async throws -> [Int: Int] {
        var publishers: [Publisher] = []
        for number in 0..<plan.publishers {
            publishers.append(Publisher(number, try await connect(ConnectionOptions()), plan))
        }
        let stop = Termination.signal(group.schedulers[0])
        let sent = publishers.map { publisher in
            publisher.publish(until: stop).map { (publisher.number, $0) }
        }
        return Dictionary(uniqueKeysWithValues: try await Single.zip(sent).value)
    }

    private func connect(_ options: ConnectionOptions) async throws -> Connection {
        try await TCP.connect(
            host: plan.host, port: plan.port, timeout: .seconds(5), options: options, scheduler: group.next()
        ).value
    }

    /// Checks repeatedly if all messages have arrived, since no message is marked as the last one, until nothing has come for a while.
    private func waitForDeliveries(of sent: [Int: Int], to subscribers: [Subscriber]) async throws {
        let scheduler = group.schedulers[0]
        let hasAll = Observable<Int>.interval(.milliseconds(5), scheduler: scheduler)
            .filter { _ in subscribers.allSatisfy { $0.hasAll(of: plan.sent(sent, to: $0.topic)) } }
            .map { _ in }
        let isIdle = Observable<Int>.interval(.milliseconds(100), scheduler: scheduler)
            .map { _ in subscribers.reduce(0) { $0 + $1.received } }
            .distinctUntilChanged()
            .debounce(Load.idleTimeout, scheduler: scheduler)
            .map { _ in }
        _ = try await Observable.merge(hasAll, isIdle).take(1).asSingle().value
    }
}

extension PubSubLoad {
    /// Returns the part of `sent` that the publishers of a topic sent.
    func sent(_ sent: [Int: Int], to topic: Int) -> [Int: Int] { sent.filter { $0.key % topics == topic } }
}

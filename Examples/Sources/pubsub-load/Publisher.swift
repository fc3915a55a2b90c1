// SPDX-License-Identifier: Apache-2.0

import Dispatch
import PubSub
import RxIOUring
import RxSwift

/// A connection that publishes.
struct Publisher {
    let number: Int
    private let connection: Connection
    private let plan: PubSubLoad

    private typealias Event = PublisherProgress.Event

    init(_ number: Int, _ connection: Connection, _ plan: PubSubLoad) {
        self.number = number
        self.connection = connection
        self.plan = plan
    }

    /// Publishes until the plan's time is over or `stop` emits, and waits for all answers. Emits the number of messages sent.
    func publish(until stop: Observable<CInt>) -> Single<Int> {
        // All these events come on the connection's loop, one after another: the state needs no lock.
        Observable.merge(answers, due, timeIsOver(stop))
            .scan(into: PublisherProgress(isWindowed: plan.rate == nil)) { progress, event in progress.handle(event) }
            .do(onNext: { progress in try send(progress) })
            .filter { $0.isFinished }
            .map { $0.sent }
            .take(1)
            .asSingle()
    }

    private var answers: Observable<Event> {
        connection.received.lines().map { line in
            guard ServerLine(line: line) == .done else { throw LoadError("the server answered '\(line)' to PUB") }
            return .acknowledged
        }
        .concat(Observable.error(LoadError("the server has closed the connection of a publisher")))
    }

    /// Emits the number of messages due. With a rate, it follows the clock, which is read each millisecond. Without one, it emits the
    /// window once, and each answer makes the next message due.
    private var due: Observable<Event> {
        guard let rate = plan.rate else { return .just(.due(plan.window), scheduler: connection.scheduler) }
        let start = DispatchTime.now().uptimeNanoseconds
        return Observable<Int>.interval(.milliseconds(1), scheduler: connection.scheduler).map { _ in
            // Does not count ticks: when the loop is late, some are left out.
            let elapsed = DispatchTime.now().uptimeNanoseconds - start
            return .due(Int(Double(elapsed) / 1e9 * Double(rate)))
        }
    }

    private func timeIsOver(_ stop: Observable<CInt>) -> Observable<Event> {
        Observable<Int>
            .timer(.nanoseconds(Int(plan.seconds * 1e9)), scheduler: connection.scheduler)
            .map { _ in }
            .amb(stop.map { _ in }.observe(on: connection.scheduler))
            .map { .timeIsOver }
    }

    private func send(_ progress: PublisherProgress) throws {
        for sequence in (progress.sent - progress.batch)..<progress.sent {
            let stamp = Stamp(publisher: number, sequence: sequence, time: DispatchTime.now().uptimeNanoseconds)
            let command = Command.publish(
                topic: Publisher.topic(number % plan.topics), payload: stamp.payload(size: plan.size)[...])
            guard connection.send(command.line) else {
                throw LoadError("the server takes less than it is sent: lower --rate, or --window, or --size")
            }
        }
    }

    static func topic(_ number: Int) -> String { "load.\(number)" }
}

/// The reason for which a run has to stop.
struct LoadError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

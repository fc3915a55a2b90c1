// SPDX-License-Identifier: Apache-2.0

import CDispatch
import Foundation
import RxPrimitives
import RxSwift
import TestSupport
import Testing

extension Laws {
    /// One subscription to one operator, and all that a law wants to know of it.
    final class Scenario: @unchecked Sendable {
        let subject: Case
        let ports: [Port]
        let record = Record()
        let script = Script()
        /// Kept by "the user", as long as the scenario lives. Written before `isSubscribed` is set, read after.
        private var subscription: (any Disposable)?
        private let subscribed = AtomicWord(0)
        private let disposed = AtomicWord(0)
        private(set) weak var probe: Probe?
        private(set) weak var witness: Witness?
        private let lock = NSLock()
        /// Under the lock.
        private var numbers: [Int] = []
        private var count = 0
        private var hasEnded = false

        /// The elements sent before the end, in order of sending.
        var sent: [Int] { lock.withLock { numbers } }
        /// True after `subscribe` has returned.
        var isSubscribed: Bool { subscribed.loadAcquiring() != 0 }
        /// True after the law has disposed of the subscription.
        var isDisposed: Bool { disposed.loadAcquiring() != 0 }

        init(_ subject: Case, _ kind: Port.Kind, tested: Port? = nil) {
            // Some laws make their sources violate the contract on purpose.
            Hooks.contractViolationHandler = { _ in }
            self.subject = subject
            ports = (0..<subject.row.sources).map { position in
                if position == subject.position, let tested { tested } else { Port(kind) }
            }
        }

        var tested: Port { ports[subject.position] }

        /// - Parameters:
        ///   - above: an operator between the source under test and the operator under test.
        ///   - below: an operator between the operator under test and the observer.
        ///   - others: replaces the sources that are not under test.
        func subscribe(
            above: ((Observable<Int>) -> Observable<Int>)? = nil, below: ((Observable<Int>) -> Observable<Int>)? = nil,
            others: ((Int) -> Observable<Int>)? = nil
        ) {
            let probe = Probe(script)
            let witness = Witness(record)
            self.probe = probe
            self.witness = witness
            var sources = ports.map(\.observable)
            if let others { sources = sources.indices.map(others) }
            if let above { sources[subject.position] = above(tested.observable) }
            var observable = subject.row.build(sources, subject.position, probe)
            if let below { observable = below(observable) }
            subscription = observable.subscribe(witness)
            subscribed.storeReleasing(1)
        }

        func dispose() {
            disposed.storeReleasing(1)
            subscription?.dispose()
            subscription?.dispose()
            record.noteDisposed()
        }

        /// Sends the next number from one source: its hundred thousands name the source.
        func sendNext(from position: Int) {
            let element = lock.withLock {
                count += 1
                let element = (position + 1) * 100_000 + count
                if !hasEnded { numbers.append(element) }
                return element
            }
            ports[position].send(.next(element))
        }

        /// Each source sends one element.
        func round() {
            for position in ports.indices { sendNext(from: position) }
        }

        /// The source under test ends, then the others complete.
        func end(_ event: Event<Int>) {
            lock.withLock { hasEnded = true }
            tested.send(event)
            // More than once: sources may be subscribed to when others have completed.
            for _ in 0..<6 {
                for port in ports { port.send(.completed) }
            }
        }

        /// The steps of a whole life, for laws that interfere at each.
        var steps: [() -> Void] {
            (0..<4).flatMap { _ in ports.indices.map { position in { self.sendNext(from: position) } } }
        }

        /// Releases the objects that the user held.
        func forget() {
            subscription = nil
            for port in ports { port.forget() }
        }

        /// Waits until a claim holds; at once where nothing happens on other threads.
        func eventually(seconds: Int = Laws.idleTimeout, _ claim: () -> Bool) -> Bool {
            Laws.eventually(subject.row.isAsynchronous, seconds: seconds, claim)
        }

        /// Waits until the events that other threads are delivering have arrived.
        func settle() { Scenario.waitForQuiet(subject) { record.events.count } }

        /// Waits until a number stays as it is for a while; not where nothing happens on other threads.
        static func waitForQuiet(_ subject: Case, _ number: () -> Int) {
            if subject.row.isAsynchronous { Laws.waitForQuiet(number) }
        }
    }

    /// Waits until a number that other threads change stays as it is for a while.
    static func waitForQuiet(_ number: () -> Int) {
        var quiet = 0
        var before: Int?
        // Bounded: a law reports what went wrong, and does not hang, if it never gets quiet.
        for _ in 0..<2_000 where quiet < 3 {
            queue.sync {}
            usleep(1_000)
            let now = number()
            quiet = now == before ? quiet + 1 : 0
            before = now
        }
    }

    /// Says which of the queues below the calling thread works for.
    static let queueKey = DispatchSpecificKey<String>()

    static let queue = marked(DispatchQueue(label: "laws"), "serial")

    /// The scheduler of operators that need one.
    static let scheduler = SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "laws")

    static let concurrentScheduler = ConcurrentDispatchQueueScheduler(
        queue: marked(DispatchQueue(label: "laws.concurrent", attributes: .concurrent), "concurrent"))

    static let operations = OperationQueue()

    private static func marked(_ queue: DispatchQueue, _ mark: String) -> DispatchQueue {
        queue.setSpecific(key: queueKey, value: mark)
        return queue
    }

    /// Returns the system's name of the calling thread.
    static var currentThreadName: String {
        guard let file = FileHandle(forReadingAtPath: "/proc/thread-self/comm"),
            let name = try? file.readToEnd()
        else { return "unknown" }
        return String(decoding: name, as: UTF8.self).trimmingCharacters(in: .newlines)
    }

    /// The label of the dispatch queue that the calling thread works for.
    static var currentQueueLabel: String { String(cString: dispatch_queue_get_label(nil)) }

    /// The seconds that a law waits for an event that has to arrive: the machine may be busy.
    static let idleTimeout = 20

    static func eventually(_ mayWait: Bool, seconds: Int = idleTimeout, _ claim: () -> Bool) -> Bool {
        if claim() { return true }
        guard mayWait else { return false }
        // Most claims come true within microseconds.
        var pause: UInt32 = 50
        var waited: UInt32 = 0
        while waited < UInt32(seconds) * 1_000_000 {
            usleep(pause)
            if claim() { return true }
            waited += pause
            pause = min(pause * 2, 1_000)
        }
        return false
    }
}

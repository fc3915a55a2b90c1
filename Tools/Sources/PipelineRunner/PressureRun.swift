// SPDX-License-Identifier: Apache-2.0

import Foundation
import PipelineModel
import RxSwift

/// An element that fills a queue.
struct Heavy {
    var value: Int
    var weightInBytes: Int
}

#if PRESSURE
    extension Heavy: Weighted {}
#endif

/// The stages of pipelines under pressure: sources that pause, and stages that a few elements fill.
enum Pressure {
    private static let serial = (0..<3).map { SerialDispatchQueueScheduler(internalSerialQueueName: "pressure.\($0)") }
    private static let concurrent = ConcurrentDispatchQueueScheduler(qos: .default)

    static func scheduler(_ number: Int) -> any ImmediateSchedulerType {
        number % 4 == 3 ? concurrent : serial[number % 4]
    }

    /// The weights with which a hop is full at thousands of elements, at 16, at 4, and at 2.
    private static let weights = [0, 70_000, 300_000, 600_000, 2_000_000]

    /// - Parameter choice: the weight of the elements, and the scheduler.
    static func hop(_ source: Ints, _ choice: Int, _ log: Log) -> Ints {
        let weight = weights[choice / 4 % weights.count]
        return source.map { Heavy(value: $0, weightInBytes: weight) }.observe(on: scheduler(choice)).map {
            log.add(0, "f")
            return $0.value
        }
    }

    static func weighted(_ source: Ints) -> Observable<Heavy> {
        source.map { Heavy(value: $0, weightInBytes: 400_000) }
    }
}

/// A final observer in a program under pressure.
private final class PressedObserver: @unchecked Sendable {
    private let log: Log
    private let watch: Watch
    private let condition = NSCondition()
    // Protected by the condition.
    private var received: [Int] = []
    private var end: Event<Int>?

    init(_ log: Log, _ name: String) {
        self.log = log
        watch = Watch(log, name)
    }

    func on(_ event: Event<Int>) {
        watch.enter(event)
        condition.lock()
        if case .next(let value) = event { received.append(value) } else { end = event }
        let count = received.count
        condition.signal()
        condition.unlock()
        // Gives the stages above time to fill.
        if count % 8 == 3 { sched_yield() }
        watch.leave()
    }

    /// Waits for a number of elements, or the end. Returns false when no closure of the program has run for two seconds.
    func wait(for count: Int) -> Bool {
        condition.lock()
        defer { condition.unlock() }
        while end == nil, received.count < count {
            let before = received.count + log.progress
            if !condition.wait(until: Date(timeIntervalSinceNow: 2)), end == nil,
                received.count + log.progress == before
            {
                return false
            }
        }
        return true
    }

    var elements: [Int] { condition.withLock { received } }
}

extension Session {
    /// Runs a program with sources that pause, and compares its answers with those of sources that run to their end in `subscribe`.
    func runUnderPressure() {
        log.isSilent = true
        let orders = program.mains.map(order)
        let expected = orders.contains { $0 != .free } ? answers() : []
        isPressed = true
        for node in program.shared { shared.append(makeShared(node)) }
        let observers = program.mains.indices.map { PressedObserver(log, "final observer \($0)") }
        var disposables: [Int: any Disposable] = [:]
        var connections: [any Disposable] = []
        for step in program.script {
            switch step.verb {
            case .subscribe where program.mains.indices.contains(step.target) && disposables[step.target] == nil:
                let observer = observers[step.target]
                disposables[step.target] = build(program.mains[step.target], Environment()).subscribe {
                    observer.on($0)
                }
            case .connect where shared.indices.contains(step.target):
                if let connection = shared[step.target].connect() { connections.append(connection) }
            default: break
            }
        }
        // A smaller program may be endless.
        let isConnected =
            (program.shared.isEmpty || !connections.isEmpty) && !program.nodes.contains { $0.op == .never }
        let disposal = program.script.first { $0.verb == .dispose && disposables[$0.target] != nil }
        if isConnected, let disposal, observers[disposal.target].wait(for: disposal.value) {
            disposables.removeValue(forKey: disposal.target)?.dispose()
        }
        for main in disposables.keys.sorted() where isConnected {
            let isEnded = observers[main].wait(for: .max)
            let elements = observers[main].elements
            let answer = expected.isEmpty || orders[main] == .free ? nil : expected[main]
            if !isEnded {
                log.violation("stuck: final observer \(main) gets \(elements.count) elements and no end")
            } else if let answer, orders[main] == .some ? elements.sorted() != answer.sorted() : elements != answer {
                log.violation("answer: final observer \(main) gets \(elements), without pressure \(answer)")
            }
        }
        for disposable in Array(disposables.values) + connections { disposable.dispose() }
        shared = []
    }

    /// The elements that the final observers get without pressure.
    private func answers() -> [[Int]] {
        for node in program.shared { shared.append(makeShared(node)) }
        defer { shared = [] }
        let observers = program.mains.indices.map { PressedObserver(log, "final observer \($0) without pressure") }
        let disposables = zip(program.mains, observers).map { main, observer in
            build(main, Environment()).subscribe { observer.on($0) }
        }
        let connections = shared.compactMap { $0.connect() }
        for disposable in disposables + connections { disposable.dispose() }
        return observers.map(\.elements)
    }

    /// How much of the answer of a pipeline does not depend on the threads.
    private enum Order: Int {
        case all
        /// The elements, but not their order.
        case some
        case free
    }

    private func order(_ node: Node) -> Order {
        if program.nodes.contains(where: { $0.op == .error }) { return .free }
        let orders = node.children.map(order)
        let worst = orders.max { $0.rawValue < $1.rawValue } ?? .all
        /// True if a child that is subscribed to later refers to what runs meanwhile.
        let comesLate = node.children.dropFirst().contains { $0.all.contains { $0.op == .ref } }
        switch node.op {
        case .range, .element: return .all
        case .ref: return program.shared.first.map { order($0.children[0]) } ?? .free
        case .map, .filter, .observeOn, .startWith, .share, .retry, .catchAndReturn, .connectable: return worst
        case .scan, .take, .skip, .takeLast, .zip: return worst == .all ? .all : .free
        case .merge: return worst == .free ? .free : .some
        case .concat, .concatWith, .andThen, .catchSequence: return comesLate ? .free : worst
        case .ifEmptySwitch: return comesLate ? .free : worst
        case .flatMap, .mergeMap: return comesLate || worst == .free ? .free : .some
        case .concatMap, .concatAll: return comesLate ? .free : worst
        case .mergeLimit: return comesLate || worst == .free ? .free : node.numbers[1] == 1 ? worst : .some
        default: return .free
        }
    }
}

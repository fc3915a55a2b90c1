// SPDX-License-Identifier: Apache-2.0

import Foundation
import PipelineModel
import RxRelay
import RxSwift
import RxTest

typealias Ints = Observable<Int>

/// The values around a pipeline to which it refers.
struct Environment {
    /// The argument of the innermost closure that gets an element.
    var element = 0
    /// The argument of the innermost closure that gets an observable.
    var it: Ints?
}

/// One run of a program.
final class Session {
    let program: Program
    let log: Log
    let scheduler = TestScheduler(initialClock: 0, resolution: 1, simulateProcessingDelay: false)
    var shared: [Shared] = []
    private(set) var disposables: [Int: [(number: Int, disposable: any Disposable)]] = [:]
    private var connections: [Int: any Disposable] = [:]
    private var subscriptions = 0
    private var reactionSubscriptions = 0
    lazy var serialScheduler = SerialDispatchQueueScheduler(qos: .default)
    lazy var concurrentScheduler = ConcurrentDispatchQueueScheduler(qos: .default)
    private let instancesLock = NSLock()
    private var instances: [Int: Int] = [:]
    /// True while pipelines are built whose sources run on schedulers and pause.
    var isPressed = false
    /// The number of reactions that are being performed.
    var reactions = 0

    /// The parts of the library that are replaced by models of the lines of KnownDifferences.md.
    enum Models: Int, Comparable {
        case none
        case some
        /// Replaces operators with several sources, too.
        case all

        static func < (left: Models, right: Models) -> Bool { left.rawValue < right.rawValue }
    }

    let models: Models
    var usesModels: Bool { models > .none }
    /// Sources that cannot be cancelled before the action that subscribes to them has returned. Other libraries behave so with the
    /// sources that an operator subscribes to when a timer fires or a subject emits.
    private(set) var postponed: Set<Int> = []

    /// Work that waits until the running action of the scheduler, or step of the script, has returned.
    private var held: [() -> Void] = []
    /// The scheduler on which operators run their timers.
    private(set) lazy var timing: any SchedulerType =
        usesModels || !postponed.isEmpty ? ReturningScheduler(scheduler) { [unowned self] in release() } : scheduler

    init(_ program: Program, log: Log, models: Models, postponesCancellation: Bool) {
        self.program = program
        self.models = models
        self.log = log
        if program.kind == .virtual {
            log.clock = { [unowned scheduler] in scheduler.clock }
        }
        if postponesCancellation {
            for node in program.nodes where node.op.subscribesLater {
                let later = node.children.count > 1 ? node.children.dropFirst() : node.children[...]
                postponed.formUnion(later.map(\.id))
            }
        }
    }

    func run() {
        if program.kind == .threads { return runOnThreads() }
        if program.kind == .pressure { return runUnderPressure() }
        for node in program.shared { shared.append(makeShared(node)) }
        if program.kind == .virtual {
            for step in program.script {
                scheduler.scheduleAt(step.time) {
                    self.perform(step)
                    self.release()
                }
            }
            scheduler.scheduleAt(500) { self.disposeAll() }
            scheduler.start()
        } else {
            for step in program.script {
                perform(step)
                release()
            }
            disposeAll()
        }
        shared = []
    }

    /// Postpones work until the running action or step has returned.
    func hold(_ work: @escaping () -> Void) { held.append(work) }

    /// Runs the postponed work.
    func release() {
        while !held.isEmpty { held.removeFirst()() }
    }

    private func disposeAll() {
        log.add(0, "X")
        for (_, list) in disposables.sorted(by: { $0.key < $1.key }) {
            for (_, disposable) in list { disposable.dispose() }
        }
        for (_, disposable) in connections.sorted(by: { $0.key < $1.key }) { disposable.dispose() }
        disposables = [:]
        connections = [:]
    }

    func perform(_ step: Step) {
        switch step.verb {
        case .subscribe: subscribe(step.target)
        case .dispose:
            guard let (number, disposable) = disposables[step.target]?.last else { return }
            log.add(number, "x", isFinal: true)
            disposable.dispose()
        case .next: emit(step) { $0.next(step.value) }
        case .error: emit(step) { $0.error(Failure(code: step.value)) }
        case .completed: emit(step) { $0.completed() }
        case .connect:
            if let connection = target(step)?.connect() { connections[step.target] = connection }
        case .disconnect: connections.removeValue(forKey: step.target)?.dispose()
        }
    }

    /// Sends an event to a subject. An event that a callback sends to another subject may meet, further down, an operator that is
    /// delivering: the log notes that.
    private func emit(_ step: Step, _ send: (Shared) -> Void) {
        guard let shared = target(step) else { return }
        if reactions > 0 { log.note("reaction") }
        send(shared)
    }

    private func target(_ step: Step) -> Shared? {
        shared.indices.contains(step.target) ? shared[step.target] : nil
    }

    func subscribe(_ main: Int) {
        guard program.mains.indices.contains(main) else { return }
        // Subscriptions made by reactions have numbers of their own: one that runs in one library only does not change the others'
        // numbers.
        let isReaction = reactions > 0
        let number = isReaction ? 10 + reactionSubscriptions : subscriptions
        if isReaction { reactionSubscriptions += 1 } else { subscriptions += 1 }
        guard number < 18 else { return }
        let observable = build(program.mains[main], Environment())
        log.add(number, "s", isFinal: true)
        let watch = Watch(log, "final observer \(number)")
        let disposable = observable.subscribe { [log] event in
            watch.enter(event)
            switch event {
            case .next(let value): log.add(number, "n", value, isFinal: true)
            case .error(let error): log.add(number, "e", code(of: error), isFinal: true)
            case .completed: log.add(number, "c", isFinal: true)
            }
            watch.leave()
        }
        disposables[main, default: []].append((number, disposable))
        log.add(number, "S", isFinal: true)
    }

    /// Returns the number of this subscription to a stage.
    func instance(of node: Node) -> Int {
        instancesLock.withLock {
            instances[node.id, default: 0] += 1
            return instances[node.id]!
        }
    }
}

/// Checks the events that one observer receives: the grammar, no overlap, no nesting.
final class Watch {
    private let log: Log
    private let name: String
    private let lock = NSLock()
    // Protected by the lock.
    private var hasEnded = false
    private var depth = 0
    private var thread: pthread_t?

    init(_ log: Log, _ name: String) {
        self.log = log
        self.name = name
    }

    func enter(_ event: Event<Int>) {
        lock.withLock {
            if hasEnded { log.violation("grammar: \(name) gets \(event) after its terminal event") }
            if depth > 0 {
                let law = thread == pthread_self() ? "nesting" : "overlap"
                log.violation("\(law): \(name) gets \(event) inside of another call")
            }
            if event.isStopEvent { hasEnded = true }
            depth += 1
            thread = pthread_self()
        }
    }

    func leave() { lock.withLock { depth -= 1 } }
}

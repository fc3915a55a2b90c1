// SPDX-License-Identifier: Apache-2.0

import Foundation
import PipelineModel
import RxSwift

/// A final observer in a program with several threads, and the events that it receives.
///
/// Each subject is driven by a thread of its own, which sends numbers that grow. The laws that must hold in every interleaving can be
/// read off the numbers: each source's order, and that nothing is lost or doubled where the pipeline drops nothing.
final class ThreadedObserver: @unchecked Sendable {
    /// Subject `i` sends the numbers from `i * stride + first`.
    static let stride = 1_000_000
    static let first = 1000

    private let lock = NSLock()
    private let log: Log
    private let name: String
    private let keepsOrder: Bool
    // Protected by the lock.
    private var last: [Int: Int] = [:]
    private var counts: [Int: Int] = [:]
    private var calls = 0
    private var hasEnded = false
    private var isDisposed = false
    private var afterDispose = 0
    private var total = 0

    init(_ log: Log, _ name: String, keepsOrder: Bool) {
        self.log = log
        self.name = name
        self.keepsOrder = keepsOrder
    }

    func on(_ event: Event<Int>) {
        lock.withLock {
            if hasEnded { log.violation("grammar: \(name) gets \(event) after its terminal event") }
            if calls > 0 { log.violation("overlap: two calls to \(name) at once") }
            if isDisposed {
                afterDispose += 1
                if afterDispose > 1 { log.violation("dispose: \(name) gets \(afterDispose) events afterwards") }
            }
            calls += 1
            total += 1
            if event.isStopEvent { hasEnded = true }
            if case .next(let value) = event {
                let source = value / Self.stride
                // Smaller numbers come from the pipeline itself, not from a subject.
                if value % Self.stride >= Self.first {
                    counts[source, default: 0] += 1
                    if keepsOrder, value <= last[source] ?? -1 {
                        log.violation("order: \(name) gets \(value) behind \(last[source]!)")
                    }
                    last[source] = value
                }
            }
        }
        // Yields to give other threads time to come in between.
        if total % 64 == 0 { sched_yield() }
        lock.withLock { calls -= 1 }
    }

    func disposed() { lock.withLock { isDisposed = true } }
    var ended: Bool { lock.withLock { hasEnded } }
    var seen: Int { lock.withLock { total } }
    func count(of source: Int) -> Int { lock.withLock { counts[source] ?? 0 } }
}

extension Session {
    /// Runs a program with a thread per subject, and the subscriptions and disposals of its script on the calling thread.
    func runOnThreads() {
        log.isSilent = true
        for node in program.shared { shared.append(makeShared(node)) }
        let subjects = program.shared.indices.filter { program.shared[$0].op.shape.use == .sharedOnly }
        let first = program.script.prefix { $0.verb == .subscribe }
        var observers: [(observer: ThreadedObserver, main: Int, disposable: any Disposable)] = []
        func perform(_ step: Step) {
            guard program.mains.indices.contains(step.target) else { return }
            if step.verb == .subscribe {
                observers.append(observe(step.target, number: observers.count))
            } else if let last = observers.last(where: { $0.main == step.target }) {
                last.disposable.dispose()
                last.observer.disposed()
            }
        }
        for step in first { perform(step) }
        let fromStart = observers.count
        let group = DispatchGroup()
        let start = DispatchSemaphore(value: 0)
        for index in subjects {
            let steps = program.script.filter { $0.target == index && [.next, .error, .completed].contains($0.verb) }
            let subject = shared[index]
            group.enter()
            Thread.detachNewThread {
                start.wait()
                Self.drive(subject, index, steps)
                group.leave()
            }
        }
        for _ in subjects { start.signal() }
        for step in program.script.dropFirst(first.count) where [.subscribe, .dispose].contains(step.verb) {
            sched_yield()
            perform(step)
        }
        // A producer that does not return runs a program without an end, or hangs.
        if group.wait(timeout: .now() + 8) == .timedOut { endAsHang() }
        settle(observers.map(\.observer))
        for (number, entry) in observers.prefix(fromStart).enumerated() where isLossless(program.mains[entry.main]) {
            guard !program.script.contains(where: { $0.verb == .dispose && $0.target == entry.main }) else { continue }
            checkNothingIsLost(entry.observer, number, program.mains[entry.main])
        }
        for entry in observers {
            entry.disposable.dispose()
            entry.observer.disposed()
        }
        observers = []
        shared = []
    }

    private static func drive(_ subject: Shared, _ index: Int, _ steps: [Step]) {
        var sent = 0
        for step in steps {
            switch step.verb {
            case .next:
                for _ in 0..<max(1, step.value) {
                    subject.next(index * ThreadedObserver.stride + ThreadedObserver.first + sent)
                    sent += 1
                }
            case .error: subject.error(Failure(code: 3))
            default: subject.completed()
            }
        }
        subject.completed()
    }

    private func observe(_ main: Int, number: Int) -> (ThreadedObserver, Int, any Disposable) {
        let node = program.mains[main]
        let references = node.all.filter { $0.op == .ref }.map { $0.numbers[0] }
        let observer = ThreadedObserver(
            log, "final observer \(number)",
            keepsOrder: node.all.allSatisfy { Self.keepsElements($0) } && Set(references).count == references.count
                && references.allSatisfy {
                    program.shared.indices.contains($0) && program.shared[$0].op.shape.use == .sharedOnly
                })
        return (observer, main, build(node, Environment()).subscribe { observer.on($0) })
    }

    /// Waits until the observers have ended, or no event has come for a while.
    private func settle(_ observers: [ThreadedObserver]) {
        var last = -1
        var quiet = 0
        for _ in 0..<4000 where !observers.allSatisfy(\.ended) && quiet < 10 {
            usleep(500)
            let seen = observers.reduce(0) { $0 + $1.seen }
            quiet = seen == last ? quiet + 1 : 0
            last = seen
        }
    }

    private func checkNothingIsLost(_ observer: ThreadedObserver, _ number: Int, _ main: Node) {
        let references = main.all.filter { $0.op == .ref }.map { $0.numbers[0] }
        for _ in 0..<2000 where !observer.ended { usleep(1000) }
        for source in Set(references) {
            let sent = program.script.filter { $0.target == source && $0.verb == .next }.reduce(0) {
                $0 + max(1, $1.value)
            }
            let expected = sent * references.filter { $0 == source }.count
            if observer.count(of: source) != expected {
                log.violation("lost: final observer \(number) gets \(observer.count(of: source)) of \(expected)")
            }
        }
        if !observer.ended { log.violation("lost: final observer \(number) gets no terminal event") }
    }

    /// True if elements pass unchanged, each at most once, in their order.
    static func keepsElements(_ node: Node) -> Bool {
        switch node.op {
        case .ref, .merge, .concat, .concatWith, .amb, .take, .takeLast, .skip, .filter, .takeWhile,
            .takeUntilPredicate,
            .skipWhile, .takeUntil, .skipUntil, .observeOn, .subscribeOn, .probe, .doEvents, .distinct, .roundTrip,
            .never,
            .empty:
            true
        case .share, .publish, .replay, .multicast: false
        default: false
        }
    }

    /// True if no element is dropped, and the end comes when all subjects have ended.
    private func isLossless(_ main: Node) -> Bool {
        let script = program.script
        return main.all.allSatisfy { node in
            switch node.op {
            case .ref:
                return program.shared.indices.contains(node.numbers[0])
                    && program.shared[node.numbers[0]].op == .publishSubject
                    && !script.contains { $0.verb == .error && $0.target == node.numbers[0] }
                    && !isCompletedEarly(node.numbers[0])
            case .merge, .probe, .observeOn: return true
            case .doEvents: return node.numbers[0] != 0 || node.numbers[1] == 0
            default: return false
            }
        }
    }

    private func isCompletedEarly(_ subject: Int) -> Bool {
        let steps = program.script.filter { $0.target == subject && [.next, .completed].contains($0.verb) }
        return steps.contains { $0.verb == .completed }
    }
}

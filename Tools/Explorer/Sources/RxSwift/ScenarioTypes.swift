// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

// Shells that scenarios fill with closures: the classes of the engine can only be inherited from in their own module.

/// A stage that says when it is cancelled.
package final class ScenarioStage: Stage {
    private let cancelled: () -> Void

    package init(cancelled: @escaping () -> Void) {
        self.cancelled = cancelled
        super.init()
    }

    package override func cancel() {
        cancelled()
        super.cancel()
    }
}

/// The end of a chain.
package final class ScenarioSink<Element>: Sink<Element> {
    private let nextBody: (Element) -> Void
    private let endBody: () -> Void
    private let pausesBody: (any PausableSource) -> Bool

    package init(
        next: @escaping (Element) -> Void, end: @escaping () -> Void = {},
        pauses: @escaping (any PausableSource) -> Bool = { _ in false }
    ) {
        nextBody = next
        endBody = end
        pausesBody = pauses
        super.init()
    }

    package override func next(_ element: Element) { nextBody(element) }

    package override func error(_ error: any Swift.Error) { endBody() }

    package override func completed() { endBody() }

    package override func pauses(_ source: any PausableSource) -> Bool { pausesBody(source) }
}

/// A source that hands on what it is told at once, also while it is being told something: without a queue of its own.
package final class ScenarioSource<Element>: Observable<Element>, @unchecked Sendable {
    private var sink: Sink<Element>?

    package override init() { super.init() }

    package override func subscribeCore(_ downstream: Sink<Element>) { sink = downstream }

    package func next(_ element: Element) { sink?.next(element) }

    package func letGo() { sink = nil }
}

/// A piece of work.
package final class ScenarioJob: Job {
    private let body: () -> Void

    package init(_ body: @escaping () -> Void) {
        self.body = body
        super.init()
    }

    package override func run(_ budget: inout Int) -> Bool {
        body()
        return true
    }
}

/// A piece of work that will be rejected.
package final class ScenarioRejectedJob: Job {
    private let rejectedBody: () -> Void

    package init(rejected: @escaping () -> Void) {
        rejectedBody = rejected
        super.init()
    }

    package override func wasRejected() -> Bool {
        rejectedBody()
        return false
    }
}

/// A run queue on the loop of a host.
package final class ScenarioHostQueue {
    private let queue: HostRunQueue

    package init(_ loop: any HostEventLoop) { queue = HostRunQueue(HostLoop(loop, name: "host")) }

    package func submit(_ job: Job) { queue.submit(job) }
}

/// A serial scheduler whose turns are run by a thread of the scenario.
package final class ScenarioTurns: RunQueue, JobScheduler {
    private let wakeBody: () -> Void

    package init(batchLimit: Int = 512, wake: @escaping () -> Void) {
        wakeBody = wake
        super.init(batchLimit: batchLimit)
    }

    package override func wake() { wakeBody() }

    package func unschedule(_ job: Job) {}

    package var runQueue: RunQueue? { self }
}

/// What keeps the used actions of a loop.
package final class ScenarioActionPool {
    private let actionPool = ActionPool(idleTimeout: .max)

    package init() {}

    /// By any thread but the loop's: makes an action and drops it again, as a scheduler does with one that has run.
    package func take(_ body: @escaping () -> Void) -> Unmanaged<Job> {
        let action = actionPool.take(
            UserAction {
                body()
                return Disposables.create()
            })
        return .passRetained(action)
    }

    /// By the loop: runs an action and keeps it.
    package func run(_ job: Unmanaged<Job>) {
        var budget = 1
        _ = job._withUnsafeGuaranteedRef { $0.run(&budget) }
        actionPool.recycle(job)
    }
}

/// The pool behind `BoundedPoolScheduler`.
package final class ScenarioPool {
    private let pool: WorkerPool

    package init(limit: Int) { pool = WorkerPool(name: "pool", limit: limit, takesNewestOwn: false) }

    package func submit(_ job: Job) { pool.submit(job, level: 0) }

    package func shutdown() { pool.shutdown() }

    package func waitForEnd() { pool.waitForEnd() }
}

/// The injector of a pool.
package final class ScenarioInjector {
    private let injector = JobInjector()

    package init() {}

    package func push(_ job: Job) -> Bool {
        let job = Unmanaged.passRetained(job)
        if injector.push(job) { return true }
        job.release()
        return false
    }

    package func close() { injector.close() }

    /// Takes and runs a job; returns false if there was none.
    package func runNext() -> Bool {
        while true {
            switch injector.take() {
            case .job(let job):
                var budget = 1
                _ = job.takeRetainedValue().run(&budget)
                return true
            case .none: return false
            case .busy: sched_yield()
            }
        }
    }
}

/// A pool of deputies for one execution, and threads that do little for each other.
package final class ScenarioDeputies {
    nonisolated(unsafe) private static var current: Unmanaged<ScenarioDeputies>?

    private let pool = DeputyPool()
    private let threadsLeft: AtomicWord

    /// - Parameters:
    ///   - eventLimit: how much of other threads' work a thread does.
    ///   - threads: how many deputies can be started.
    package init(eventLimit: Int, threads: Int) {
        threadsLeft = AtomicWord(UInt(threads))
        DrainSession.eventLimit = eventLimit
        DeputyPool.model = .passUnretained(pool)
        ScenarioDeputies.current = .passUnretained(self)
    }

    /// Whether the system starts one more thread.
    static func startsThread() -> Bool {
        guard let left = current?._withUnsafeGuaranteedRef({ $0.threadsLeft.fetchAdd(0 &- 1) }) else { return true }
        return Int(bitPattern: left) > 0
    }

    /// Before another scenario, and behind one that has not failed.
    package static func reset() {
        DrainSession.eventLimit = .max
        DeputyPool.model = nil
        current = nil
    }
}

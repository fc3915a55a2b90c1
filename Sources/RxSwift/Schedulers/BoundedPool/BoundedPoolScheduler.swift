// SPDX-License-Identifier: Apache-2.0

public import Dispatch
public import FoundationEssentials

/// Runs actions on threads of its own, of which there are never more than a given number.
///
/// It does the work of an `OperationQueue` without its cost.
///
/// Order: work that one thread submits at one priority is started in order of submission. Among several threads there is no order,
/// and with more than one worker actions overlap. The events of one `observe(on:)` come one at a time and in order. Work that an
/// action submits to its own pool is started by the same worker, or by one that has nothing else to do. A hop or a source with many elements
/// gives way after 200 microseconds, or a few elements that take longer, to work of its priority from outside the pool; of a worker's other looks for work one in 16
/// begins there.
///
/// Priority: work of a higher one is started first. Lest lower ones wait for ever, each worker begins one look for work in 32 at
/// another priority, at each in turn. There it begins with the oldest work from outside the pool, the oldest that its own actions
/// submitted, or the oldest that actions of other workers submitted, again in turn. So a priority gets at least one start in 160 per
/// worker.
///
/// Threads: every member may be used from any thread. Workers are started one by one as work waits, and kept; those without work
/// sleep. Worker threads have a stack of 8 MiB and carry the pool's name.
///
/// If the system has no thread for another worker, the existing workers do the work. Without any worker, the work waits until a
/// thread can be started; the pool tries again when more work is submitted, on `resume()` and `shutdown()`. The shortage is reported
/// to `Hooks.threadShortageHandler`. A pool that ends without ever having had a thread tries for 100 ms more; then it rejects the
/// waiting work.
///
/// Lifetime: when nothing refers to the pool any more (its schedulers do, subscriptions that use it, actions that wait for their
/// time, and their disposables), submitted work is still run, and then the threads end. A suspended pool is resumed as soon as its schedulers are gone:
/// no other thread could. `shutdown()` does the same at once, and waits for it.
/// - Note: An action that waits for another action of its pool may wait for ever, as it occupies a worker.
public final class BoundedPoolScheduler: SchedulerType, @unchecked Sendable {
    /// The priority of work within one pool: work of a higher one is started first.
    ///
    /// It does not affect how the system treats the threads.
    public enum Priority: Int, CaseIterable, Comparable, Sendable {
        /// No user is waiting for it: maintenance, prefetching.
        case background
        /// A user is waiting, but not right now: imports, long computations.
        case utility
        /// The work is neither urgent nor unimportant.
        case normal
        /// The user asked for it and waits for the result.
        case userInitiated
        /// The user is watching: it should be done before anything else.
        case userInteractive

        /// Returns true if the left one is started later.
        public static func < (left: Priority, right: Priority) -> Bool { left.rawValue < right.rawValue }
    }

    /// The order in which a worker takes the work that its own actions submitted to their pool.
    public enum NestedOrder: Sendable {
        /// The order of submission, as in an `OperationQueue`.
        case oldestFirst
        /// The latest first, for work that divides itself.
        ///
        /// The pieces of such work are still in the cache, and of a tree of work only one path and its siblings wait at a time, not a
        /// whole level. Other workers take the oldest, which are the largest pieces.
        case newestFirst
    }

    /// The type of delays.
    public typealias TimeInterval = Double
    /// The type of times.
    public typealias Time = Date

    @usableFromInline let poolJobs: PoolJobScheduler
    /// Shared by the schedulers of the pool.
    private let suspension: PoolSuspension

    /// The priority of the work that is scheduled here.
    public let priority: Priority

    /// The number of actions that may run at the same time.
    public var maxConcurrentOperationCount: Int { poolJobs.handle.pool.limit }

    /// The pool's name, which its threads carry and `Hooks.workRejectedHandler` receives.
    public var name: String { poolJobs.handle.pool.name }

    /// The wall clock, which delays do not follow.
    public var now: Date { Date() }

    private init(_ suspension: PoolSuspension, priority: Priority) {
        self.suspension = suspension
        poolJobs = PoolJobScheduler(handle: suspension.handle, level: priority.rawValue)
        self.priority = priority
    }

    /// Creates a scheduler on a pool of its own. No thread is started before there is work.
    ///
    /// - Parameters:
    ///   - maxConcurrentOperationCount: how many actions may run at the same time, 1 to 65,535; any other number stops the program.
    ///   - priority: the priority of work scheduled here; `prioritized(_:)` gives schedulers for others on the same pool.
    ///   - name: the name for threads, of which the system shows 15 bytes, and for messages.
    ///   - nestedOrder: the order in which a worker takes the work that its own actions submitted.
    public convenience init(
        maxConcurrentOperationCount: Int, priority: Priority = .normal, name: String = "rx.bounded_pool",
        nestedOrder: NestedOrder = .oldestFirst
    ) {
        guard (1...PoolState.maxWorkers).contains(maxConcurrentOperationCount) else {
            let given = "maxConcurrentOperationCount: \(maxConcurrentOperationCount)"
            fatalError("BoundedPoolScheduler(\(given)): must be at least 1 and at most \(PoolState.maxWorkers)")
        }
        let pool = WorkerPool(
            name: name, limit: maxConcurrentOperationCount, takesNewestOwn: nestedOrder == .newestFirst)
        self.init(PoolSuspension(of: PoolHandle(pool: pool)), priority: priority)
    }

    /// Returns a scheduler that shares this one's pool, for work of another priority.
    ///
    /// Suspending or shutting down one suspends or shuts down all.
    /// - Parameter priority: the priority of work scheduled there.
    public func prioritized(_ priority: Priority) -> BoundedPoolScheduler {
        BoundedPoolScheduler(suspension, priority: priority)
    }

    // MARK: Suspending

    /// Keeps new work from being started: running work continues, and submitted work waits.
    ///
    /// Each worker may still begin one action that it had taken already. Does nothing after `shutdown()`.
    public func suspend() { suspension.begin() }

    /// Lets work be started again.
    public func resume() { suspension.end() }

    /// True if the pool is suspended, so that work waits for `resume()`.
    public var isSuspended: Bool { poolJobs.handle.pool.isSuspended }

    /// Ends the pool, which is resumed if it is suspended.
    ///
    /// Waits until the work submitted before has run and the pool's threads have ended.
    ///
    /// Actions whose time has not come, and periodic ones, are dropped and released. Work submitted later, also by actions that run, is rejected: it is
    /// released, and its disposable is disposed of; so is a source that emits here, such as `repeatElement`, once it gives way. All of that is
    /// reported to `Hooks.workRejectedHandler`. The events that an `observe(on:)` has already received are delivered; an `observe(on:)` that its
    /// source keeps busy keeps the pool from ending. Hops and operators with a timer (`observe(on:)`, `delay`, `buffer`, ...) fail with
    /// a `SchedulerEndedError` if an element waits in them or comes later, on a thread of the runtime. A sequence that the pool was to begin
    /// (`subscribe(on:)`, `interval`) sends nothing more; its subscription lasts until it is disposed of.
    ///
    /// Any thread may call it, any number of times; each call waits. On a thread of this pool the call does not wait, as it would
    /// wait for itself.
    public func shutdown() { poolJobs.handle.shutdown() }

    // MARK: Scheduling

    /// Schedules an action to be run soon.
    ///
    /// Costs one allocation where the state is an object, or plain (in no need of a release) and of a word at most, else two.
    /// From any thread; does not block, but may start a thread.
    @preconcurrency @inlinable
    public func schedule<StateType>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        poolJobs.schedule(UserAction(state, action))
    }

    /// Schedules an action to be submitted when `dueTime` has passed.
    @preconcurrency @inlinable
    public func scheduleRelative<StateType>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        let job = ActionJob(UserAction(state, action), scheduler: poolJobs)
        poolJobs.submit(job, after: dueTime)
        return job
    }

    /// Schedules an action to be run again and again.
    ///
    /// Runs never overlap: when some come due while one is under way, one follows right after it, and the others are skipped.
    @preconcurrency
    public func schedulePeriodic<StateType>(
        _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> StateType
    ) -> any Disposable {
        PeriodicJob(state: state, startAfter: startAfter, period: period, action: action, scheduler: poolJobs)
    }
}

extension BoundedPoolScheduler: TimedJobSchedulerProviding {
    package var timedJobs: any TimedJobScheduler { poolJobs }
}

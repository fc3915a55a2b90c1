public import Dispatch
public import FoundationEssentials

/// Runs actions on threads of its own, of which there are never more than a given number: an `OperationQueue` without its cost.
///
/// Order: of what one thread hands over at one priority, work is started in hand-over order. Among several threads there is no
/// order, and with more than one worker actions overlap. The events of one `observe(on:)` come one at a time and in order. Work
/// that an action hands over to its own pool is started by the same worker, or by one that has nothing else to do.
///
/// Priority: work of a higher one is started first. Lest lower ones wait for ever, each worker begins one look for work in 32
/// at another priority, at each in turn, and there with the oldest of what came from outside, of what its own actions handed
/// over, or of what those of other workers did, again in turn. So a priority gets at least one start in 160 per worker.
///
/// Threads: every member may be used from any thread. Workers are started one by one as work waits, and kept; those without
/// work sleep. Their threads have a stack of 8 MiB and carry the pool's name.
///
/// Where the system has no thread for another worker, the workers there are do the work. Without any, it waits until a thread can be
/// started, which is tried when more work is submitted, on `resume()` and `shutdown()`. The shortage is reported to
/// `Hooks.threadShortageHandler`. A pool that ends without ever having had a thread tries for 100 ms more; then it rejects what waits.
///
/// Lifetime: when nothing refers to the pool any more (its schedulers do, subscriptions that use it, actions that wait for
/// their time, and their disposables), what was handed over is still run, also if it was suspended, and then the threads end.
/// `shutdown()` does the same at once, and waits for it.
/// - Note: An action that waits for another action of its pool may wait for ever, as it occupies a worker.
public final class BoundedPoolScheduler: SchedulerType, @unchecked Sendable {
    /// Which work of one pool is started first. It says nothing of how the system treats the threads.
    public enum Priority: Int, CaseIterable, Comparable, Sendable {
        /// Nobody is waiting for it: maintenance, prefetching.
        case background
        /// Somebody is waiting, but not right now: imports, long computations.
        case utility
        /// Neither urgent nor unimportant.
        case normal
        /// The user asked for it and waits for the result.
        case userInitiated
        /// The user is watching: it should be done before anything else.
        case userInteractive

        /// Whether the left one is started later.
        public static func < (left: Priority, right: Priority) -> Bool { left.rawValue < right.rawValue }
    }

    /// In which order a worker takes the work that its own actions handed over to their pool.
    public enum NestedOrder: Sendable {
        /// In hand-over order, as an `OperationQueue` does.
        case oldestFirst
        /// The latest first, for work that divides itself: its pieces are still in the cache, and of a tree of work only one
        /// path and its siblings wait at a time, not a whole level. Other workers take the oldest, which are the largest
        /// pieces.
        case newestFirst
    }

    public typealias TimeInterval = Double
    public typealias Time = Date

    @usableFromInline let poolJobs: PoolJobs

    /// The priority of what is scheduled here.
    public let priority: Priority

    /// How many actions may run at the same time.
    public var maxConcurrentOperationCount: Int { poolJobs.handle.pool.limit }

    /// The pool's name, which its threads carry and `Hooks.workRejectedHandler` receives.
    public var name: String { poolJobs.handle.pool.name }

    /// The wall clock. Delays do not follow it.
    public var now: Date { Date() }

    private init(handle: PoolHandle, priority: Priority) {
        poolJobs = PoolJobs(handle: handle, level: priority.rawValue)
        self.priority = priority
    }

    /// A scheduler on a pool of its own. No thread is started before there is work.
    ///
    /// - Parameters:
    ///   - maxConcurrentOperationCount: how many actions may run at the same time, 1 to 65,535. Anything else stops the
    ///     program.
    ///   - priority: of what is scheduled here; `prioritized(_:)` gives schedulers for others on the same pool.
    ///   - name: for threads, of which the system shows 15 bytes, and messages.
    ///   - nestedOrder: in which order a worker takes what its own actions handed over.
    public convenience init(
        maxConcurrentOperationCount: Int, priority: Priority = .normal, name: String = "rx.bounded_pool",
        nestedOrder: NestedOrder = .oldestFirst
    ) {
        precondition(
            (1...PoolState.mostWorkers).contains(maxConcurrentOperationCount),
            """
            BoundedPoolScheduler(maxConcurrentOperationCount: \(maxConcurrentOperationCount)): must be at least 1 and at most \
            \(PoolState.mostWorkers)
            """)
        let pool = WorkerPool(
            name: name, limit: maxConcurrentOperationCount, takesNewestOwn: nestedOrder == .newestFirst)
        self.init(handle: PoolHandle(pool: pool), priority: priority)
    }

    /// A scheduler that shares this one's pool, for work of another priority.
    ///
    /// Suspending or shutting down one suspends or shuts down all.
    /// - Parameter priority: of what is scheduled there.
    public func prioritized(_ priority: Priority) -> BoundedPoolScheduler {
        BoundedPoolScheduler(handle: poolJobs.handle, priority: priority)
    }

    // MARK: Suspending

    /// Keeps new work from being started: what runs goes on, and what is handed over waits.
    ///
    /// Of each worker, one action that it had taken up already may still begin. Does nothing after `shutdown()`.
    public func suspend() { poolJobs.handle.pool.suspend() }

    /// Lets work be started again.
    public func resume() { poolJobs.handle.pool.resume() }

    /// Whether work waits for `resume()`.
    public var isSuspended: Bool { poolJobs.handle.pool.isSuspended }

    /// Ends the pool: waits until the work handed over before has run, and its threads have ended. It resumes a suspended pool.
    ///
    /// Actions whose time has not come, and periodic ones, are dropped and released. Work handed over later, also by actions
    /// that run, is rejected: it is released, and its disposable is disposed of. Both are reported to
    /// `Hooks.workRejectedHandler`. The events that an `observe(on:)` has already received are delivered; one that its source
    /// keeps busy keeps the pool from ending.
    ///
    /// From any thread, any number of times; each call waits. On a thread of this pool it does not wait, as it would for
    /// itself.
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

    /// Schedules an action to be handed over when `dueTime` has passed.
    @preconcurrency @inlinable
    public func scheduleRelative<StateType>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        let job = ActionJob(UserAction(state, action), scheduler: poolJobs)
        poolJobs.submit(job, after: dueTime)
        return job
    }

    /// Schedules an action to be run again and again. Runs never overlap: when some come due while one is under way, one follows
    /// right behind it, and the others are skipped.
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

// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
public import RxSwift

/// Runs actions one after another on the thread of an event loop, whose timers, files, sockets and signals are observables.
///
/// A scheduler like any other: all submitted work (actions, events of `observe(on:)`) runs in the order of submission, never
/// inline. Delays are monotonic, and never end early. The thread sleeps in the kernel when there is nothing to do; a burst of
/// work from other threads costs one wake-up, work from the loop itself none, and it is queued without an atomic
/// read-modify-write.
///
/// The objects of actions and timers are reused. A loop keeps as many as it had at once lately, some megabytes at most, and
/// releases them after ten seconds without need.
///
/// The loop uses io_uring, or epoll where io_uring is missing or forbidden: see `Backend`.
///
/// SIGPIPE is blocked on the thread, so that a pipe without readers is an error and not the end of the process. Programs that
/// an action starts by other means than `ChildProcess` may inherit that.
///
/// In a program that was started without a standard input, output or error stream, a loop opens `/dev/null` under its number: otherwise a socket
/// could get it, and what is printed would go to a peer.
///
/// In a forked process the loops have no threads: work submitted there is rejected, as after `shutdown()`. The fork must not
/// happen on a loop's own thread, unless the child continues with `exec` or ends. New loops of the child run, unless another thread of the parent was
/// inside the Swift runtime or the C library at the fork: locks that it held there stay locked.
///
/// A loop whose scheduler was released runs the work submitted before (timers and streams too), and then ends its thread.
/// `shutdown()` ends it without waiting for timers and streams.
public final class IOUringScheduler: SchedulerType, @unchecked Sendable {
    @usableFromInline let jobs: LoopJobScheduler

    /// Starts the loop's thread, and returns when it is ready.
    ///
    /// If the system has no thread (after a second of attempts) or no descriptor left, the scheduler is shut down from the start, see
    /// `failure`; `make` throws then. `IOHooks.noticeHandler` is called in that case, and if the thread cannot be kept on the processor.
    /// - Parameters:
    ///   - name: names the thread, and the scheduler in reports.
    ///   - spin: the way the thread waits for work before it sleeps.
    ///   - processor: the number of the processor that the thread is to stay on, one that the calling thread may use; nil lets the system choose.
    ///   - backend: nil chooses the best one there is, unless the environment variable `RX_IO_BACKEND` (`uring` or `epoll`)
    ///     names one. Where io_uring is wanted and unavailable, the loop uses epoll, and `IOHooks.noticeHandler` is called
    ///     once: see `backend`.
    ///   - stallLimit: the time above which a turn of the loop, that is, in most cases one callback, is reported to
    ///     `IOHooks.stallHandler`; nil reports none, and zero or less ends the program. A thread looks at the loop every quarter of that time, a millisecond at least.
    public convenience init(
        name: String = "rx.io", spin: Spin = .none, processor: Int? = nil, backend: Backend? = nil,
        stallLimit: RxTimeInterval? = nil
    ) {
        var configuration = Configuration(name: name, spin: spin, processor: processor, backend: backend)
        configuration.setStallLimit(stallLimit, for: "IOUringScheduler.init")
        self.init(configuration)
    }

    package init(_ configuration: Configuration) {
        jobs = LoopJobScheduler(configuration)
    }

    var loop: EventLoop { jobs.loop }

    /// The name given to the initializer.
    public var name: String { loop.configuration.name }

    /// The source of the loop's events. If the loop could not be made, the one that it was to have.
    public var backend: Backend { loop.backend.kind }

    /// The wall clock. Delays do not follow it.
    public var now: Date { Date() }

    /// Indicates whether the caller runs on the loop thread.
    public var isCurrent: Bool { loop.isCurrent }

    /// Schedules an action, to run after the work submitted before.
    ///
    /// From any thread. Costs no allocation in steady state, except one if the state is neither an object nor plain (in no need
    /// of a release) and of a word at most. Objects that the closure itself holds are the caller's cost.
    @preconcurrency @inlinable
    public func schedule<StateType>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        jobs.schedule(UserAction(state, action))
    }

    /// Schedules an action without a state.
    ///
    /// It saves an allocation: Swift wraps such a closure where the type of the state is generic.
    @preconcurrency @inlinable
    public func schedule(_ state: Void, action: @escaping @Sendable (()) -> any Disposable) -> any Disposable {
        jobs.schedule(UserAction(action))
    }

    /// Schedules an action to be submitted when `dueTime` has passed, to the nanosecond and not before.
    ///
    /// From any thread. The further delay depends on the system, and on the loop's other work. Arming and disposing take constant
    /// time, with a million timers as with one. Threads that are 65,536 of these calls ahead of the loop are slowed down to about 5,000 a second
    /// each, so that timers that were disposed of take a bounded amount of memory.
    @preconcurrency @inlinable
    public func scheduleRelative<StateType>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        jobs.schedule(after: dueTime, UserAction(state, action))
    }

    /// Schedules an action without a state after `dueTime`. The timer itself takes 96 bytes.
    @preconcurrency @inlinable
    public func scheduleRelative(
        _ state: Void, dueTime: RxTimeInterval, action: @escaping @Sendable (()) -> any Disposable
    ) -> any Disposable {
        jobs.schedule(after: dueTime, UserAction(action))
    }

    /// Schedules an action to run repeatedly, counted from the time when each run was due: the period does not drift.
    ///
    /// From any thread. Runs never overlap: when some come due during a run, one follows right after it, and the others are
    /// skipped.
    @preconcurrency
    public func schedulePeriodic<StateType>(
        _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> StateType
    ) -> any Disposable {
        PeriodicJob(state: state, startAfter: startAfter, period: period, action: action, scheduler: jobs)
    }

    /// Ends the loop: work submitted before runs, what connections and files have accepted is written, everything else is cancelled.
    ///
    /// Sequences of bytes, events and connections end first, so that what relays them can tell a peer that more was to come, also by way of
    /// `observe(on:)` and `delay` on this loop. An end that reaches a `write` by way of another thread, or of other work that waits for this loop, comes
    /// too late for that. A `write` that this loop has not come to also resets its peer. Writing takes a second at most, see `shutdown(draining:)`.
    ///
    /// Timers that are not due are dropped and their actions released; streams (files, sockets, signals) that are still observed
    /// end with an `IOError` of `ECANCELED`; one with an unlimited `retry()` tries again until it is disposed of, see
    /// `IOError.code`. Work submitted later is rejected: released, and its disposable disposed of. Rejected work and dropped
    /// timers are reported to `Hooks.workRejectedHandler`. `observe(on:)` fails with `ECANCELED` if events wait in it at
    /// the end, or come later: then on a thread of the runtime, and if the stages below had made it pause, when those resume it. So do the operators
    /// with a timer (`buffer`, `debounce`, `delay`, `skip`, `take(for:)`, `throttle`, `window`), and `timeout` and open groups with an idle time at
    /// once; `throttle` without `latest` needs no timer. A sequence that this loop was to begin (`interval`, `timer`, `delaySubscription`, `subscribe(on:)`,
    /// `from` and its like on a scheduler) sends nothing more; its subscription lasts until it is disposed of.
    ///
    /// From any thread, any number of times. Returns when the thread has ended; called on the loop itself it returns at once, and
    /// the loop ends when the work submitted before the call has run. Must not be called while the loop waits for the caller.
    /// The two descriptors of the loop itself are closed when nothing holds the scheduler any more.
    public func shutdown() { loop.shutdown() }

    /// Ends the loop as `shutdown()` does, and takes up to a given time for bytes that connections have accepted.
    ///
    /// A connection whose peer does not take its bytes in that time is reset, and fails with `ECANCELED`; `IOHooks.noticeHandler` hears of the bytes. In that time nothing is
    /// read, no timer fires, no work is accepted, and what peers send is dropped. `close`, `shutdownOutput` and `abort` still end a connection, at once.
    /// - Parameter limit: zero sends what the system takes at once. The first call decides.
    public func shutdown(draining limit: RxTimeInterval) {
        loop.shutdown(drainTime: UInt64(limit.nanosecondsClamped))
    }
}

extension IOUringScheduler: TimedJobSchedulerProviding {
    package var timedJobs: any TimedJobScheduler { jobs }
}

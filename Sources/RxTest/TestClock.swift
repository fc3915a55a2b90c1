// SPDX-License-Identifier: Apache-2.0

import RxPrimitives
import RxSwift

/// A clock that stands still until the program advances it, for tests of tasks that sleep and of operators with a `clock`.
///
/// Timers of operators fire inside `advance`, on the thread that calls it, in order of their time; those of one time in the order in which they
/// were set. Tasks that sleep on the clock are resumed, and run elsewhere: the asynchronous `advance` and `run` give them time to run on and to
/// sleep anew. All of it may be called from any thread.
public final class TestClock: Clock, VirtualClock, CustomDebugStringConvertible, @unchecked Sendable {
    /// A point of the clock: the time since its start.
    public struct Instant: InstantProtocol, CustomStringConvertible {
        /// The time since the clock's start.
        public let offset: Duration

        /// Creates a point of the clock.
        ///
        /// - Parameter offset: the time since the clock's start.
        public init(offset: Duration = .zero) { self.offset = offset }

        /// Returns the point that is `duration` later.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }

        /// Returns the time from this point to another one.
        public func duration(to other: Instant) -> Duration { other.offset - offset }

        /// Returns whether the first point is the earlier one.
        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }

        public var description: String { "\(offset)" }
    }

    private let agenda = TestClockAgenda()

    package var timedJobs: any TimedJobScheduler { agenda }

    /// Creates a clock that shows an offset of zero.
    public init() {}

    /// The time that the clock shows.
    public var now: Instant { agenda.instant }

    /// The shortest time that the clock tells apart: a nanosecond.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// The times at which something is due, earliest first.
    public var debugDescription: String { "\(agenda.times)" }

    /// Waits until the clock is advanced to `deadline`. Throws `CancellationError` when the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try Task.checkCancellation()
        let sleeper = SingleAssignmentDisposable()
        let outcome = SleepOutcome()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                outcome.wait(continuation)
                let scheduled = agenda.schedule(at: deadline) { [agenda] in
                    agenda.noteWaking()
                    if !outcome.end(.success(()), wakes: true) { agenda.noteAwake() }
                }
                if let scheduled { sleeper.setDisposable(scheduled) } else { outcome.end(.success(())) }
            }
        } onCancel: {
            outcome.end(.failure(CancellationError()))
            sleeper.dispose()
        }
        if outcome.wasWoken { agenda.noteAwake() }
    }

    // MARK: Without tasks

    /// Advances the clock by a span of time, and fires what is due meanwhile.
    ///
    /// A call from inside a timer, or while another thread advances the clock, returns at once: the advance under way goes on to the later of
    /// the two times.
    @available(*, noasync, message: "Use await advance(by:), which also lets tasks that sleep on the clock run.")
    public func advance(by duration: Duration = .zero) { agenda.advance(to: now.advanced(by: duration)) }

    /// Advances the clock to a time, and fires what is due meanwhile; see `advance(by:)`. The clock is never set back.
    @available(*, noasync, message: "Use await advance(to:), which also lets tasks that sleep on the clock run.")
    public func advance(to deadline: Instant) { agenda.advance(to: deadline) }

    /// Advances the clock until nothing is due any more. Does not return if there is always more to come, as with `interval`.
    ///
    /// A call from inside a timer, or while another thread advances the clock, returns at once: the advance under way goes on until nothing is due.
    @available(*, noasync, message: "Use await run(), which also lets tasks that sleep on the clock run.")
    public func run() {
        agenda.advance(to: nil)
    }

    // MARK: With tasks

    /// Advances the clock by a span of time, and fires what is due meanwhile, in the isolation of the caller.
    ///
    /// Lets other tasks run before the first timer, after those of each time, and at the end. It waits until tasks whose time has come have
    /// gone on, and then yields 20 times, which takes about a millisecond: a task that needs longer until it sleeps anew, as on a machine with
    /// other work, may miss a time of the clock.
    public nonisolated(nonsending) func advance(by duration: Duration = .zero) async {
        await advance(to: now.advanced(by: duration))
    }

    /// Advances the clock to a time, and fires what is due meanwhile; see `advance(by:)`. The clock is never set back.
    public nonisolated(nonsending) func advance(to deadline: Instant) async {
        await settle()
        while let next = agenda.nextTime, next <= deadline {
            agenda.advance(to: next)
            await settle()
        }
        agenda.advance(to: deadline)
        await settle()
    }

    /// Advances the clock until nothing is due any more, and lets other tasks run. Does not return if there is always more to come.
    public nonisolated(nonsending) func run() async {
        await settle()
        while let next = agenda.nextTime { await advance(to: next) }
    }

    /// Lets the tasks run that can.
    private nonisolated(nonsending) func settle() async {
        let start = ContinuousClock.now
        while agenda.isWaking, ContinuousClock.now - start < .seconds(1) { await pass() }
        for _ in 0..<20 { await pass() }
    }

    private nonisolated(nonsending) func pass() async {
        await Task.detached(priority: .background) { await Task.yield() }.value
    }
}

/// Resumes a sleeping task once: its time and its cancellation come from different threads.
private final class SleepOutcome: @unchecked Sendable {
    private let lock = Mutex()
    // The lock protects the following fields.
    private var continuation: CheckedContinuation<Void, any Error>?
    private var outcome: Result<Void, any Error>?
    private var isWoken = false

    /// True if the clock was advanced to the time of the sleep.
    var wasWoken: Bool { lock.withLock { isWoken } }

    func wait(_ continuation: CheckedContinuation<Void, any Error>) {
        let known = lock.withLock {
            if outcome == nil { self.continuation = continuation }
            return outcome
        }
        if let known { continuation.resume(with: known) }
    }

    /// Returns true for the first outcome, which counts.
    @discardableResult
    func end(_ outcome: Result<Void, any Error>, wakes: Bool = false) -> Bool {
        lock.lock()
        if self.outcome != nil {
            lock.unlock()
            return false
        }
        self.outcome = outcome
        isWoken = wakes
        let waiting = continuation.take()
        lock.unlock()
        waiting?.resume(with: outcome)
        return true
    }
}

// SPDX-License-Identifier: Apache-2.0

/// The figures of an event loop: the work done so far, and the resources in use.
///
/// A snapshot of figures that the loop publishes once per turn: it lags behind by a turn at most, and its figures may be of two turns. Counters
/// begin at 0 with the loop and never fall: the difference of two snapshots is what happened in between.
public struct LoopMetrics: Sendable, Equatable {
    /// The turns of the loop, in each of which it serves submitted work, timers and completions.
    public var turns: Int
    /// The steps of submitted work that have run: an action counts 2, a batch of events of `observe(on:)` their number and 1.
    public var steps: Int
    /// The completions of operations (reads, sends, accepted connections, ...) that were delivered.
    public var completions: Int
    /// The timers that have fired.
    public var firedTimers: Int
    /// The timers that wait for their time.
    public var armedTimers: Int
    /// The operations that the kernel, or a helper thread, has not completed.
    public var operationsInFlight: Int
    /// The buffers of the loop's pools for sockets whose bytes are held by observers, or wait for one: of 512 of 16 KiB and 32 of 256 KiB.
    ///
    /// A buffer that is released on another thread counts until the loop's next turn.
    public var receiveBuffersInUse: Int
    /// The nanoseconds of the longest turn since the start or `resetMaxima`, the current one included, exact to some percent.
    ///
    /// Sleep does not count. A turn is as long as its callbacks, and as the system lets the thread wait for a processor.
    public var longestTurn: Int
    /// The nanoseconds by which a timer was late since the start or `resetMaxima`, exact to some percent.
    ///
    /// Taken at the start of the timers' lane. A slow callback of another timer in the same turn, after that look, does not count.
    public var greatestTimerLateness: Int
    /// The turns that took longer than the scheduler's `stallLimit`, the current one included; 0 without a limit.
    public var stalls: Int

    package init(
        turns: Int, steps: Int, completions: Int, firedTimers: Int, armedTimers: Int, operationsInFlight: Int,
        receiveBuffersInUse: Int, longestTurn: Int, greatestTimerLateness: Int, stalls: Int
    ) {
        self.turns = turns
        self.steps = steps
        self.completions = completions
        self.firedTimers = firedTimers
        self.armedTimers = armedTimers
        self.operationsInFlight = operationsInFlight
        self.receiveBuffersInUse = receiveBuffersInUse
        self.longestTurn = longestTurn
        self.greatestTimerLateness = greatestTimerLateness
        self.stalls = stalls
    }
}

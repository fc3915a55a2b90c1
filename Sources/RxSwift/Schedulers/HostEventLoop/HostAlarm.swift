// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// An alarm that fires on a host's loop: a delayed body for the earliest deadline.
///
/// A delayed body cannot be cancelled. So the alarm keeps the times of those that wait, and enqueues another only for a time that is
/// earlier than all of them. An alarm that fires early, or with no timer due, reads the clock and is set again.
///
/// A loop takes delayed bodies only from itself. Other threads write the deadline into `wanted`, and enqueue a body that looks there.
final class HostAlarm: TimerAlarm {
    /// The objects that an alarm needs until it is cancelled. The bodies that wait after that keep only the alarm alive.
    private struct Target {
        let timers: SchedulerTimers
        let host: HostLoop
        let due: HostRunQueue
    }

    private let lock = Mutex()
    /// Under the lock.
    @exclusivity(unchecked) private var target: Target?
    // Used only by `activate`, which moves them into the target.
    @exclusivity(unchecked) private var parts: (host: HostLoop, due: HostRunQueue)?

    /// The deadline set last, in monotonic nanoseconds. Written by one thread at a time.
    private let wanted = AtomicWord(.max)
    /// 1 while a body is enqueued that will look at `wanted`.
    private let isAsked = AtomicWord(0)
    /// The times at which delayed bodies run, the earliest last. Only the loop accesses it.
    @exclusivity(unchecked) private var outstanding: [UInt64] = []

    /// The number of delayed bodies from which on each further one is set to half of the time up to the earliest at most. So a series of
    /// ever earlier deadlines enqueues at most 62 more.
    private static let exactLimit = 16
    /// The nanoseconds of a day, the longest delay that a loop is asked for.
    private static let longestDelay: UInt64 = 86_400_000_000_000

    /// - Parameter due: the queue to which `timers` passes the jobs that are due.
    init(_ host: HostLoop, due: HostRunQueue) { parts = (host, due) }

    // MARK: TimerAlarm

    func activate(for timers: SchedulerTimers) {
        guard let (host, due) = parts else { return }
        parts = nil
        target = Target(timers: timers, host: host, due: due)
    }

    func set(_ deadline: UInt64) {
        // Releasing: paired with the acquire in `enqueueBody`.
        wanted.storeReleasing(UInt(deadline))
        guard let target = currentTarget else { return }
        if target.host.hasEnded { return end(target) }
        if target.host.loop.isCurrent { return enqueueBody(target) }
        // Releasing: paired with the exchange in `lookAtWanted`.
        if isAsked.exchange(1) == 0 { target.host.loop.enqueue(HostBody.of(Call(self, .look))) }
    }

    func cancel() {
        lock.lock()
        let released = target
        target = nil
        lock.unlock()
        withExtendedLifetime(released) {}
    }

    private var currentTarget: Target? { lock.withLock { target } }

    // MARK: On the loop

    /// Enqueues a delayed body for the deadline set last, unless one that waits comes before.
    private func enqueueBody(_ target: Target) {
        let deadline = UInt64(wanted.loadAcquiring())
        let now = MonotonicClock.now()
        var next = min(deadline, now + HostAlarm.longestDelay)
        if let earliest = outstanding.last {
            // A body that is late comes as soon as the loop can run it.
            if earliest <= next || earliest <= now { return }
            if outstanding.count >= HostAlarm.exactLimit { next = min(next, now + (earliest - now) / 2) }
        }
        next = max(next, now)
        outstanding.append(next)
        target.host.loop.enqueue(afterNanoseconds: Int64(next - now), HostBody.of(Call(self, .expiry(next))))
    }

    private func lookAtWanted() {
        // Acquiring: paired with the exchange in `set`, whose deadline this call must see.
        _ = isAsked.exchange(0)
        if let target = currentTarget { enqueueBody(target) }
    }

    /// Runs the jobs that are due, in a batch of their own: they do not wait behind the work that was submitted to the loop.
    private func fire(_ time: UInt64) {
        if let index = outstanding.lastIndex(of: time) { outstanding.remove(at: index) }
        guard let target = currentTarget else { return }
        let isDrainer = target.due.activate()
        target.timers.expire()
        if isDrainer { target.due.run() }
    }

    // MARK: The end

    private func callWasDropped() {
        guard let target = currentTarget else { return }
        target.host.end()
        end(target)
    }

    private func end(_ target: Target) { target.host.report(target.timers.stop()) }

    /// The task of a body.
    private final class Call: HostTask {
        enum Purpose {
            case look
            case expiry(UInt64)
        }

        private let alarm: HostAlarm
        private let purpose: Purpose

        init(_ alarm: HostAlarm, _ purpose: Purpose) {
            self.alarm = alarm
            self.purpose = purpose
        }

        func run() {
            switch purpose {
            case .look: alarm.lookAtWanted()
            case .expiry(let time): alarm.fire(time)
            }
        }

        func wasDropped() { alarm.callWasDropped() }
    }
}

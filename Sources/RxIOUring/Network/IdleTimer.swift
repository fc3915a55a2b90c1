// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// Tells when no byte has gone over a connection for some time. Used on the loop thread only.
///
/// An event only notes its time. When the timer fires, it compares that time with the limit, and is armed again for the time that is left.
/// While the connection is paused, no timer is armed.
final class IdleTimer {
    private let loop: EventLoop
    /// The time without a byte, in nanoseconds.
    private let limit: UInt64
    /// Tells whether bytes have come that a busy subscriber, or a busy loop, has not got to.
    @exclusivity(unchecked) private var hasInput: (() -> Bool)?
    /// Nil once the timer is over.
    @exclusivity(unchecked) private var whenIdle: (() -> Void)?
    @exclusivity(unchecked) private var timer: DelayTimer?
    /// The time from which on no byte has come, apart from pauses.
    @exclusivity(unchecked) private var start = MonotonicClock.now()
    /// What the loop may have had to deliver when the timer fired: bytes may be among it. Nil before.
    @exclusivity(unchecked) private var backlog: Backend.Backlog?
    /// The time of the pause; nil if there is none.
    @exclusivity(unchecked) private var pauseStart: UInt64?

    /// The time until the next look at what the loop has delivered, in nanoseconds. It grows, so that many silent connections do not add to the work of
    /// a busy loop.
    @exclusivity(unchecked) private var lookTime = IdleTimer.shortestLookTime

    private static let shortestLookTime: UInt64 = 1_000_000
    private static let longestLookTime: UInt64 = 64_000_000

    /// - Parameters:
    ///   - hasInput: tells whether bytes have come that the subscriber has not got; then the time begins anew.
    ///   - whenIdle: called on the loop, once, and not after `cancel`.
    init(on loop: EventLoop, limit: Int64, hasInput: @escaping () -> Bool, whenIdle: @escaping () -> Void) {
        self.loop = loop
        self.limit = UInt64(limit)
        self.hasInput = hasInput
        self.whenIdle = whenIdle
        arm(after: self.limit)
    }

    /// Begins the time anew, since a byte has come or gone.
    func restart() {
        start = MonotonicClock.now()
        backlog = nil
        if pauseStart != nil { pauseStart = start }
    }

    func pause() {
        if pauseStart == nil { pauseStart = MonotonicClock.now() }
    }

    func resume() {
        guard let pauseStart else { return }
        self.pauseStart = nil
        backlog = nil
        let now = MonotonicClock.now()
        start += now - pauseStart
        if timer == nil { arm(after: rest(at: now)) }
    }

    func cancel() {
        timer?.cancel(on: loop)
        timer = nil
        hasInput = nil
        whenIdle = nil
    }

    private func rest(at now: UInt64) -> UInt64 {
        let end = start.addingReportingOverflow(limit)
        return end.overflow ? .max : max(end.partialValue, now) - now
    }

    private func arm(after time: UInt64) {
        timer = DelayTimer(on: loop, after: Int64(clamping: time)) { [weak self] in self?.fired() }
    }

    private func fired() {
        timer = nil
        if pauseStart != nil { return }
        let rest = rest(at: MonotonicClock.now())
        if rest > 0 { return arm(after: rest) }
        // The loop may have been busy for longer than events have waited for it.
        let isDelivered = backlog.map(loop.backend.hasDelivered) ?? false
        if !isDelivered {
            if backlog == nil {
                backlog = loop.backend.backlog
                lookTime = IdleTimer.shortestLookTime
            }
            arm(after: lookTime)
            lookTime = min(2 * lookTime, IdleTimer.longestLookTime)
            return
        }
        if hasInput?() == true {
            restart()
            return arm(after: limit)
        }
        let body = whenIdle
        cancel()
        body?()
    }
}

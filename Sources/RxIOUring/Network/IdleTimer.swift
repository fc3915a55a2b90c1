// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// Tells when no byte has gone over a connection for some time. Used on the loop thread only.
///
/// A byte is received, goes to the kernel, or is taken by the peer. Of the last the kernel does not tell: it is asked whenever the timer fires.
///
/// An event only notes its time. When the timer fires, it compares that time with the limit, and is armed again for the time that is left.
/// While the connection is paused, no timer is armed.
final class IdleTimer {
    private let loop: EventLoop
    /// The time without a byte, in nanoseconds.
    private let limit: UInt64
    /// Tells whether bytes have come that a busy subscriber, or a busy loop, has not got to.
    @exclusivity(unchecked) private var hasInput: (() -> Bool)?
    /// Counts the bytes that the kernel has and the peer has not taken.
    @exclusivity(unchecked) private var untakenBytes: (() -> Int)?
    /// Nil once the timer is over.
    @exclusivity(unchecked) private var whenIdle: (() -> Void)?
    @exclusivity(unchecked) private var timer: DelayTimer?
    /// The time from which on no byte has come, apart from pauses.
    @exclusivity(unchecked) private var start = MonotonicClock.now()
    /// The number of bytes that have gone to the kernel.
    @exclusivity(unchecked) private var sentBytes = 0
    /// The number of those that the peer had taken at the last look, and of those that it had not.
    @exclusivity(unchecked) private var takenBytes = 0
    @exclusivity(unchecked) private var lastUntakenBytes = 0
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
    ///   - untakenBytes: counts the bytes that the kernel has and the peer has not taken, for a comparison with earlier ones.
    ///   - whenIdle: called on the loop, once, and not after `cancel`.
    init(
        on loop: EventLoop, limit: Int64, hasInput: @escaping () -> Bool, untakenBytes: @escaping () -> Int,
        whenIdle: @escaping () -> Void
    ) {
        self.loop = loop
        self.limit = UInt64(limit)
        self.hasInput = hasInput
        self.untakenBytes = untakenBytes
        self.whenIdle = whenIdle
        arm(after: self.limit)
    }

    /// Begins the time anew, since the kernel has got bytes to send.
    func sent(_ count: Int) {
        sentBytes &+= count
        restart()
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
        untakenBytes = nil
        whenIdle = nil
    }

    /// True if the peer has taken bytes since the last look, on its way through what waits for it.
    private func hasSlowPeerTakenBytes() -> Bool {
        let (formerlyTaken, formerlyUntaken) = (takenBytes, lastUntakenBytes)
        lastUntakenBytes = untakenBytes?() ?? 0
        takenBytes = sentBytes &- lastUntakenBytes
        // A Unix socket counts the memory of bytes: less may have been taken than before.
        return takenBytes != formerlyTaken && (lastUntakenBytes > 0 || formerlyUntaken > 0)
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
        if hasSlowPeerTakenBytes() { restart() }
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

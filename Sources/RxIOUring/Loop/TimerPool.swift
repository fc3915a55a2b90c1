// SPDX-License-Identifier: Apache-2.0

import RxPrimitives
import RxSwift

/// Timers that were disposed of or have fired, kept for reuse. Used only on the loop thread.
///
/// Many timers at once take so much memory that getting it from the system, and giving it back, takes longer than all else that
/// happens to a timer. The code that armed a timer may retain it for longer: whether it can be reused is seen when one is needed.
///
/// Keeps at most `limit` timers, of 96 bytes each, and releases them when none was needed for a while. A timer that is over holds
/// no user objects, so that its release runs no user code.
struct TimerPool: ~Copyable {
    /// Each reference is retained.
    private var timers = ContiguousArray<Unmanaged<ActionTimer>>()
    private let uniqueness = UniquenessCheck()

    /// Counts how often a timer was kept or taken.
    private var changes = 0
    /// The value of `changes` at the last look of `nextTrim`, and the time of that look.
    private var changesSeen = 0
    private var lastChange: UInt64 = 0

    private static let limit = 65_536
    /// The number of timers that an idle moment releases. Up to twice as many are not worth a wake-up.
    private static let releaseBatch = 64
    /// Nanoseconds without need, after which all timers are released.
    private let idleTimeout: UInt64

    init(idleTimeout: UInt64) { self.idleTimeout = idleTimeout }

    deinit {
        for timer in timers { TimerPool.release(timer) }
    }

    /// A timer for an action, new or used.
    mutating func take(_ action: consuming UserAction) -> ActionTimer {
        guard let last = timers.popLast() else { return ActionTimer(action) }
        changes &+= 1
        guard uniqueness.isUniquelyReferenced(last) else {
            TimerPool.release(last)
            return ActionTimer(action)
        }
        #if TRACE_RESOURCES
            ResourceCensus.born(ActionTimer.self)
        #endif
        let timer = last.takeRetainedValue()
        timer.reuse(action)
        return timer
    }

    /// Keeps a reference to a timer that is in no wheel and will not fire; takes ownership of it.
    mutating func keep(_ timer: Unmanaged<ActionTimer>) {
        guard timers.count < TimerPool.limit, timer._withUnsafeGuaranteedRef({ $0.isFinished }) else {
            return timer.release()
        }
        #if TRACE_RESOURCES
            ResourceCensus.died(ActionTimer.self)
        #endif
        changes &+= 1
        timers.append(timer)
    }

    /// The time from which `trim` may find something to do, in monotonic nanoseconds.
    mutating func nextTrim() -> UInt64? {
        // Not `count`: the array itself is released, too.
        if timers.capacity <= 2 * TimerPool.releaseBatch { return nil }
        if changesSeen != changes {
            changesSeen = changes
            lastChange = MonotonicClock.now()
        }
        return lastChange + idleTimeout
    }

    /// Uses an idle moment to release a few timers, if none was needed for a while. Returns whether more are left.
    mutating func trim() -> Bool {
        guard let due = nextTrim(), MonotonicClock.now() >= due else { return false }
        for _ in 0..<TimerPool.releaseBatch {
            guard let timer = timers.popLast() else { break }
            TimerPool.release(timer)
        }
        if !timers.isEmpty { return true }
        timers = []
        return false
    }

    private static func release(_ timer: Unmanaged<ActionTimer>) {
        #if TRACE_RESOURCES
            ResourceCensus.born(ActionTimer.self)
        #endif
        timer.release()
    }
}

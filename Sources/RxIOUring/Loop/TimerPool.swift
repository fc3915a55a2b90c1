import RxPrimitives
import RxSwift

/// Timers that were disposed of or have fired, kept for the next ones. For the loop's thread.
///
/// Many timers at once take so much memory that getting it from the system, and giving it back, takes longer than all else that
/// happens to a timer. Who armed one may hold it for longer: whether it can be used again is seen when one is needed.
///
/// Keeps no more than `limit`, of 96 bytes each, and lets go of them when none was needed for a while. A timer that is over holds
/// nothing of a user's, so that letting go of it in here calls nobody.
struct TimerPool: ~Copyable {
    /// Retained.
    private var timers = ContiguousArray<Unmanaged<ActionTimer>>()
    private let sole = SoleReference()

    /// How often a timer was kept or taken.
    private var changes = 0
    /// The same at the last look of `nextTrim`, and when that was.
    private var changesSeen = 0
    private var lastChange: UInt64 = 0

    private static let limit = 65_536
    /// So few are not worth a wake-up.
    private static let few = 64
    /// Nanoseconds without need, after which all are let go of.
    private let idleTimeout: UInt64

    init(idleTimeout: UInt64) { self.idleTimeout = idleTimeout }

    deinit {
        for timer in timers { TimerPool.release(timer) }
    }

    /// A timer for an action, new or used.
    mutating func take(_ action: consuming UserAction) -> ActionTimer {
        guard let last = timers.popLast() else { return ActionTimer(action) }
        changes &+= 1
        guard sole.isOnly(last) else {
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

    /// Takes over a reference to a timer that is in no wheel and will not fire.
    mutating func keep(_ timer: Unmanaged<ActionTimer>) {
        guard timers.count < TimerPool.limit, timer._withUnsafeGuaranteedRef({ $0.isOver }) else {
            return timer.release()
        }
        #if TRACE_RESOURCES
            ResourceCensus.died(ActionTimer.self)
        #endif
        changes &+= 1
        timers.append(timer)
    }

    /// When `trim` may find something to do, in monotonic nanoseconds.
    mutating func nextTrim() -> UInt64? {
        // Not `count`: the array itself goes, too.
        if timers.capacity <= 2 * TimerPool.few { return nil }
        if changesSeen != changes {
            changesSeen = changes
            lastChange = MonotonicClock.now()
        }
        return lastChange + idleTimeout
    }

    /// Uses an idle moment to let go of a few, if none was needed for a while. Returns whether there is more to let go of.
    mutating func trim() -> Bool {
        guard let due = nextTrim(), MonotonicClock.now() >= due else { return false }
        for _ in 0..<TimerPool.few {
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

// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The budget of one thread for other threads' work (law L12). Each thread has its own, made at first use, and no other thread uses it.
///
/// The budget is 256 events, or one millisecond, and all serializers that the thread drains share it. The thread renews it when an outermost drain
/// first asks for work, at the earliest four milliseconds after the last renewal, in which the time from such a question to the end of the drain does
/// not count: neither other threads' work nor what it leads to brings more of it. So a call that drains once has one budget, and a long call that drains
/// again and again spends at most a fifth of its time on other threads' work. A call that waits for a drainer renews the budget first, as it would do
/// nothing else meanwhile. Events that the thread itself queued in earlier calls, while others drained, share the millisecond with other threads'
/// work. A call that finds too much pending, and may not wait, has a millisecond for them in any case. Only contended serializers use the budget.
@usableFromInline
package final class DrainSession {
    #if RX_MODEL_CHECK
        /// Scenarios about deputies lower this limit.
        nonisolated(unsafe) static var eventLimit = Int.max
        static let waitThreshold = 1_000_000
    #else
        static let eventLimit = 256
        /// With more events pending than this, a producer may wait for the drainer.
        static let waitThreshold = 4_096
    #endif
    static let timeLimit: UInt64 = 1_000_000
    static let renewalTime: UInt64 = 4_000_000
    private static let waitLimit: UInt64 = 1_000_000

    /// The number of drains on this thread's stack.
    private var depth = 0

    /// The number of batches of work on this thread's stack: within them the thread is inside a callback.
    private var callbackDepth = 0

    /// The nesting of `rejectBySubmitter`: the number of jobs on this thread's stack that the thread has submitted and is rejecting.
    var rejectionDepth = 0

    /// The events that this thread has queued inside callbacks and delivered since its outermost drain began.
    private var ownEvents = 0
    /// With more of them than this the thread may be in a loop that feeds itself, which would never return to its caller.
    private static let ownEventLimit = 256
    /// The inline work in which the events that are being delivered were queued: see `InlineGate`.
    private(set) var inlineWork: UInt = 0

    // The budget, with times of `MonotonicClock`.
    private var remainingEvents = 0
    private var deadline: UInt64 = 0
    private var renewal: UInt64 = 0
    /// When the outermost drain first ran work below the budget; 0 if it has run none.
    private var workStart: UInt64 = 0
    private var isUnlimited = false

    /// The deputy, if this is a deputy's thread.
    private let deputy: Deputy?

    private init(deputy: Deputy?) { self.deputy = deputy }

    /// The session of the calling thread.
    package static var current: DrainSession { unretained.takeUnretainedValue() }

    /// The session of the calling thread, for use while the thread lives, without counting a reference.
    @inline(__always)
    static var unretained: Unmanaged<DrainSession> {
        if let known = ThreadSlot.drainSession.pointer { return .fromOpaque(known) }
        return .passUnretained(make(deputy: nil))
    }

    /// Makes the session of the calling thread.
    @discardableResult @inline(never)
    static func make(deputy: Deputy?) -> DrainSession {
        let made = DrainSession(deputy: deputy)
        ThreadSlot.drainSession.set(Unmanaged.passRetained(made).toOpaque()) {
            Unmanaged<DrainSession>.fromOpaque($0!).release()
        }
        return made
    }

    /// True if the calling thread is a deputy's; makes no session.
    package static var isDeputy: Bool {
        guard let known = ThreadSlot.drainSession.pointer else { return false }
        return Unmanaged<DrainSession>.fromOpaque(known).takeUnretainedValue().deputy != nil
    }

    /// True if the thread is a deputy's.
    var isDeputys: Bool { deputy != nil }

    // MARK: Callbacks

    /// Notes that the thread runs other code of the user's until `endCallbacks`.
    @usableFromInline
    package func beginCallbacks() { callbackDepth += 1 }

    @usableFromInline
    package func endCallbacks() { callbackDepth -= 1 }

    // MARK: The budget

    func begin() { depth += 1 }

    /// Ends a drain.
    ///
    /// - Parameter inlineWork: what it was when the drain began.
    func end(_ inlineWork: UInt) {
        self.inlineWork = inlineWork
        depth -= 1
        if depth == 0 {
            (isUnlimited, ownEvents) = (false, 0)
            if workStart != 0 { endBudgetedWork() }
        }
    }

    /// Counts an event that this thread has queued inside a callback, and delivers now.
    ///
    /// - Parameter inlineWork: the work in which it was queued, together with that in which this drain runs.
    @inline(__always)
    func deliversOwnEvent(_ inlineWork: UInt) {
        ownEvents += 1
        self.inlineWork = inlineWork
    }

    @inline(__always)
    func deliversForeignEvent(_ inlineWork: UInt) { self.inlineWork = inlineWork }

    /// True if the calling thread delivers an event that inline work of a gate has queued, or so many events of its own callbacks, that the next
    /// ones had better be queued at a scheduler.
    ///
    /// - Parameter bit: that of the gate.
    static func mayFeedItself(_ bit: UInt) -> Bool {
        guard let known = ThreadSlot.drainSession.pointer else { return false }
        return Unmanaged<DrainSession>.fromOpaque(known)._withUnsafeGuaranteedRef {
            $0.inlineWork & bit != 0 || $0.ownEvents > ownEventLimit
        }
    }

    /// True if the thread may become the drainer of nodes that other threads left.
    var mayResume: Bool {
        if deputy != nil || isUnlimited { return true }
        let now = MonotonicClock.now()
        return depth == 0 && now >= renewal || remainingEvents > 0 && now < deadline
    }

    /// Tells whether the drainer may run one more piece of another thread's work, or of the work that its own thread queued in earlier calls.
    ///
    /// - Parameter pending: about the number of pieces that wait.
    func admitsWork(isForeign: Bool, pending: Int) -> Bool {
        if let deputy { return deputy.continues(isCrowded: pending > DrainSession.waitThreshold) }
        if isUnlimited { return true }
        let now = MonotonicClock.now()
        if depth == 1, workStart == 0, now >= renewal { renew(now) }
        let events = isForeign ? 1 : 0
        guard remainingEvents >= events, now < deadline else {
            remainingEvents = 0
            return false
        }
        remainingEvents -= events
        if workStart == 0 { workStart = now }
        return true
    }

    @inline(never)
    private func endBudgetedWork() {
        renewal += MonotonicClock.now() - workStart
        workStart = 0
    }

    private func renew(_ now: UInt64) {
        remainingEvents = DrainSession.eventLimit
        deadline = now + DrainSession.timeLimit
        renewal = now + DrainSession.renewalTime
    }

    /// Lets the thread do all work until its outermost drain ends, because no deputy is available.
    func admitsAllWork() { isUnlimited = true }

    // MARK: Waiting

    /// True unless the thread is inside a callback, on the main queue or on a thread of a scheduler.
    var mayWait: Bool { depth == 0 && callbackDepth == 0 && deputy == nil && !MainQueue.isCurrent }

    /// Waits until `isOver` returns true, at most a millisecond. The thread may wait.
    func wait(_ isOver: () -> Bool) {
        let now = MonotonicClock.now()
        renew(now)
        while !isOver(), MonotonicClock.now() < now + DrainSession.waitLimit { DrainSession.pause() }
    }

    /// Gives a thread that may not wait a millisecond for what it has queued itself, even if no budget is left for other threads' work. Returns false
    /// if the thread is draining already.
    func beginsToCatchUp() -> Bool {
        if depth != 0 || deputy != nil { return false }
        let now = MonotonicClock.now()
        if now >= deadline { remainingEvents = 0 }
        deadline = now + DrainSession.timeLimit
        return true
    }

    /// Leaves a moment in which a producer may become the drainer of a crowded serializer that is vacant.
    ///
    /// - Returns: false, at once, if the thread is no deputy's or another serializer waits for it.
    func letsProducersIn() -> Bool {
        guard let deputy, !deputy.isAwaited else { return false }
        DrainSession.pause()
        return true
    }

    private static func pause() {
        var pause = timespec(tv_sec: 0, tv_nsec: 100_000)
        nanosleep(&pause, nil)
    }
}

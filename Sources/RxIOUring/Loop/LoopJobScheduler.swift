// SPDX-License-Identifier: Apache-2.0

public import Dispatch
import RxPrimitives
public import RxSwift

/// An event loop as the engine sees a scheduler.
///
/// When the last reference to this is released, the loop ends as soon as it has nothing left to do.
@usableFromInline
final class LoopJobScheduler: TimedJobScheduler {
    let loop: EventLoop
    // These belong to the loop, and are reached here without counting a reference.
    private let queue: LoopRunQueue
    private let timers: LoopTimers
    private let tag: UInt32

    init(_ configuration: IOUringScheduler.Configuration) {
        loop = EventLoop(configuration)
        queue = loop.queue
        timers = loop.timers
        tag = loop.tag
    }

    deinit {
        loop.shutdownWhenIdle()
    }

    @usableFromInline
    func submit(_ job: Job) { queue.submit(job) }

    @usableFromInline
    func submit(_ job: Job, after delay: DispatchTimeInterval) {
        let nanoseconds = delay.nanosecondsClamped
        // Work that is due already keeps the order of submission (law L4).
        if nanoseconds <= 0 { return queue.submit(job) }
        arm(job, after: nanoseconds, isDirect: timers.isDirect)
    }

    @usableFromInline
    func submitAgain(_ job: Job, after nanoseconds: Int64) {
        // The job has just run, and so no message arms it; one that disarms it may come behind this.
        arm(job, after: max(0, nanoseconds), isDirect: timers.maySchedule)
    }

    private func arm(_ job: Job, after nanoseconds: Int64, isDirect: Bool) {
        let now = MonotonicClock.now()
        let deadline = MonotonicClock.deadline(after: nanoseconds, from: now)
        timers.willArm()
        if isDirect { return timers.arm(job, until: deadline, now: now) }
        timers.send(.arm(job, deadline: deadline, now: now))
    }

    @usableFromInline
    func unschedule(_ job: Job) {
        if timers.isDirect { return timers.disarm(job) }
        // Most unscheduled jobs never waited for a time.
        if timers.mayHoldJobs { timers.send(.disarm(job)) }
    }

    @usableFromInline
    func schedule(_ action: consuming UserAction) -> any Disposable { queue.schedule(action) }

    @usableFromInline
    func schedule(after delay: DispatchTimeInterval, _ action: consuming UserAction) -> any Disposable {
        let nanoseconds = delay.nanosecondsClamped
        if nanoseconds <= 0 { return queue.schedule(action) }
        // Only the loop has timers to reuse.
        let isDirect = timers.maySchedule
        let timer = isDirect ? timers.makeTimer(action) : ActionTimer(action)
        let now = MonotonicClock.now()
        let deadline = MonotonicClock.deadline(after: nanoseconds, from: now)
        timer.prepare(deadline: deadline, ownerTag: tag)
        if isDirect { timers.insert(timer, now: now) } else { timers.send(.insert(timer, now: now)) }
        return timer
    }

    @usableFromInline
    var runQueue: RunQueue? { queue }

    @usableFromInline
    var batchLimit: Int { queue.batchLimit }

    @usableFromInline
    var hasWaitingJobs: Bool { queue.hasWaitingJobs }

    @usableFromInline
    func tellOfLoss(_ body: @escaping (any Error) -> Void) {
        if loop.isCurrent, let error = loop.lossError { return body(error) }
        // The subscriber may try again at each error, and the call that found this out would never return.
        let error = loop.closedError(subject: loop.configuration.name)
        loop.performElsewhere { body(error) }
    }

    @usableFromInline
    var now: Int64 { Int64(MonotonicClock.now()) }
}

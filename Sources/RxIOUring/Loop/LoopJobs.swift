public import Dispatch
import RxPrimitives
public import RxSwift

/// An event loop as the engine sees a scheduler. The loop ends when nobody holds this any more and nothing is left to do.
@usableFromInline
final class LoopJobs: TimedJobScheduler {
    let loop: EventLoop

    init(_ configuration: IOUringScheduler.Configuration) {
        loop = EventLoop(configuration)
    }

    deinit {
        loop.retire()
    }

    @usableFromInline
    func post(_ job: Job) { loop.queue.post(job) }

    @usableFromInline
    func post(_ job: Job, after delay: DispatchTimeInterval) {
        let now = MonotonicClock.now()
        let deadline = MonotonicClock.deadline(after: delay.nanosecondsClamped, from: now)
        let timers = loop.timers!
        if timers.isDirect { return timers.arm(job, until: deadline, now: now) }
        timers.send({ timers.arm(job, until: deadline, now: now) }, refused: job.wasRefused)
    }

    @usableFromInline
    func withdraw(_ job: Job) {
        let timers = loop.timers!
        if timers.isDirect { return timers.disarm(job) }
        // Most jobs that are withdrawn never waited for a time.
        if timers.mayHoldJobs { timers.send({ timers.disarm(job) }, refused: { false }) }
    }

    /// Hands over a timer that nobody else knows yet, with its deadline.
    @usableFromInline
    func arm(_ timer: LoopTimer, after delay: DispatchTimeInterval) {
        let now = MonotonicClock.now()
        timer.deadline = MonotonicClock.deadline(after: delay.nanosecondsClamped, from: now)
        timer.tag = loop.tag
        let timers = loop.timers!
        if timers.isDirect { return timers.insert(timer, now: now) }
        timers.send({ timers.insert(timer, now: now) }, refused: timer.drop)
    }

    @usableFromInline
    var turnQueue: TurnQueue? { loop.queue }

    @usableFromInline
    var stepsPerTurn: Int { loop.queue.stepsPerTurn }

    @usableFromInline
    var hasWaitingJobs: Bool { loop.queue.hasWaitingJobs }

    @usableFromInline
    var instant: Int64 { Int64(MonotonicClock.now()) }
}

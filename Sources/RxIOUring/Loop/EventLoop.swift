// SPDX-License-Identifier: Apache-2.0

import CRxIOUring
import Glibc
import RxPrimitives
import RxSwift

/// A thread that waits for the kernel, for timers, for submitted work and for messages, and serves them in turns.
///
/// Each of the four has a lane of its own, and a turn of 200 microseconds at most, or of three callbacks that take longer. So a timer, or a
/// completion, waits for no more than a turn of each of the others, however much work is submitted.
///
/// The thread keeps this object alive until it ends: after `shutdown`, or when it is idle after `shutdownWhenIdle`.
final class EventLoop: LoopThread {
    let configuration: IOUringScheduler.Configuration

    /// The work submitted by other threads and by the loop itself. The loop thread is its drainer while it is awake.
    let queue: LoopRunQueue

    /// Keeps the order of the closures submitted through `perform` and `submit`.
    private let submissionOrder: SubmissionOrder

    /// The loop's timers (loop thread only, except for methods that say otherwise).
    let timers: LoopTimers

    /// The backend, made before other threads know the loop, and not changed from then on.
    @exclusivity(unchecked) private(set) var heldBackend = Held<Backend>()

    /// The error for which the loop could not be made, so that it is closed from the start. Set before other threads know the loop.
    @exclusivity(unchecked) private(set) var failure: IOError?

    /// The figures that other threads read, and the stall detector.
    let activity: LoopActivity

    /// Identifies this loop by 32 bits, which count no reference.
    let tag = LoopRegistry.newTag()

    var name: String { configuration.name }
    /// Objects to notify of the loop's end (loop thread only).
    @exclusivity(unchecked) var dependents = ObserverList<any LoopDependent>()
    /// Those of them to be asked again while the loop ends; used from any thread.
    let recalled = RecalledDependents()
    /// Objects to notify at the end of the tick (loop thread only).
    @exclusivity(unchecked) private var tickObservers: [any TickObserver] = []
    /// An empty array with reserved capacity (loop thread only).
    @exclusivity(unchecked) private var emptyTickObservers: [any TickObserver] = []
    /// What the loop's streams share (loop thread only).
    @exclusivity(unchecked) var locals = LoopLocals()
    /// True if the loop ends as soon as nothing is left to do (loop thread only).
    @exclusivity(unchecked) private var stopsWhenIdle = false
    /// True if the loop ends after the current job (loop thread only).
    @exclusivity(unchecked) private var hasStopped = false
    /// The nanoseconds that sending may take at the end (loop thread only).
    @exclusivity(unchecked) private var drainTime: UInt64 = 0
    /// The error with which stages fail whose events are dropped, while the loop drops them (loop thread only).
    @exclusivity(unchecked) var lossError: IOError?
    static let usualDrainTime: UInt64 = 1_000_000_000
    /// The nanoseconds for which the end of the loop waits for reads.
    private static let timeForReads: UInt64 = 1_000_000_000
    /// Entered by the thread that rejects work. The loop thread is inside from the start, and leaves at its very end.
    let rejection = DrainLoop(entered: true)
    /// The identity of the thread that is rejecting work, or 0. Written inside `rejection`.
    let rejecter = AtomicWord(0)
    /// Takes what that thread wants to have run on another one.
    let rejections = PoolFeeder(.deliveries)
    /// 1 from the first `shutdown` on, and never reset.
    private let shutDownRequested = AtomicWord(0)
    private let threadEnd = LoopEnd()
    /// The number of forks at creation. In a process that was forked from this one the thread is missing.
    let forks = rx_forks()

    /// True while a tick ends with so many observers that they submit operations instead of performing them (loop thread only).
    @exclusivity(unchecked) private(set) var submitsInBulk = false

    /// The chunk that a connection is emitting (loop thread only).
    @exclusivity(unchecked) var delivery = ChunkDelivery()

    /// The streams that deliver what they have received in pieces (loop thread only).
    private(set) lazy var deliveries = DeliveryQueue(self)
    /// The time that a delivery may take, in ticks of `ProcessorCounter`. Set by `deliveries` (loop thread only).
    @exclusivity(unchecked) var deliverySlice = DeliveryQueue.longestSlice

    /// The stream of work from other threads (loop thread only).
    @exclusivity(unchecked) private var stream = SubmissionStream()

    /// The limits of the work submitted by users, per turn.
    private let turn = TurnBudget(steps: EventLoop.batchLimit, nanoseconds: EventLoop.turnTime)

    private static let batchLimit = 512
    /// The nanoseconds after which work of one kind, submitted jobs, timers or completions, gives way to the others.
    static var turnTime: UInt64 { Backend.turnTime }

    /// Starts the thread, and returns when it is ready, or when the loop cannot be made.
    init(_ configuration: IOUringScheduler.Configuration) {
        StandardDescriptors.reserve()
        self.configuration = configuration
        queue = LoopRunQueue(batchLimit: EventLoop.batchLimit, idleTimeout: configuration.idleTimeout)
        submissionOrder = SubmissionOrder(to: queue)
        timers = LoopTimers(queue: queue, idleTimeout: configuration.idleTimeout)
        activity = LoopActivity(stallLimit: configuration.stallLimit)
        LoopRegistry.add(self)
        let ready = Parker()
        let status = startOwnThread {
            self.prepare()
            if self.failure == nil { ready.unpark() }
            self.run()
            // A loop that cannot be made has ended before any other thread knows it.
            if self.failure != nil { ready.unpark() }
            LoopRegistry.remove(self)
            self.threadEnd.reach()
        }
        if status == 0 { ready.park(until: .max) } else { endWithoutThread(status) }
    }

    /// Indicates whether the caller runs on the loop thread.
    var isCurrent: Bool { queue.isOnLoop }

    /// Indicates whether the loop rejects work. Exact on the loop thread; elsewhere out of date as soon as it is read.
    var isClosed: Bool { queue.isClosed }

    // MARK: Work

    /// True if the caller may do its work for the loop at once.
    ///
    /// The caller then is on the loop thread, the loop is not closed, and all work is done that the caller knows to have been
    /// submitted through `perform` and `submit`.
    var isDirect: Bool { isCurrent && submissionOrder.isIdle && !isClosed }

    /// Runs `body` on the loop thread, after the closures submitted before by this method or `submit`.
    ///
    /// If all of those are done, a caller on the loop thread runs it at once.
    ///
    /// - Parameters:
    ///   - holdsEvents: see `Job.holdsEvents`.
    ///   - rejected: called instead, on any thread, if the loop takes no more work.
    func perform(_ body: @escaping () -> Void, holdsEvents: Bool = false, rejected: @escaping () -> Void = {}) {
        if isDirect { return body() }
        if isCurrent, isClosed { return withoutTelling(rejected) }
        submissionOrder.submit(body, holdsEvents: holdsEvents) {
            rejected()
            return false
        }
    }

    /// Runs `body` on the loop thread after the closures submitted before, and never at once.
    ///
    /// - Parameters:
    ///   - holdsEvents: see `Job.holdsEvents`.
    ///   - rejected: called instead, on any thread, if the loop takes no more work; returns whether that is to be reported.
    func submit(holdsEvents: Bool = false, _ body: @escaping () -> Void, rejected: @escaping () -> Bool) {
        submissionOrder.submit(body, holdsEvents: holdsEvents, rejected: rejected)
    }

    /// See `SubmissionOrder.slowDownIfBehind`.
    func slowDownIfBehind() { submissionOrder.slowDownIfBehind() }

    /// Registers an observer of the end of the tick. Only on the loop thread.
    ///
    /// That is when all work that is due has been done, before the loop looks at the kernel again.
    func notifyAtEndOfTick(_ observer: any TickObserver) { tickObservers.append(observer) }

    /// True if work of one kind has taken its time in this turn, and the rest waits for the next one. Never at the end of the loop. Only on the loop
    /// thread.
    var isTurnOver: Bool { turn.isOver && !isClosed }

    // MARK: From any thread

    func wake() {
        if rx_forks() != forks {
            // The forked process has no loop thread that could take the work.
            reportRejected(queue.rejectPending())
        } else if queue.isClosed {
            // The caller found the queue idle, but maybe long ago: the loop thread, or another caller of this method, may have
            // taken the work meanwhile.
            rejectUnlessDrained()
        } else {
            backend.interrupt()
        }
    }

    /// Ends the thread when nothing is left to do. No work is submitted after this call.
    func shutdownWhenIdle() {
        perform { self.stopsWhenIdle = true }
    }

    /// Ends the loop: runs the work submitted before, sends what was accepted, and cancels everything else.
    ///
    /// Waits for the end, except on the loop thread itself.
    /// - Parameter drainTime: the time that sending may take, in nanoseconds.
    func shutdown(drainTime: UInt64 = EventLoop.usualDrainTime) {
        requestStop(drainTime: drainTime)
        if !isOwnThread { waitForEnd() }
    }

    /// Ends the loop as `shutdown` does, without waiting.
    func requestStop(drainTime: UInt64 = EventLoop.usualDrainTime) {
        if shutDownRequested.exchange(1) != 0 { return }
        // Ends the loop after the work submitted before it, and before work submitted later.
        queue.submit(
            WorkJob { [self] budget, isRejected in
                if isRejected { return false }
                hasStopped = true
                self.drainTime = drainTime
                turn.isStopped = true
                budget = 0
                return true
            })
    }

    /// Indicates whether the loop was told to end. From any thread; out of date as soon as it is read.
    var isEndingSoon: Bool { shutDownRequested.loadRelaxed() != 0 }

    /// Indicates whether the caller is the loop thread.
    ///
    /// Unlike `isCurrent`, this is still true when the loop thread rejects work at its end.
    var isOwnThread: Bool { LoopRegistry.current?.toOpaque() == Unmanaged.passUnretained(self).toOpaque() }

    /// Waits until the thread has ended. Must not be called on that thread.
    func waitForEnd() {
        if rx_forks() == forks { threadEnd.wait() }
    }

    /// Runs closures once the thread has ended, in order: see `LoopEnd.run`. A forked child has no thread that would end.
    func runAfterEnd(_ body: @escaping () -> Void) {
        if rx_forks() == forks { threadEnd.run(body) } else { PoolFeeder.run(body, in: .actors) }
    }

    // MARK: The thread

    private func prepare() {
        rx_thread_prepare(configuration.name)
        if let processor = configuration.processor, rx_thread_pin(CInt(clamping: processor)) != 0 {
            IOHooks.report("\(configuration.name): cannot be pinned to processor \(processor)")
        }
        LoopRegistry.setCurrent(self)
        // Everything that the loop runs is a callback.
        DrainSession.current.beginCallbacks()
        queue.bind(to: self)
        switch LoopRegistry.failure.map(Result.failure) ?? BackendChoice.make(configuration) {
        case .success(let made):
            heldBackend.hold(made)
            if let limit = configuration.stallLimit { activity.watch(limit: limit, name: configuration.name) }
        case .failure(let error):
            fail(error)
            hasStopped = true
        }
    }

    /// Closes the queue of a loop that cannot be made. Called before any other thread knows the loop.
    private func fail(_ error: SystemError) {
        heldBackend.hold(ClosedBackend(instead: configuration.backend))
        failure = error.ioError(subject: configuration.name)
        queue.close()
        IOHooks.report("\(configuration.name) is shut down from the start: \(failure!)")
    }

    /// Ends the loop as its thread would, since there is none. The caller is the drainer in its place.
    private func endWithoutThread(_ error: CInt) {
        queue.bind(to: self)
        queue.unbind()
        fail(SystemError(code: error, operation: "pthread_create"))
        _ = rejectUntilIdle()
        LoopRegistry.remove(self)
        threadEnd.reach()
    }

    private func run() {
        activity.wake()
        while !hasStopped {
            turn.begin()
            activity.beginTurn(at: turn.start)
            let (steps, isLeft) = queue.runJobs(in: turn)
            stream.note(stepsOfTick: steps)
            activity.note(steps: steps)
            if hasStopped { break }
            timers.run()
            if !tickObservers.isEmpty { endTick() }
            activity.publish(timers, backend)
            if isLeft || queue.hasWaitingJobs || timers.hasDue || !tickObservers.isEmpty {
                if backend.hasEvents { backend.poll() }
            } else if stopsWhenIdle, timers.isEmpty, backend.isIdle, dependents.isEmpty {
                break
            } else if timers.prepare() || queue.actionPool.trim() {
                if backend.hasEvents { backend.poll() }
            } else if !spinForMore(), !spin() {
                sleep()
            }
        }
        // What comes now is the end, and no turn.
        activity.sleep()
        activity.unwatch()
        end()
        activity.publish(timers, backend)
    }

    /// Waits a microsecond or so for more, in the midst of a stream of work. A wake-up would cost ten times that.
    ///
    /// When work comes, the loop gives its sender another microsecond or so for the rest: taking single jobs slows both threads
    /// down, as the memory that they share moves from one processor to the other and back each time.
    private func spinForMore() -> Bool {
        if !stream.isLikely || backend.hasPrepared { return false }
        if queue.waitForPending() {
            if stream.spinPays { queue.spinBriefly() }
            return true
        }
        stream.isLikely = false
        return false
    }

    private func endTick() {
        submitsInBulk = withBackend { $0.submitsInBulk(tickObservers.count) }
        defer { submitsInBulk = false }
        var ending = emptyTickObservers
        emptyTickObservers = []
        swap(&ending, &tickObservers)
        for listener in ending { listener.tickEnded() }
        ending.removeAll(keepingCapacity: true)
        emptyTickObservers = ending
    }

    /// Spins for work, as long as the configuration allows, without giving the processor away. Returns whether there is some.
    private func spin() -> Bool {
        let limit = configuration.spin.nanoseconds
        if limit == 0 { return false }
        if backend.hasPrepared, backend.poll() { return true }
        activity.sleep()
        defer { activity.wake() }
        let start = MonotonicClock.now()
        let end = min(start &+ limit, timers.nextCheck ?? .max)
        repeat {
            if SpinWait.spin(nanoseconds: 100, until: { queue.hasPending || !queue.isExpressIdle }) { return true }
            if backend.hasEvents, activity.whileAwake({ backend.poll() }) { return true }
        } while MonotonicClock.now() < end
        return false
    }

    /// Sleeps until a timer is due, an operation completes or work is submitted.
    private func sleep() {
        guard queue.tryGoIdle() else { return }
        // `.max` stands for never. Looked up here, not behind `timers.run()`: the end of the tick tells outcomes, and who is told may arm a timer.
        let trim = min(queue.actionPool.nextTrim ?? .max, timers.nextTrim ?? .max)
        let until = min(timers.nextCheck ?? .max, trim)
        activity.sleep()
        withBackend { $0.wait(until: until == .max ? nil : until) }
        queue.resume()
        activity.wake()
        withBackend { _ = $0.dispatch() }
    }

    /// Sends what was accepted, cancels everything else, notifies the dependents, and reports the rejected work.
    private func end() {
        queue.close()
        if !tickObservers.isEmpty { endTick() }
        endDependents { $0.isInput }
        let dropped = endStages()
        drain()
        endDependents { !$0.awaitsOutput }
        tickObservers = []
        awaitOperations()
        endDependents { _ in true }
        backend.close()
        // Work that user code submits from here on, in a deinit or a hook, counts as submitted by any other thread.
        queue.unbind()
        reportRejected(dropped + rejectUntilIdle())
        LoopRegistry.setCurrent(nil)
    }

    /// Waits for the operations in flight; for reads, to which a mount whose server is gone never answers, no longer than `timeForReads`.
    private func awaitOperations() {
        let end = MonotonicClock.now() &+ EventLoop.timeForReads
        while !backend.isIdle {
            let mayAbandon = backend.hasAbandonable
            if mayAbandon, MonotonicClock.now() >= end {
                backend.abandon()
            } else {
                backend.wait(until: mayAbandon ? end : nil)
            }
            backend.dispatch()
        }
    }

    /// Waits until the dependents have sent what they had accepted, or the time for that is over.
    private func drain() {
        defer { recalled.close() }
        var draining = dependents.all.filter { $0.drain() }
        let end = MonotonicClock.now() &+ drainTime
        while !draining.isEmpty, MonotonicClock.now() < end {
            // Nothing tells when a peer has acknowledged what it got.
            backend.wait(until: min(end, MonotonicClock.now() &+ 2_000_000))
            backend.dispatch()
            if !tickObservers.isEmpty { endTick() }
            let recalled = recalled.take()
            if !recalled.isEmpty {
                let asked = Set(draining.map { ObjectIdentifier($0) })
                draining += recalled.filter { !asked.contains(ObjectIdentifier($0)) }
            }
            draining.removeAll { !$0.drain() }
        }
    }
}

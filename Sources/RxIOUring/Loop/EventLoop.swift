import CRxIOUring
import Dispatch
import Glibc
import RxPrimitives
import RxSwift

/// One thread that waits for the kernel, for timers and for work that is handed over, and does all of it in turns.
///
/// The thread keeps this object alive until it ends: after `shutDown`, or after `shutdownWhenIdle` as soon as nothing is left to do.
final class EventLoop: LoopThread {
    let configuration: IOUringScheduler.Configuration

    /// What is handed over, by others and by the loop itself. The loop's thread is at work there while it is awake.
    let queue: LoopRunQueue

    /// Closures that are handed over through `perform` and `submit`.
    private let submissionOrder: SubmissionOrder

    /// Only the loop, but for what says otherwise.
    let timers: LoopTimers

    /// Only the loop, but for `interrupt`. Made by the loop before anybody else knows it.
    @exclusivity(unchecked) private(set) var backend: Backend!

    /// Names this loop in half a word, which counts no reference.
    let tag = LoopRegistry.newTag()

    /// What has to hear of the end. Only the loop.
    @exclusivity(unchecked) private var dependents: [ObjectIdentifier: any LoopDependent] = [:]
    /// What has to be told at the end of the tick. Only the loop.
    @exclusivity(unchecked) private var tickObservers: [any TickObserver] = []
    /// An empty array with room. Only the loop.
    @exclusivity(unchecked) private var spareTickObservers: [any TickObserver] = []
    /// Ends as soon as nothing is left to do. Only the loop.
    @exclusivity(unchecked) private var isRetiring = false
    /// Ends after the job under way. Only the loop.
    @exclusivity(unchecked) fileprivate var isOver = false
    /// Entered by whoever rejects work. The thread is inside from the start, and leaves at its very end.
    private let rejection = DrainLoop(entered: true)
    /// 1 from the first `shutDown`, for ever.
    private let shutDownRequested = AtomicWord(0)
    /// Left by the thread when it ends.
    private let running = DispatchGroup()
    /// In a process that was forked from this one the thread is missing.
    private let forks = rx_forks()

    /// Whether this tick ends with so many listeners that what they do is better submitted than done at once. Only the loop.
    @exclusivity(unchecked) private(set) var submitsInBulk = false

    /// Whether there was a stream of work since the loop slept, of which more is likely to come soon. Only the loop.
    @exclusivity(unchecked) private var isInStream = false
    /// For how many ticks the loop takes up what comes at once, as little came of waiting for more, and for how many when that
    /// happens the next time. Only the loop.
    @exclusivity(unchecked) private var hastyTicks = 0
    @exclusivity(unchecked) private var nextHastyTicks = EventLoop.fewestHastyTicks
    private static let fewestHastyTicks = 8
    private static let mostHastyTicks = 1_024

    /// How often the thread is started, 10 ms apart, before the program stops.
    private static let startAttempts = 100

    /// How many steps are taken between two looks at the kernel and at the clock.
    private static let batchLimit = 512

    /// Starts the thread, and returns when it is ready.
    init(_ configuration: IOUringScheduler.Configuration) {
        self.configuration = configuration
        queue = LoopRunQueue(batchLimit: EventLoop.batchLimit, idleTimeout: configuration.idleTimeout)
        submissionOrder = SubmissionOrder(to: queue)
        timers = LoopTimers(queue: queue, idleTimeout: configuration.idleTimeout)
        LoopRegistry.add(self)
        running.enter()
        let ready = Parker()
        let main = {
            self.prepare()
            ready.unpark()
            self.run()
            LoopRegistry.remove(self)
            self.running.leave()
        }
        // Others may end their threads meanwhile. A loop without a thread would never do what is submitted to it.
        for attempt in 0..<EventLoop.startAttempts {
            let status = startThread(main)
            if status == 0 { break }
            precondition(
                attempt + 1 < EventLoop.startAttempts,
                "swift-rx: no thread can be started for \(configuration.name) (pthread_create: \(status)); too many threads?"
            )
            usleep(10_000)
        }
        ready.park(until: .max)
    }

    /// Whether the caller runs on the loop's thread.
    var isCurrent: Bool { queue.isOnLoop }

    /// Whether no more work is taken. On the loop it is exact, elsewhere out of date as soon as it is read.
    var isClosed: Bool { queue.isClosed }

    // MARK: Work

    /// Whether the caller, who has something for the loop to do, may do it at once: it is on the loop, and everything is done
    /// that it knows to have been handed over through `perform` and `submit`.
    var isDirect: Bool { isCurrent && submissionOrder.isIdle && !isClosed }

    /// Runs `body` on the loop, behind what was handed over before through this or `submit`: at once when called there, if all of
    /// that is done.
    ///
    /// - Parameter rejected: called instead, on any thread, if the loop takes no more work.
    func perform(_ body: @escaping () -> Void, rejected: @escaping () -> Void = {}) {
        if isDirect { return body() }
        if isCurrent, isClosed { return rejected() }
        submit(body) {
            rejected()
            return false
        }
    }

    /// Runs `body` on the loop behind what was handed over before, and never at once.
    ///
    /// - Parameter rejected: called instead, on any thread, if the loop takes no more work; returns whether that is to be
    ///   reported.
    func submit(_ body: @escaping () -> Void, rejected: @escaping () -> Bool) {
        submissionOrder.submit(body, rejected: rejected)
    }

    /// Runs `body` soon on a thread that is not the loop's, for a loop that takes no more work.
    func performElsewhere(_ body: @escaping () -> Void) {
        // In a forked process there are no other threads.
        if rx_forks() != forks { return body() }
        nonisolated(unsafe) let body = body
        DispatchQueue.global().async { body() }
    }

    /// Submits an operation, which is not in flight. Only on the loop.
    func submit(_ operation: Operation) {
        precondition(isCurrent, "swift-rx: an operation was submitted outside its event loop")
        backend.submit(operation)
    }

    /// Asks for an operation to end early; harmless if it is not in flight. Its completion comes in any case. Only on the loop.
    func cancel(_ operation: Operation) {
        if operation.isInFlight { backend.cancel(operation) }
    }

    /// Has `dependent` told when the loop ends. Only on the loop; false if it has ended.
    func add(_ dependent: any LoopDependent) -> Bool {
        if isClosed { return false }
        dependents[ObjectIdentifier(dependent)] = dependent
        return true
    }

    /// Only on the loop.
    func remove(_ dependent: any LoopDependent) {
        dependents[ObjectIdentifier(dependent)] = nil
    }

    /// Has `listener` told when everything was done that is to be done now, before the loop looks at the kernel again. Only
    /// on the loop.
    func notifyAtEndOfTick(_ listener: any TickObserver) { tickObservers.append(listener) }

    // MARK: From any thread

    func wake() {
        if rx_forks() != forks {
            // Nobody else is there to take the work up.
            report(queue.rejectPending())
        } else if queue.isClosed {
            // Who comes here found the queue idle, but maybe long ago: the thread, or another one who comes here, may have
            // taken the work up meanwhile.
            rejectUnlessDrained()
        } else {
            backend.interrupt()
        }
    }

    /// In a process that was just forked from that of the loop: the thread is missing, whatever it was doing. What is handed over
    /// here is rejected. Atomic stores, and nothing else.
    func wasForked() { queue.wasForked() }

    /// Nobody will hand anything over any more: the thread ends when nothing is left to do.
    func shutdownWhenIdle() {
        perform { self.isRetiring = true }
    }

    /// Ends the loop: what was handed over before is run, everything else is cancelled. Waits for it, but not on the loop
    /// itself.
    func shutDown() {
        endSoon()
        if !isOwnThread { waitForEnd() }
    }

    /// `shutDown` without waiting.
    func endSoon() {
        if shutDownRequested.exchange(1) == 0 { queue.submit(WorkJob(LoopEnd(self))) }
    }

    /// Whether the loop was told to end. From any thread; out of date as soon as it is read.
    var isEndingSoon: Bool { shutDownRequested.loadRelaxed() != 0 }

    /// Whether the caller is the loop's thread. Not the same as `isCurrent`, which that is not any more when it rejects work at
    /// its end.
    var isOwnThread: Bool { LoopRegistry.current?.toOpaque() == Unmanaged.passUnretained(self).toOpaque() }

    /// Waits until the thread has ended. Not on the thread itself.
    func waitForEnd() {
        if rx_forks() == forks { running.wait() }
    }

    // MARK: The thread

    private func prepare() {
        rx_thread_prepare(configuration.name)
        if let processor = configuration.processor, rx_thread_pin(CInt(clamping: processor)) != 0 {
            IOHooks.report("\(configuration.name): cannot be pinned to processor \(processor)")
        }
        LoopRegistry.setCurrent(self)
        // All that the loop runs is a callback.
        DrainSession.current.beginCallbacks()
        queue.bind(to: self)
        backend = BackendChoice.make(configuration)
    }

    private func run() {
        while !isOver {
            var budget = EventLoop.batchLimit
            let hasMore = queue.runJobs(within: &budget)
            note(stepsOfTick: EventLoop.batchLimit - budget)
            if isOver { break }
            let deadline = timers.expire()
            if !tickObservers.isEmpty { endTick() }
            if hasMore || queue.hasWaitingJobs || !tickObservers.isEmpty {
                if backend.hasEvents { backend.poll() }
            } else if isRetiring, timers.isEmpty, backend.isIdle, dependents.isEmpty {
                break
            } else if timers.prepare() || queue.spares.trim() {
                if backend.hasEvents { backend.poll() }
            } else if !spinForMore(), !spin() {
                sleep(until: deadline)
            }
        }
        end()
    }

    private func note(stepsOfTick steps: Int) {
        if steps > RunQueue.stream {
            isInStream = true
            nextHastyTicks = EventLoop.fewestHastyTicks
        } else if hastyTicks > 0 {
            hastyTicks -= 1
        } else if isInStream, steps < RunQueue.few {
            hastyTicks = nextHastyTicks
            nextHastyTicks = min(2 * nextHastyTicks, EventLoop.mostHastyTicks)
        }
    }

    /// In the midst of a stream of work, waits a microsecond or so for more. A wake-up would cost ten times that.
    ///
    /// When something comes, it leaves the sender another one for the rest: taking up single jobs slows both threads down, as each
    /// time the memory they share goes from one processor to the other and back.
    private func spinForMore() -> Bool {
        if !isInStream || backend.hasPrepared { return false }
        if queue.waitForPending() {
            if hastyTicks == 0 { queue.pause() }
            return true
        }
        isInStream = false
        return false
    }

    private func endTick() {
        submitsInBulk = tickObservers.count > 2 && backend.kind == .uring
        defer { submitsInBulk = false }
        var ending = spareTickObservers
        spareTickObservers = []
        swap(&ending, &tickObservers)
        for listener in ending { listener.tickEnded() }
        ending.removeAll(keepingCapacity: true)
        spareTickObservers = ending
    }

    /// Waits for work without giving the processor away, as long as the configuration allows. Returns whether there is some.
    private func spin() -> Bool {
        let limit = configuration.spin.nanoseconds
        if limit == 0 { return false }
        if backend.hasPrepared, backend.poll() { return true }
        let start = MonotonicClock.now()
        let end = min(start &+ limit, timers.nextLook ?? .max)
        repeat {
            if SpinWait.spin(nanoseconds: 100, until: { queue.hasPending }) { return true }
            if backend.hasEvents, backend.poll() { return true }
        } while MonotonicClock.now() < end
        return false
    }

    private func sleep(until deadline: UInt64?) {
        guard queue.tryRest() else { return }
        // `.max` stands for never.
        let trim = min(queue.spares.nextTrim ?? .max, timers.nextTrim ?? .max)
        let until = min(deadline ?? .max, trim)
        backend.wait(until: until == .max ? nil : until)
        queue.resume()
        backend.dispatch()
    }

    /// Cancels what is left, and says so to everybody concerned.
    private func end() {
        queue.close()
        let dropped = timers.removeAll()
        tickObservers = []
        while let (_, dependent) = dependents.popFirst() { dependent.loopEnded() }
        while !backend.isIdle {
            backend.wait(until: nil)
            backend.dispatch()
        }
        backend.close()
        // What user code hands over from here on, in a deinit or a hook, comes as from any other thread.
        queue.unbind()
        report(dropped + rejectUntilIdle())
        LoopRegistry.setCurrent(nil)
    }

    private func rejectUnlessDrained() {
        let node = UnsafeMutablePointer<DrainNode>.allocate(capacity: 1)
        node.initialize(to: DrainNode())
        guard case .entered = rejection.enterOrPush(node, mayResume: false) else { return }
        node.deallocate()
        report(rejectUntilIdle())
    }

    /// By the one inside `rejection`.
    private func rejectUntilIdle() -> Int {
        var count = 0
        repeat {
            while let asked = rejection.popFirst() { asked.deallocate() }
            queue.resume()
            count += queue.rejectAll()
        } while !rejection.tryLeave()
        return count
    }

    private func report(_ dropped: Int) {
        if dropped > 0 { Hooks.workRejectedHandler(configuration.name, dropped) }
    }
}

/// What lives on a loop and has to hear of its end.
protocol LoopDependent: AnyObject {
    /// On the loop, once. The loop has forgotten the dependent already, and takes no more operations.
    func loopEnded()
}

/// Ends the loop behind what was handed over before, and before what was handed over later.
private final class LoopEnd: Work {
    private let loop: EventLoop

    init(_ loop: EventLoop) { self.loop = loop }

    func run(_ budget: inout Int) -> Bool {
        loop.isOver = true
        budget = 0
        return true
    }

    func wasRejected() -> Bool { false }
}

/// What gathers work during a tick of the loop, and does it at its end.
protocol TickObserver: AnyObject {
    /// On the loop. May submit operations.
    func tickEnded()
}

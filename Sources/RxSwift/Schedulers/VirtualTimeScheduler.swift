// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// A scheduler whose clock stands still until the program advances it.
///
/// Actions run in order of their time, those of one time in the order in which they were scheduled, on the thread that calls `start`
/// or `advanceTo`. Any thread will do, one at a time: a call while another thread is running or scheduling actions stops the program. Only
/// disposables may be used from everywhere. Scheduling and running an action cost O(log n) with n actions waiting.
/// - SeeAlso: [Scheduler](https://reactivex.io/documentation/scheduler.html)
open class VirtualTimeScheduler<Converter: VirtualTimeConverterType>: SchedulerType, @unchecked Sendable {
    /// A point of the virtual clock.
    public typealias VirtualTime = Converter.VirtualTimeUnit

    /// A span of virtual time.
    public typealias VirtualTimeInterval = Converter.VirtualTimeIntervalUnit

    private let converter: Converter
    private let agenda: ActionHeap<VirtualTime>
    private let runner = ExclusiveThread()
    private var isRunning = false

    /// The virtual time that the clock shows.
    public private(set) var clock: VirtualTime

    /// The time that the clock shows, as real time.
    public var now: RxTime { converter.convertFromVirtualTime(clock) }

    /// Creates a scheduler whose clock stands still.
    ///
    /// - Parameters:
    ///   - initialClock: the time of the clock at first.
    ///   - converter: translates between the clock's units and real time.
    public init(initialClock: VirtualTime, converter: Converter) {
        clock = initialClock
        self.converter = converter
        agenda = ActionHeap { converter.compareVirtualTime($0, $1) == .lessThan }
        #if TRACE_RESOURCES
            ResourceCensus.born(Self.self)
        #endif
    }

    #if TRACE_RESOURCES
        deinit {
            ResourceCensus.died(Self.self)
        }
    #endif

    /// Schedules an action at the current virtual time, as adjusted by `adjustScheduledTime`.
    ///
    /// - Parameters:
    ///   - state: passed to the action.
    ///   - action: the work; the disposable that it returns is disposed of together with the scheduled action.
    /// - Returns: a disposable that cancels the action, as far as it has not run.
    @preconcurrency
    public func schedule<StateType>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        scheduleRelative(state, dueTime: .nanoseconds(0), action: action)
    }

    /// Schedules an action for when so much real time, converted to virtual time, has passed.
    ///
    /// - Parameters:
    ///   - state: passed to the action.
    ///   - dueTime: how long to wait.
    ///   - action: the work; the disposable that it returns is disposed of together with the scheduled action.
    /// - Returns: a disposable that cancels the action, as far as it has not run.
    @preconcurrency
    public func scheduleRelative<StateType>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        let due = converter.convertToVirtualTime(now.advanced(by: dueTime))
        return scheduleAbsoluteVirtual(state, time: adjustScheduledTime(due), action: action)
    }

    /// Schedules an action for when so much virtual time has passed.
    ///
    /// - Parameters:
    ///   - state: passed to the action.
    ///   - dueTime: how long to wait.
    ///   - action: the work; the disposable that it returns is disposed of together with the scheduled action.
    /// - Returns: a disposable that cancels the action, as far as it has not run.
    @preconcurrency
    public func scheduleRelativeVirtual<StateType>(
        _ state: StateType, dueTime: VirtualTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        scheduleAbsoluteVirtual(state, time: converter.offsetVirtualTime(clock, offset: dueTime), action: action)
    }

    /// Schedules an action for a point of the virtual clock.
    ///
    /// - Parameters:
    ///   - state: passed to the action.
    ///   - time: the point of the clock; an action for the past runs next, and the clock is not set back.
    ///   - action: the work; the disposable that it returns is disposed of together with the scheduled action.
    /// - Returns: a disposable that cancels the action, as far as it has not run.
    @preconcurrency
    public func scheduleAbsoluteVirtual<StateType>(
        _ state: StateType, time: VirtualTime, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        let scheduled = ScheduledAction(UserAction(state, action))
        runner.alone("VirtualTimeScheduler.schedule") { agenda.add(scheduled, at: time) }
        return scheduled
    }

    /// The time at which an action scheduled for `time` is to run: `time` itself, unless a subclass overrides this.
    ///
    /// - Parameter time: the time that the action was asked for.
    open func adjustScheduledTime(_ time: VirtualTime) -> VirtualTime { time }

    /// Runs all actions, also those scheduled meanwhile, advancing the clock to the time of each.
    ///
    /// Does nothing when called from inside an action.
    public func start() {
        runner.check("VirtualTimeScheduler.start")
        if !isRunning { run(until: nil) }
    }

    /// Runs all actions up to a point of the virtual clock, that point included, and sets the clock to it.
    ///
    /// Stops the program when called from inside an action.
    /// - Parameter virtualTime: the time of the clock afterwards.
    public func advanceTo(_ virtualTime: VirtualTime) {
        runner.check("VirtualTimeScheduler.advanceTo")
        if isRunning { fatalError("VirtualTimeScheduler.advanceTo(\(virtualTime)): the scheduler is already running") }
        run(until: virtualTime)
        clock = virtualTime
    }

    /// Advances the clock without running anything. Actions that became due run at the next `start` or `advanceTo`.
    ///
    /// - Parameter virtualInterval: by how much; not negative.
    public func sleep(_ virtualInterval: VirtualTimeInterval) {
        runner.check("VirtualTimeScheduler.sleep")
        let wake = converter.offsetVirtualTime(clock, offset: virtualInterval)
        if converter.compareVirtualTime(wake, clock) == .lessThan {
            fatalError(
                "VirtualTimeScheduler.sleep(\(virtualInterval)): can't sleep to the past, from \(clock) to \(wake)")
        }
        clock = wake
    }

    /// Makes `start` or `advanceTo` return after the action that is running.
    public func stop() {
        runner.check("VirtualTimeScheduler.stop")
        isRunning = false
    }

    private func run(until limit: VirtualTime?) {
        runner.enter()
        isRunning = true
        while isRunning, let next = agenda.next {
            if let limit, converter.compareVirtualTime(next.time, limit) == .greaterThan { break }
            if converter.compareVirtualTime(next.time, clock) == .greaterThan { clock = next.time }
            agenda.removeNext()
            var budget = 1
            _ = next.action.run(&budget)
        }
        isRunning = false
        runner.leave()
    }
}

extension VirtualTimeScheduler: CustomDebugStringConvertible {
    /// The times of the actions that wait, earliest first.
    public var debugDescription: String { "\(agenda.times)" }
}

/// The thread that is running a scheduler's actions, or changing them, to notice when another one interferes.
private final class ExclusiveThread {
    /// 0, or the identity of the thread inside.
    private let owner = AtomicWord(0)

    private var current: UInt { UInt(bitPattern: ObjectIdentifier(Trampoline.current)) }

    func enter() { owner.storeRelaxed(current) }

    func leave() { owner.storeRelaxed(0) }

    func check(_ caller: StaticString) {
        let owner = self.owner.loadRelaxed()
        if owner != 0, owner != current { fail(caller) }
    }

    /// Runs `body`, during which no other thread may come.
    func alone(_ caller: StaticString, _ body: () -> Void) {
        let current = current
        if owner.loadRelaxed() == current { return body() }
        if !owner.compareExchange(0, current) { fail(caller) }
        body()
        // Pairs with the exchange of the next thread, which finds what this one has changed.
        owner.storeReleasing(0)
    }

    private func fail(_ caller: StaticString) -> Never {
        fatalError("\(caller): called on one thread while another is running or scheduling this scheduler's actions")
    }
}

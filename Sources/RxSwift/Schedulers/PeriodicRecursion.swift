// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

extension SchedulerType {
    /// Schedules an action to be run again and again, by scheduling each run when the one before is due.
    ///
    /// For schedulers that have no periodic timer of their own. Runs never overlap: a tick that comes while a run is under way
    /// is made up for afterwards.
    /// - Parameters:
    ///   - state: passed to the first run; each further run gets the state that the run before returned.
    ///   - startAfter: how long to wait before the first run.
    ///   - period: the time between two runs.
    ///   - action: the work of one run, which returns the next state.
    /// - Returns: a disposable that ends the repetition.
    @preconcurrency
    public func schedulePeriodic<StateType>(
        _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> StateType
    ) -> any Disposable {
        let periodic = PeriodicRecursion(state: state, period: period, action: action)
        return scheduleRecursive(.tick, dueTime: startAfter) { periodic.take($0, $1) }
    }
}

/// Turns one-shot actions of a scheduler into a periodic one.
private final class PeriodicRecursion<State> {
    enum Step {
        /// The time of a run has come.
        case tick
        /// A tick that came during a run is due to be made up for.
        case run
    }

    private let period: RxTimeInterval
    private let action: (State) -> State

    /// The number of ticks that have not had their run. The thread that raises it from 0 runs.
    private let pendingTicks = AtomicWord(0)

    /// The state of the next run. Only the thread that runs accesses it.
    private var state: State

    init(state: State, period: RxTimeInterval, action: @escaping (State) -> State) {
        self.state = state
        self.period = period
        self.action = action
    }

    func take(_ step: Step, _ recursion: TimedRecursion<Step>) {
        if step == .tick {
            // The next tick comes first: it is a period after this one, however long the run takes.
            recursion.schedule(.tick, dueTime: period)
            if pendingTicks.fetchAdd(1) != 0 { return }
        }
        let next = action(state)
        state = next
        if pendingTicks.fetchAdd(0 &- 1) > 1 { recursion.schedule(.run) }
    }
}

// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

extension ImmediateSchedulerType {
    /// Schedules an action that may schedule itself again.
    ///
    /// Each run is an action of its own to the scheduler, so recursion needs no stack.
    /// - Parameters:
    ///   - state: passed to the first run.
    ///   - action: the work; it schedules a further run by calling its second argument with that run's state, as often as it
    ///     wants to.
    /// - Returns: a disposable that ends the recursion: runs that have not started do not start, and the action is released.
    @preconcurrency
    public func scheduleRecursive<State>(
        _ state: State, action: @escaping @Sendable (_ state: State, _ recurse: (State) -> Void) -> Void
    ) -> any Disposable {
        let recursion = ImmediateRecursion(scheduler: self, action: action)
        recursion.schedule(state)
        return recursion
    }
}

extension SchedulerType {
    /// Schedules an action that may schedule itself again, at once or later.
    ///
    /// - Parameters:
    ///   - state: passed to the first run.
    ///   - dueTime: how long to wait before the first run.
    ///   - action: the work; it schedules further runs through its second argument.
    /// - Returns: a disposable that ends the recursion.
    package func scheduleRecursive<State>(
        _ state: State, dueTime: RxTimeInterval, action: @escaping (State, TimedRecursion<State>) -> Void
    ) -> any Disposable {
        let recursion = TimedRecursion(scheduler: self, action: action)
        recursion.schedule(state, dueTime: dueTime)
        return recursion
    }
}

/// The runs of an action that schedules itself: those which wait are disposed of together.
///
/// The scheduler holds the waiting runs, they hold this object, and this object holds their disposables: a circle that each run cuts
/// when it starts, and `dispose()` cuts for all.
package class Recursion<Action>: DisposeBase, Disposable, @unchecked Sendable {
    private let waiting = CompositeDisposable()
    private let lock = Mutex()

    /// The action, touched under the lock only; nil from `dispose()` on.
    private var action: Action?

    init(action: Action) {
        self.action = action
        super.init()
    }

    package func dispose() {
        var released: Action?
        lock.withLock { swap(&released, &action) }
        waiting.dispose()
        withExtendedLifetime(released) {}
    }

    /// Schedules a run, unless the recursion has ended.
    ///
    /// - Parameter schedule: submits the run to the scheduler; the run calls the closure given for the action, and gets nil when the
    ///   recursion has ended.
    func add(_ schedule: (_ begin: @escaping @Sendable () -> Action?) -> any Disposable) {
        let run = SingleAssignmentDisposable()
        // The run is inserted first, as it may start before `schedule` returns.
        guard let key = waiting.insert(run) else { return }
        run.setDisposable(
            schedule {
                self.waiting.remove(for: key)
                return self.lock.withLock { self.action }
            })
    }
}

/// Recursion through a scheduler without a clock.
package final class ImmediateRecursion<State>: Recursion<(State, (State) -> Void) -> Void>, @unchecked Sendable {
    private let scheduler: any ImmediateSchedulerType

    init(scheduler: any ImmediateSchedulerType, action: @escaping (State, (State) -> Void) -> Void) {
        self.scheduler = scheduler
        super.init(action: action)
    }

    func schedule(_ state: State) {
        add { begin in
            scheduler.schedule(state) { state in
                begin()?(state, self.schedule)
                return Disposables.create()
            }
        }
    }
}

/// Recursion through a scheduler with a clock.
package final class TimedRecursion<State>: Recursion<(State, TimedRecursion<State>) -> Void>, @unchecked Sendable {
    private let scheduler: any SchedulerType

    init(scheduler: any SchedulerType, action: @escaping (State, TimedRecursion<State>) -> Void) {
        self.scheduler = scheduler
        super.init(action: action)
    }

    /// Schedules a run to start soon.
    package func schedule(_ state: State) {
        add { begin in
            scheduler.schedule(state) { state in
                begin()?(state, self)
                return Disposables.create()
            }
        }
    }

    /// Schedules a run when `dueTime` has passed.
    package func schedule(_ state: State, dueTime: RxTimeInterval) {
        add { begin in
            scheduler.scheduleRelative(state, dueTime: dueTime) { state in
                begin()?(state, self)
                return Disposables.create()
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Dispatch
import RxPrimitives

/// Runs actions on the main queue, right away when already on it and nothing else is under way there.
///
/// Work submitted while on the main queue, with nothing enqueued at this scheduler object or under way there, runs inline; all other
/// work is queued, in order of submission. Delayed actions run on the main queue when their time has come, and are not counted as
/// under way.
public final class MainScheduler: SerialDispatchQueueScheduler, @unchecked Sendable {
    /// The scheduler of the main queue. In tests that replace it, the scheduler of the test.
    public static var instance: MainScheduler { MainReplacement.current?.instance ?? shared }

    /// A scheduler of the same queue that never runs inline: submitted work runs later even when already on the main queue.
    public static var asyncInstance: SerialDispatchQueueScheduler { MainReplacement.current?.instance ?? asyncShared }

    private static let shared = MainScheduler(replacement: nil)
    static let asyncShared = SerialDispatchQueueScheduler(
        jobs: SerialDispatchJobScheduler(onMain: nil))

    /// Creates a scheduler of the main queue with an order of its own.
    ///
    /// Work that runs inline at other schedulers does not keep this one from running work inline.
    public convenience init() { self.init(replacement: MainReplacement.current?.instance.replacement) }

    init(replacement: SchedulerReplacement?) {
        super.init(jobs: SerialDispatchJobScheduler(onMain: InlineGate()), replacement: replacement)
    }

    /// Stops the program when not on the main queue, unless the calling test replaces the main scheduler.
    ///
    /// - Parameter errorMessage: the message of the failure.
    public static func ensureExecutingOnScheduler(errorMessage: String? = nil) {
        if !MainQueue.isCurrent, MainReplacement.current == nil {
            fatalError(
                errorMessage
                    ?? "MainScheduler.ensureExecutingOnScheduler: not on the main queue. Hop with observe(on: MainScheduler.instance) first."
            )
        }
    }

    /// Stops the program when not on the main queue, unless the calling test replaces the main scheduler.
    ///
    /// - Parameter errorMessage: the message of the failure.
    public static func ensureRunningOnMainThread(errorMessage: String? = nil) {
        if !MainQueue.isCurrent, MainReplacement.current == nil {
            fatalError(errorMessage ?? "MainScheduler.ensureRunningOnMainThread: not on the main queue.")
        }
    }

    /// True if the calling thread is running work inline, further up its stack.
    package static var isRunningInline: Bool { MainQueue.isCurrent && InlineGate.isAnyUnderWay }

    /// Runs a job that waits behind work that the calling thread is running inline.
    ///
    /// For a caller that keeps the main queue waiting.
    /// - Returns: false if nothing is waiting.
    package static func runNextBehindInline() -> Bool { isRunningInline && DispatchRunQueue.main.runNext() }

    override func scheduleAction<StateType>(
        _ state: StateType, _ action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        guard replacement == nil, let gate = dispatchJobs.inlineGate, gate.tryEnter() else {
            return super.scheduleAction(state, action)
        }
        defer { gate.leave() }
        return action(state)
    }
}

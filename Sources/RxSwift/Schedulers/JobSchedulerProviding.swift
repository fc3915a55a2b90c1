// SPDX-License-Identifier: Apache-2.0

/// A scheduler of this library, which the engine uses without going through closures.
package protocol JobSchedulerProviding {
    var jobs: any JobScheduler { get }
}

/// A scheduler of this library that can wait.
package protocol TimedJobSchedulerProviding: JobSchedulerProviding {
    var timedJobs: any TimedJobScheduler { get }
}

extension TimedJobSchedulerProviding {
    package var jobs: any JobScheduler { timedJobs }
}

/// Returns the job scheduler that a hop uses for a user's choice of scheduler.
func jobScheduler(for scheduler: any ImmediateSchedulerType) -> any JobScheduler {
    if type(of: scheduler) == CurrentThreadScheduler.self { return CurrentThreadJobScheduler.shared }
    if let ours = scheduler as? any JobSchedulerProviding { return ours.jobs }
    return CustomSchedulerAdapter(scheduler)
}

/// Returns the job scheduler that the engine uses for a user's choice of scheduler that can wait.
@usableFromInline
func timedJobScheduler<Scheduler: SchedulerType>(for scheduler: Scheduler) -> any TimedJobScheduler {
    // The types that are nearly always asked for come first: a cast to a protocol is slow.
    if Scheduler.self == SerialDispatchQueueScheduler.self || Scheduler.self == MainScheduler.self {
        return unsafeBitCast(scheduler, to: Unmanaged<SerialDispatchQueueScheduler>.self)
            ._withUnsafeGuaranteedRef { $0.replacement == nil ? $0.dispatchJobs : $0.timedJobs }
    }
    if let ours = scheduler as? any TimedJobSchedulerProviding { return ours.timedJobs }
    if let main = scheduler as? ConcurrentMainScheduler { return main.main.timedJobs }
    return CustomTimedSchedulerAdapter(timed: scheduler)
}

/// Returns the job scheduler for a source that is being subscribed to on this thread, by a user's choice of scheduler.
func sourceScheduler(for scheduler: any ImmediateSchedulerType) -> any JobScheduler {
    type(of: scheduler) == CurrentThreadScheduler.self ? Trampoline.current : jobScheduler(for: scheduler)
}

/// Submits each job to the trampoline of the submitting thread.
final class CurrentThreadJobScheduler: JobScheduler {
    static let shared = CurrentThreadJobScheduler()

    func submit(_ job: Job) { Trampoline.current.submit(job) }

    func makePrivateQueue() -> PrivateRunQueue { TrampolineRunQueue(scheduler: self) }

    func unschedule(_ job: Job) {}

    var runQueue: RunQueue? { nil }

    var batchLimit: Int { 1 }

    var hasWaitingJobs: Bool { Trampoline.current.hasWaitingJobs }
}

// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Runs actions as operations of an `OperationQueue`, which bounds how many run at the same time.
///
/// The events of one `observe(on:)` come one at a time and in order; a burst of them is one operation. If the program cancels an operation that has
/// not begun, as `cancelAllOperations()` does, an action is dropped, and a hop whose events it had fails with a `SchedulerEndedError`.
public class OperationQueueScheduler: ImmediateSchedulerType, @unchecked Sendable {
    /// The queue on which the work runs.
    public let operationQueue: OperationQueue

    /// The priority of each operation in that queue.
    public let queuePriority: Operation.QueuePriority

    private let operationJobs: OperationJobs

    /// Creates a scheduler that runs its work on an operation queue.
    ///
    /// - Parameters:
    ///   - operationQueue: the queue on which the work runs.
    ///   - queuePriority: the priority of each operation.
    public init(operationQueue: OperationQueue, queuePriority: Operation.QueuePriority = .normal) {
        self.operationQueue = operationQueue
        self.queuePriority = queuePriority
        operationJobs = OperationJobs(queue: operationQueue, priority: queuePriority)
    }

    /// Schedules an action to be run soon.
    @preconcurrency
    public func schedule<StateType>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        let job = ActionJob(UserAction(state, action), scheduler: operationJobs)
        operationJobs.submit(job)
        return job
    }
}

extension OperationQueueScheduler: JobSchedulerProviding {
    package var jobs: any JobScheduler { operationJobs }
}

private final class OperationJobs: JobScheduler {
    private let queue: OperationQueue
    private let priority: Operation.QueuePriority

    init(queue: OperationQueue, priority: Operation.QueuePriority) {
        self.queue = queue
        self.priority = priority
    }

    func submit(_ job: Job) {
        let operation = JobOperation(job, on: self)
        operation.queuePriority = priority
        queue.addOperation(operation)
    }

    func unschedule(_ job: Job) {}

    func tellOfLoss(_ body: @escaping (any Swift.Error) -> Void) {
        LossDelivery.submit(schedulerName: queue.name ?? "OperationQueue", body)
    }

    var runQueue: RunQueue? { nil }

    /// An operation costs Foundation some twenty allocations, so it takes more steps than a batch on a dispatch queue.
    var batchLimit: Int { 4096 }

    var hasWaitingJobs: Bool { false }
}

/// Runs a job, or rejects it if the program has cancelled the operation.
private final class JobOperation: Operation, @unchecked Sendable {
    private let job: Job
    private let scheduler: OperationJobs
    /// Only the thread of `start` uses it.
    private var hasRun = false

    init(_ job: Job, on scheduler: OperationJobs) {
        self.job = job
        self.scheduler = scheduler
        super.init()
    }

    // The queue starts a cancelled operation, too, and that does not call `main`.
    override func start() {
        super.start()
        if !hasRun { _ = job.wasRejected() }
    }

    override func main() {
        hasRun = true
        job.runToItsEnd(on: scheduler)
    }
}

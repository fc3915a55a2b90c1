public import Foundation

/// Runs actions as operations of an `OperationQueue`, which bounds how many run at the same time.
///
/// The events of one `observe(on:)` come one at a time and in order; a burst of them is one operation.
public class OperationQueueScheduler: ImmediateSchedulerType {
    /// Where the work runs.
    public let operationQueue: OperationQueue

    /// The priority of each operation in that queue.
    public let queuePriority: Operation.QueuePriority

    private let operationJobs: OperationJobs

    /// - Parameters:
    ///   - operationQueue: where the work runs.
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
        operationJobs.post(job)
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

    func post(_ job: Job) {
        let operation = BlockOperation { job.runToItsEnd(on: self) }
        operation.queuePriority = priority
        queue.addOperation(operation)
    }

    func withdraw(_ job: Job) {}

    var turnQueue: TurnQueue? { nil }

    /// An operation costs Foundation some twenty allocations, so it takes more steps than a turn on a dispatch queue.
    var stepsPerTurn: Int { 4096 }

    var hasWaitingJobs: Bool { false }
}

// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import RxIOUring
import RxPrimitives
import RxSwift

/// An event that happens once, on another thread.
package final class OneShot: @unchecked Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    package init() {}

    package func fire() { semaphore.signal() }

    /// Returns whether it happened in time.
    package func wait(seconds: Double = 30) -> Bool { semaphore.wait(timeout: .now() + seconds) == .success }
}

/// The schedulers that run work on threads of their own.
package enum ThreadedScheduler: CaseIterable, Sendable {
    case serialDispatch, serialOnConcurrentTarget, concurrentDispatch, operationQueue, serialOperationQueue, boundedPool
    case main, users
    case uring, epoll
    case host

    package func make() -> any ImmediateSchedulerType {
        switch self {
        case .serialDispatch: return SerialDispatchQueueScheduler(internalSerialQueueName: "test")
        case .serialOnConcurrentTarget: return SerialDispatchQueueScheduler(qos: .default)
        case .concurrentDispatch: return ConcurrentDispatchQueueScheduler(qos: .default)
        case .operationQueue: return OperationQueueScheduler(operationQueue: OperationQueue())
        case .serialOperationQueue:
            let queue = OperationQueue()
            queue.maxConcurrentOperationCount = 1
            return OperationQueueScheduler(operationQueue: queue)
        case .boundedPool: return BoundedPoolScheduler(maxConcurrentOperationCount: 2)
        case .main: return MainScheduler.instance
        case .users: return UsersScheduler()
        case .uring: return IOUringScheduler(backend: .uring)
        case .epoll: return IOUringScheduler(backend: .epoll)
        case .host: return HostEventLoopScheduler(ThreadHostLoop())
        }
    }

    package static let timed: [ThreadedScheduler] = [
        .serialDispatch, .serialOnConcurrentTarget, .concurrentDispatch, .boundedPool, .main, .uring, .epoll, .host,
    ]

    /// True if actions run one at a time, in the order of submission.
    package var isSerial: Bool { ![.concurrentDispatch, .operationQueue, .boundedPool, .users].contains(self) }

    package func makeTimed() -> any SchedulerType { make() as! any SchedulerType }
}

/// A scheduler as a user might write it. Actions may run at the same time.
package final class UsersScheduler: SchedulerType, @unchecked Sendable {
    private let queue = DispatchQueue(label: "user's", attributes: .concurrent)

    package init() {}

    package var now: Date { Date() }

    package func schedule<StateType>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        nonisolated(unsafe) let state = state
        let disposable = SingleAssignmentDisposable()
        queue.async {
            if !disposable.isDisposed { disposable.setDisposable(action(state)) }
        }
        return disposable
    }

    package func scheduleRelative<StateType>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        nonisolated(unsafe) let state = state
        let disposable = SingleAssignmentDisposable()
        queue.asyncAfter(deadline: .now() + dueTime) {
            if !disposable.isDisposed { disposable.setDisposable(action(state)) }
        }
        return disposable
    }
}

/// A user's scheduler that runs each action right where it is scheduled.
package final class InlineScheduler: ImmediateSchedulerType {
    package init() {}

    package func schedule<StateType>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        action(state)
    }
}

/// Runs a body on the main queue, and waits for it.
package func onMainQueue(_ body: @escaping @Sendable () -> Void) async {
    // ThreadSanitizer does not see the order that the runtime of tasks makes, but it sees that of this word.
    let isDone = AtomicWord(0)
    await withCheckedContinuation { continuation in
        DispatchQueue.main.async {
            body()
            isDone.storeReleasing(1)
            continuation.resume()
        }
    }
    precondition(isDone.loadAcquiring() == 1)
}

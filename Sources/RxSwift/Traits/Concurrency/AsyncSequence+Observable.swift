// SPDX-License-Identifier: Apache-2.0

extension AsyncSequence {
    /// An observable that iterates this sequence anew for each subscription, in a task of its own.
    ///
    /// The task is cancelled when the subscription ends, and asks for no more elements; one that it is waiting for is lost. A sequence that can be iterated only once, such as `AsyncStream`, divides
    /// its elements among the subscribers. While the stages below pause the task, it asks the sequence for no more elements.
    /// - Parameter priority: the priority of the task; without it the system's default.
    /// - Returns: sends the elements, in order, on the threads of the task. Ends with the error that the sequence throws; when that is
    ///   `CancellationError`, it completes.
    public func asObservable(priority: TaskPriority? = nil) -> Observable<Element> {
        // Passed to the task of each subscription. As with RxSwift there is no check that the sequence may be iterated there.
        nonisolated(unsafe) let sequence = self
        return .create { observer in
            let task = Task.detached(priority: priority) {
                let source = PausableTask()
                do {
                    // Asked no more once the subscription has ended: other subscribers of a stream get its elements.
                    var iterator = sequence.makeAsyncIterator()
                    while !observer.sink.isCancelled {
                        guard let element = try await iterator.next() else { return observer.onCompleted() }
                        observer.onNext(element)
                        if !observer.sink.isCancelled { await source.waitWhilePaused(by: observer.sink) }
                    }
                } catch is CancellationError {
                    observer.onCompleted()
                } catch {
                    observer.onError(error)
                }
            }
            return Disposables.create { task.cancel() }
        }
    }
}

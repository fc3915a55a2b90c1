// SPDX-License-Identifier: Apache-2.0

extension AsyncSequence {
    /// An observable that iterates this sequence anew for each subscription, in a task of its own.
    ///
    /// The task is cancelled when the subscription ends, and asks at most twice more: so the sequence learns of it, and an `AsyncStream` ends. Elements that come then are lost. A
    /// sequence that can be iterated only once, such as `AsyncStream`, divides its elements among the subscribers. While the stages below pause the task, it asks the sequence for no more elements.
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
                    var iterator = sequence.makeAsyncIterator()
                    while let element = try await iterator.next() {
                        if observer.sink.isCancelled { return try await iterator.tellOfEnd() }
                        observer.onNext(element)
                        if !observer.sink.isCancelled { await source.waitWhilePaused(by: observer.sink) }
                    }
                    observer.onCompleted()
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

extension AsyncIteratorProtocol {
    /// Asks for an element in a task that is cancelled, so that the sequence learns of it: a producer may have to stop.
    fileprivate mutating func tellOfEnd() async throws {
        withUnsafeCurrentTask { $0?.cancel() }
        _ = try await next()
    }
}

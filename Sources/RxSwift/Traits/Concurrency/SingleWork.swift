// SPDX-License-Identifier: Apache-2.0

extension PrimitiveSequenceType where Trait == SingleTrait {
    /// A single made by asynchronous work, which runs anew for each subscription, in a task of its own.
    ///
    /// The task is cancelled when the subscription is disposed of; an outcome of the work after that is dropped.
    /// - Parameters:
    ///   - detached: whether the task inherits nothing (priority, task-local values) from the task that subscribes.
    ///   - priority: the priority of the task.
    ///   - work: returns the element; an error it throws becomes the error of the result. Both are sent on a thread of the task.
    /// - SeeAlso: [Create](https://reactivex.io/documentation/operators/create.html)
    @_disfavoredOverload
    public static func create(
        detached: Bool = false, priority: TaskPriority? = nil, work: @escaping @Sendable () async throws -> Element
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(
            raw: .create { observer in
                let operation: @Sendable () async -> Void = {
                    do {
                        observer.onNext(try await work())
                        observer.onCompleted()
                    } catch {
                        observer.onError(error)
                    }
                }
                let task =
                    detached
                    ? Task.detached(priority: priority, operation: operation)
                    : Task(priority: priority, operation: operation)
                return Disposables.create { task.cancel() }
            })
    }
}

// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
    /// A sequence of one element, sent on a scheduler.
    ///
    /// - Parameters:
    ///   - element: sent by one scheduled action, followed by `completed` in another.
    ///   - scheduler: runs both actions.
    /// - SeeAlso: [Just](https://reactivex.io/documentation/operators/just.html)
    public static func just(_ element: Element, scheduler: any ImmediateSchedulerType) -> Observable<Element> {
        ScheduledOptional(element, scheduler: scheduler)
    }
}

/// Emits one element and `completed`, or only `completed`, each in a scheduled action of its own.
final class ScheduledOptional<Element>: Observable<Element>, @unchecked Sendable {
    private let element: Element?
    private let scheduler: any ImmediateSchedulerType

    init(_ element: Element?, scheduler: any ImmediateSchedulerType) {
        self.element = element
        self.scheduler = scheduler
        super.init()
    }

    override func subscribeCore(_ downstream: Sink<Element>) {
        let source = Stage()
        downstream.link(source)
        let scheduler = self.scheduler
        let complete: @Sendable (()) -> any Disposable = { _ in
            if !source.isCancelled { downstream.completed() }
            return Disposables.create()
        }
        let action = scheduler.schedule(element) { element in
            guard let element else { return complete(()) }
            if !source.isCancelled { downstream.next(element) }
            return source.isCancelled ? Disposables.create() : scheduler.schedule((), action: complete)
        }
        source.link(DisposableStage(action))
    }
}

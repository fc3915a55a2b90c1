import RxPrimitives

// Shells that scenarios fill with closures: the classes of the engine can only be inherited from in their own module.

/// A stage that says when it is cancelled.
package final class ScenarioStage: Stage {
    private let cancelled: () -> Void

    package init(cancelled: @escaping () -> Void) {
        self.cancelled = cancelled
        super.init()
    }

    package override func cancel() {
        cancelled()
        super.cancel()
    }
}

/// The end of a chain.
package final class ScenarioSink<Element>: Sink<Element> {
    private let nextBody: (Element) -> Void
    private let endBody: () -> Void

    package init(next: @escaping (Element) -> Void, end: @escaping () -> Void = {}) {
        nextBody = next
        endBody = end
        super.init()
    }

    package override func next(_ element: Element) { nextBody(element) }

    package override func error(_ error: any Swift.Error) { endBody() }

    package override func completed() { endBody() }
}

/// A piece of work.
package final class ScenarioJob: Job {
    private let body: () -> Void

    package init(_ body: @escaping () -> Void) {
        self.body = body
        super.init()
    }

    package override func run(_ budget: inout Int) -> Bool {
        body()
        return true
    }
}

/// A serial scheduler whose turns are run by a thread of the scenario.
package final class ScenarioTurns: TurnQueue, JobScheduler {
    private let wakeBody: () -> Void

    package init(stepsPerTurn: Int = 512, wake: @escaping () -> Void) {
        wakeBody = wake
        super.init(stepsPerTurn: stepsPerTurn)
    }

    package override func wake() { wakeBody() }

    package func withdraw(_ job: Job) {}

    package var turnQueue: TurnQueue? { self }
}

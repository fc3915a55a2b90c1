extension ObservableType {
    /// Lets an element through when no other has followed it for a while.
    ///
    /// At the end of the source the element that still waits is sent at once, then `completed`. An error is sent at once, and
    /// drops the element that waits. On a scheduler of this library an element costs a reading of the clock and no timer.
    /// - Parameters:
    ///   - dueTime: how long the source must be silent.
    ///   - scheduler: runs the timer, and sends the elements that have waited.
    /// - SeeAlso: [Debounce](https://reactivex.io/documentation/operators/debounce.html)
    @inlinable
    public func debounce(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        TimedOperator(
            source: asObservable(), settings: TimeSettings(span: dueTime, scheduler: scheduler),
            sinkType: DebounceSink<Element>.self)
    }
}

@usableFromInline
final class DebounceSink<Element>: TimedSink<Element, Element> {
    private var decision = DebounceDecision<Element>()

    override func receive(_ element: Element) {
        let (generation, displaced) = decision.accept(element)
        alarm.set(after: settings.span, generation: generation)
        // The user's value goes away out here, where its deinit may do what it likes.
        withExtendedLifetime(displaced) {}
    }

    override func receiveTick(_ generation: Int) {
        if let element = decision.expire(generation) { downstream.next(element) }
    }

    override func receive(error: any Swift.Error) {
        withExtendedLifetime(decision.end()) {}
        fail(error)
    }

    override func receiveCompleted() {
        sendWaiting()
        if !isCancelled { finish() }
    }

    /// Apart, so that no room for an element lies on the stack while the end goes down the chain (law L8).
    @inline(never)
    private func sendWaiting() {
        if let element = decision.end() { downstream.next(element) }
    }
}

/// Which element `debounce` lets through.
package struct DebounceDecision<Element> {
    private var waiting: Element?
    private var generation = 0

    package init() {}

    /// An element came.
    ///
    /// - Returns: what the timer is to be set with, and the element which is not sent because of this one.
    package mutating func accept(_ element: Element) -> (generation: Int, displaced: Element?) {
        let displaced = waiting
        waiting = element
        generation &+= 1
        return (generation, displaced)
    }

    /// The timer came. Returns what is to be sent.
    package mutating func expire(_ generation: Int) -> Element? {
        generation == self.generation ? end() : nil
    }

    /// Takes what still waits.
    package mutating func end() -> Element? {
        let element = waiting
        waiting = nil
        return element
    }
}

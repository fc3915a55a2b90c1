extension ObservableType {
    /// Gathers elements, and sends them as an array when there are enough of them or enough time has passed.
    ///
    /// An array may be empty. At the end of the source what has been gathered is sent, also when that is nothing; an error
    /// drops it.
    /// - Parameters:
    ///   - timeSpan: how long to gather at most. Counted anew after each array.
    ///   - count: how many elements to gather at most; without a limit if not positive.
    ///   - scheduler: runs the timer, and sends the arrays whose time has come.
    /// - SeeAlso: [Buffer](https://reactivex.io/documentation/operators/buffer.html)
    @inlinable
    public func buffer(
        timeSpan: RxTimeInterval, count: Int, scheduler: any SchedulerType
    ) -> Observable<[Element]> {
        TimedOperator(
            source: asObservable(), settings: TimeSettings(span: timeSpan, scheduler: scheduler, count: count),
            sinkType: BufferSink<Element>.self)
    }
}

@usableFromInline
final class BufferSink<Element>: TimedSink<Element, [Element]> {
    private var machine: BufferStateMachine<Element>

    required init(settings: TimeSettings, downstream: Sink<[Element]>) {
        machine = BufferStateMachine(limit: settings.count)
        super.init(settings: settings, downstream: downstream)
    }

    override func begin() {
        timer.set(after: settings.span, generation: machine.generation)
    }

    override func receive(_ element: Element) {
        if let full = machine.accept(element) { send(full) }
    }

    override func receiveTick(_ generation: Int) {
        if let gathered = machine.expire(generation) { send(gathered) }
    }

    private func send(_ elements: [Element]) {
        downstream.next(elements)
        if !isCancelled { timer.set(after: settings.span, generation: machine.generation) }
    }

    override func receive(error: any Swift.Error) {
        withExtendedLifetime(machine.turnOver()) {}
        fail(error)
    }

    override func receiveCompleted() {
        downstream.next(machine.turnOver())
        if !isCancelled { finish() }
    }
}

/// When `buffer` sends what.
package struct BufferStateMachine<Element> {
    private let limit: Int
    private var elements: [Element] = []

    /// Which array is being gathered; its timer's number.
    package private(set) var generation = 0

    package init(limit: Int) { self.limit = limit }

    /// An element came. Returns the array it makes full.
    package mutating func accept(_ element: Element) -> [Element]? {
        elements.append(element)
        return elements.count == limit ? turnOver() : nil
    }

    /// The timer came. Returns the array whose time has passed.
    package mutating func expire(_ generation: Int) -> [Element]? {
        generation == self.generation ? turnOver() : nil
    }

    /// Takes what has been gathered, and begins anew.
    package mutating func turnOver() -> [Element] {
        generation &+= 1
        let gathered = elements
        elements = []
        return gathered
    }
}

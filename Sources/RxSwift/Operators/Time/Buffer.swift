// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
    /// Gathers elements, and sends them as an array when there are enough of them or enough time has passed.
    ///
    /// An array may be empty. At the end of the source the gathered elements are sent, even if there are none; an error drops them.
    /// - Parameters:
    ///   - timeSpan: the longest time to gather, which starts again after each array.
    ///   - count: the greatest number of elements to gather; without a limit if not positive.
    ///   - scheduler: runs the timer, and sends the arrays whose time has come.
    /// - SeeAlso: [Buffer](https://reactivex.io/documentation/operators/buffer.html)
    @inlinable
    public func buffer(
        timeSpan: RxTimeInterval, count: Int, scheduler: any SchedulerType
    ) -> Observable<[Element]> {
        TimedOperator(
            source: asObservable(), settings: TimeSettings(interval: timeSpan, scheduler: scheduler, count: count),
            sinkType: BufferSink<Element>.self)
    }

    /// As `buffer(timeSpan:count:scheduler:)`, by a clock of Swift's concurrency.
    ///
    /// Elements that have waited come on a serial queue of the operator's own, or inside `advance` of a clock that a test advances.
    public func buffer(
        for timeSpan: Duration, count: Int, clock: some Clock<Duration> = ContinuousClock()
    ) -> Observable<[Element]> {
        buffer(timeSpan: timeSpan.timeInterval, count: count, scheduler: ClockScheduler(clock))
    }
}

@usableFromInline
final class BufferSink<Element>: TimedSink<Element, [Element]> {
    override var operatorName: StaticString { "buffer" }

    private var machine: BufferStateMachine<Element>

    required init(settings: TimeSettings, downstream: Sink<[Element]>) {
        machine = BufferStateMachine(limit: settings.count)
        super.init(settings: settings, downstream: downstream)
    }

    override func begin() {
        timer.set(after: interval, generation: machine.generation)
    }

    override func receive(_ element: Element) {
        if let full = machine.accept(element) { send(full) }
    }

    override var awaitsTick: Bool { !machine.isEmpty }

    override func receiveTick(_ generation: Int) {
        if let gathered = machine.expire(generation) { send(gathered) }
    }

    private func send(_ elements: [Element]) {
        downstream.next(elements)
        if !isCancelled { timer.set(after: interval, generation: machine.generation) }
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

/// Decides which arrays `buffer` sends, and when.
package struct BufferStateMachine<Element> {
    private let limit: Int
    private var elements: [Element] = []

    /// The number of the array that is being gathered, which is also the generation of its timer.
    package private(set) var generation = 0

    package init(limit: Int) { self.limit = limit }

    package var isEmpty: Bool { elements.isEmpty }

    /// Adds an element. Returns the array if the element makes it full.
    package mutating func accept(_ element: Element) -> [Element]? {
        elements.append(element)
        return elements.count == limit ? turnOver() : nil
    }

    /// Handles a tick of the timer. Returns the array whose time has passed.
    package mutating func expire(_ generation: Int) -> [Element]? {
        generation == self.generation ? turnOver() : nil
    }

    /// Takes the gathered elements, and begins a new array.
    package mutating func turnOver() -> [Element] {
        generation &+= 1
        let gathered = elements
        elements = []
        return gathered
    }
}

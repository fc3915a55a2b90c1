extension ObservableType where Element: FixedWidthInteger {
    /// A sequence of consecutive integers.
    ///
    /// - Parameters:
    ///   - start: the first.
    ///   - count: how many. A negative count, or one that leads beyond the integer type, is a programmer's error and stops.
    ///   - scheduler: where they are emitted: a step of its own for each element and for `completed`.
    /// - SeeAlso: [Range](https://reactivex.io/documentation/operators/range.html)
    public static func range(
        start: Element, count: Element, scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Observable<Element> {
        if count < 0 { fatalError("range: count must not be negative, is \(count)") }
        if start &+ (count - 1) < start, count > 0 {
            fatalError("range: start \(start) and count \(count) lead beyond \(Element.self)")
        }
        return RangeSource(start: start, count: count, scheduler: scheduler)
    }
}

private final class RangeSource<Element: FixedWidthInteger>: Observable<Element> {
    private let start: Element
    private let count: Element
    private let scheduler: any ImmediateSchedulerType

    init(start: Element, count: Element, scheduler: any ImmediateSchedulerType) {
        self.start = start
        self.count = count
        self.scheduler = scheduler
        super.init()
    }

    override func attach(_ downstream: Sink<Element>) {
        RangeJob(start: start, count: count, downstream: downstream, scheduler: sourceScheduler(for: scheduler)).begin()
    }
}

private final class RangeJob<Element: FixedWidthInteger>: SourceJob<Element> {
    private var element: Element
    private var left: Element

    init(start: Element, count: Element, downstream: Sink<Element>, scheduler: any JobScheduler) {
        element = start
        left = count
        super.init(downstream: downstream, scheduler: scheduler)
    }

    override func step() -> Bool {
        if left == 0 {
            downstream.completed()
            return false
        }
        let current = element
        left -= 1
        element = current &+ 1
        downstream.next(current)
        return true
    }
}

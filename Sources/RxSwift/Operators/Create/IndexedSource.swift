// SPDX-License-Identifier: Apache-2.0

/// A sequence of `count` elements, each made from its index.
@usableFromInline
final class IndexedSource<Element>: Observable<Element>, @unchecked Sendable {
    private let count: Int
    private let element: (Int) -> Element
    private let scheduler: any ImmediateSchedulerType
    private let jobType: IndexedJob<Element>.Type

    @inlinable
    convenience init(count: Int, scheduler: any ImmediateSchedulerType, element: @escaping (Int) -> Element) {
        self.init(count: count, scheduler: scheduler, jobType: IndexedJob<Element>.self, element: element)
    }

    @usableFromInline
    init(
        count: Int, scheduler: any ImmediateSchedulerType, jobType: IndexedJob<Element>.Type,
        element: @escaping (Int) -> Element
    ) {
        self.count = count
        self.element = element
        self.scheduler = scheduler
        self.jobType = jobType
        super.init()
    }

    override func subscribeCore(_ downstream: Sink<Element>) {
        jobType.init(
            count: count, element: element, downstream: downstream, scheduler: sourceScheduler(for: scheduler)
        ).begin()
    }
}

@usableFromInline
final class IndexedJob<Element>: SourceJob<Element> {
    private let count: Int
    private let element: (Int) -> Element
    @exclusivity(unchecked) private var index = 0

    required init(
        count: Int, element: @escaping (Int) -> Element, downstream: Sink<Element>, scheduler: any JobScheduler
    ) {
        self.count = count
        self.element = element
        super.init(downstream: downstream, scheduler: scheduler)
    }

    override func step() -> Bool {
        let index = self.index
        if index == count {
            downstream.completed()
            return false
        }
        self.index = index + 1
        let next = element(index)
        // The closure of a lazy collection may have disposed of the subscription.
        if isCancelled { return false }
        downstream.next(next)
        return true
    }
}

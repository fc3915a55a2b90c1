// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
    /// A sequence of the given elements.
    ///
    /// - Parameters:
    ///   - elements: the elements to send.
    ///   - scheduler: emits them, with a step of its own for each element and for `completed`.
    /// - SeeAlso: [From](https://reactivex.io/documentation/operators/from.html)
    @inlinable
    public static func of(
        _ elements: Element..., scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Observable<Element> {
        IndexedSource(count: elements.count, scheduler: scheduler) { elements[$0] }
    }

    /// A sequence of the elements of an array.
    ///
    /// - Parameters:
    ///   - array: the elements to send.
    ///   - scheduler: emits them, with a step of its own for each element and for `completed`.
    /// - SeeAlso: [From](https://reactivex.io/documentation/operators/from.html)
    @inlinable
    public static func from(
        _ array: [Element], scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Observable<Element> {
        IndexedSource(count: array.count, scheduler: scheduler) { array[$0] }
    }

    /// A sequence of the elements of a Swift sequence, which is iterated anew, and lazily, at each subscription.
    ///
    /// - Parameters:
    ///   - sequence: the elements to send.
    ///   - scheduler: emits them, with a step of its own for each element and for `completed`.
    /// - SeeAlso: [From](https://reactivex.io/documentation/operators/from.html)
    @inlinable
    public static func from<Sequence: Swift.Sequence>(
        _ sequence: Sequence, scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Observable<Element> where Sequence.Element == Element {
        StepSource(scheduler: scheduler) {
            var iterator = sequence.makeIterator()
            return { job in
                guard let element = iterator.next() else { return job.complete() }
                return job.emit(element)
            }
        }
    }
}

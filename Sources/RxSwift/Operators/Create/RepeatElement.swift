// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
    /// A sequence that repeats an element without end.
    ///
    /// - Parameters:
    ///   - element: the element to send.
    ///   - scheduler: emits the element, each time in a step of its own.
    /// - SeeAlso: [Repeat](https://reactivex.io/documentation/operators/repeat.html)
    @inlinable
    public static func repeatElement(
        _ element: Element, scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Observable<Element> {
        StepSource(scheduler: scheduler) {
            { job in job.emit(element) }
        }
    }
}

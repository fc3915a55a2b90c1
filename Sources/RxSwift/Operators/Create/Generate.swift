// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
    /// A sequence made like a `for` loop, of the initial state and the states that `iterate` makes, as long as `condition` holds.
    ///
    /// - Parameters:
    ///   - initialState: the first element, if the condition holds for it.
    ///   - condition: runs before each element; false completes the sequence, and an error it throws ends it.
    ///   - scheduler: emits the elements, each in a step of its own.
    ///   - iterate: makes the next element, when it is due; an error it throws ends the sequence.
    /// - SeeAlso: [Create](https://reactivex.io/documentation/operators/create.html)
    @preconcurrency @inlinable
    public static func generate(
        initialState: Element, condition: @escaping @Sendable (Element) throws -> Bool,
        scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance,
        iterate: @escaping @Sendable (Element) throws -> Element
    ) -> Observable<Element> {
        StepSource(scheduler: scheduler) {
            var state = initialState
            var isFirst = true
            return { job in
                do {
                    if !isFirst { state = try iterate(state) }
                    isFirst = false
                    return try condition(state) ? job.emit(state) : job.complete()
                } catch {
                    return job.fail(error)
                }
            }
        }
    }
}

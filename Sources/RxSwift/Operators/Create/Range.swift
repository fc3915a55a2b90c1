// SPDX-License-Identifier: Apache-2.0

extension ObservableType where Element: FixedWidthInteger {
    /// A sequence of consecutive integers.
    ///
    /// - Parameters:
    ///   - start: the first integer.
    ///   - count: the number of integers. A negative count, or one that leads beyond the integer type, is a programmer's error and stops.
    ///   - scheduler: emits them, with a step of its own for each element and for `completed`.
    /// - SeeAlso: [Range](https://reactivex.io/documentation/operators/range.html)
    @inlinable
    public static func range(
        start: Element, count: Element, scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Observable<Element> {
        if count < 0 { fatalError("range: count must not be negative, is \(count)") }
        if count > 0, start &+ (count - 1) < start {
            fatalError("range: start \(start) and count \(count) lead beyond \(Element.self)")
        }
        // Counts in Int and converts in a closure that is compiled for the element type: generic integer arithmetic is slow.
        return IndexedSource(count: Int(clamping: count), scheduler: scheduler) { index in
            start &+ Element(truncatingIfNeeded: index)
        }
    }
}

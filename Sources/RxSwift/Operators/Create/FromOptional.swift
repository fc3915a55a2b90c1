// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
    /// A sequence of an optional's value, if there is one.
    ///
    /// - Parameter optional: sent inside `subscribe`, unless nil, and followed by `completed`.
    /// - SeeAlso: [From](https://reactivex.io/documentation/operators/from.html)
    @inlinable
    public static func from(optional: Element?) -> Observable<Element> {
        if let optional { Just(optional) } else { EmptySequence() }
    }

    /// A sequence of an optional's value, if there is one, sent on a scheduler.
    ///
    /// - Parameters:
    ///   - optional: sent by one scheduled action and followed by `completed` in another; if nil, there is only the latter.
    ///   - scheduler: runs the actions.
    /// - SeeAlso: [From](https://reactivex.io/documentation/operators/from.html)
    public static func from(optional: Element?, scheduler: any ImmediateSchedulerType) -> Observable<Element> {
        ScheduledOptional(optional, scheduler: scheduler)
    }
}

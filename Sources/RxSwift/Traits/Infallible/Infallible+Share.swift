// SPDX-License-Identifier: Apache-2.0

extension InfallibleType {
    /// An infallible whose subscribers share one subscription to the source.
    ///
    /// The first subscriber subscribes to the source, the last one that leaves ends that; so does the source's terminal event.
    /// From any thread; each subscriber gets its events one at a time, in one order.
    /// - Parameters:
    ///   - replay: how many of the last elements a new subscriber gets inside `subscribe`; not negative.
    ///   - scope: what becomes of the remembered elements when the connection to the source ends.
    /// - SeeAlso: [RefCount](https://reactivex.io/documentation/operators/refcount.html)
    @inlinable
    public func share(
        replay: Int = 0, scope: SubjectLifetimeScope = .whileConnected
    ) -> Infallible<Element> {
        Infallible(raw: asObservable().share(replay: replay, scope: scope))
    }
}

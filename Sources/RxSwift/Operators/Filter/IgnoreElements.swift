// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
    /// Drops all elements, and lets the terminal event through.
    ///
    /// - SeeAlso: [IgnoreElements](https://reactivex.io/documentation/operators/ignoreelements.html)
    @inlinable
    public func ignoreElements() -> Observable<Never> {
        LinearOperator(asObservable(), sinkType: IgnoreElementsSink<Element>.self)
    }
}

@usableFromInline
final class IgnoreElementsSink<Element>: OperatorSink<Element, Never, Void> {
    override func next(_ element: Element) {}
}

// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
    /// A sequence that never sends anything.
    ///
    /// - SeeAlso: [Never](https://reactivex.io/documentation/operators/empty-never-throw.html)
    @inlinable
    public static func never() -> Observable<Element> {
        NeverSequence()
    }
}

@usableFromInline
final class NeverSequence<Element>: Observable<Element>, @unchecked Sendable {
    @usableFromInline
    override init() { super.init() }

    override var startsOnTrampoline: Bool { false }

    override func subscribeCore(_ downstream: Sink<Element>) {}
}

// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
    /// A sequence without elements that completes.
    ///
    /// It completes inside the call of `subscribe`.
    /// - SeeAlso: [Empty](https://reactivex.io/documentation/operators/empty-never-throw.html)
    @inlinable
    public static func empty() -> Observable<Element> {
        EmptySequence()
    }
}

@usableFromInline
final class EmptySequence<Element>: Observable<Element>, @unchecked Sendable {
    @usableFromInline
    override init() { super.init() }

    override var startsOnTrampoline: Bool { false }

    override func subscribeCore(_ downstream: Sink<Element>) {
        downstream.linkAndComplete()
    }
}

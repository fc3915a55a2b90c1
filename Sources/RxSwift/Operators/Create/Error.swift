// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
    /// A sequence without elements that ends with an error.
    ///
    /// - Parameter error: sent inside `subscribe`.
    /// - SeeAlso: [Throw](https://reactivex.io/documentation/operators/empty-never-throw.html)
    @inlinable
    public static func error(_ error: any Swift.Error) -> Observable<Element> {
        ErrorSequence(error)
    }
}

@usableFromInline
final class ErrorSequence<Element>: Observable<Element>, @unchecked Sendable {
    private let error: any Swift.Error

    @usableFromInline
    init(_ error: any Swift.Error) {
        self.error = error
        super.init()
    }

    override var startsOnTrampoline: Bool { false }

    override func subscribeCore(_ downstream: Sink<Element>) {
        downstream.linkAndFail(error)
    }
}

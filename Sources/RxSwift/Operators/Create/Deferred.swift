// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
    /// A sequence that is made anew for each subscription.
    ///
    /// - Parameter observableFactory: runs at each subscription, on the subscribing thread, and returns the sequence to subscribe
    ///   to; an error it throws ends the sequence.
    /// - SeeAlso: [Defer](https://reactivex.io/documentation/operators/defer.html)
    @preconcurrency @inlinable
    public static func deferred(
        _ observableFactory: @escaping @Sendable () throws -> Observable<Element>
    ) -> Observable<Element> {
        Deferred(observableFactory)
    }
}

@usableFromInline
final class Deferred<Element>: Observable<Element>, @unchecked Sendable {
    private let factory: () throws -> Observable<Element>

    @usableFromInline
    init(_ factory: @escaping () throws -> Observable<Element>) {
        self.factory = factory
        super.init()
    }

    package override func resolved() -> Observable<Element> {
        do {
            return try factory().resolved().aboveOperator()
        } catch {
            return ErrorSequence(error)
        }
    }

    override func subscribeCore(_ downstream: Sink<Element>) {
        do {
            try factory().subscribeCoreAboveOperator(downstream)
        } catch {
            downstream.linkAndFail(error)
        }
    }
}

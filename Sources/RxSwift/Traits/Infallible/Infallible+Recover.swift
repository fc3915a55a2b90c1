// SPDX-License-Identifier: Apache-2.0

extension ObservableConvertibleType {
    /// The sequence as one that does not fail: where it fails, it ends with an element and `completed`.
    ///
    /// - Parameter element: takes the place of every error.
    /// - SeeAlso: [Catch](https://reactivex.io/documentation/operators/catch.html)
    @inlinable
    public func asInfallible(onErrorJustReturn element: Element) -> Infallible<Element> {
        Infallible(raw: asObservable().catchAndReturn(element))
    }

    /// The sequence as one that does not fail: where it fails, it continues with an infallible.
    ///
    /// - Parameter infallible: is subscribed to on the thread on which any error arrives.
    /// - SeeAlso: [Catch](https://reactivex.io/documentation/operators/catch.html)
    @inlinable
    public func asInfallible(onErrorFallbackTo infallible: Infallible<Element>) -> Infallible<Element> {
        Infallible(raw: asObservable().catch { _ in infallible.source })
    }

    /// The sequence as one that does not fail: where it fails, it continues with an infallible made from the error.
    ///
    /// - Parameter onErrorRecover: makes the infallible to continue with, on the thread on which the error arrives.
    /// - SeeAlso: [Catch](https://reactivex.io/documentation/operators/catch.html)
    @preconcurrency @inlinable
    public func asInfallible(
        onErrorRecover: @escaping @Sendable (any Swift.Error) -> Infallible<Element>
    ) -> Infallible<Element> {
        Infallible(raw: asObservable().catch { onErrorRecover($0).source })
    }
}

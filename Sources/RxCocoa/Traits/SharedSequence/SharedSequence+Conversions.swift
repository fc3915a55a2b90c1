// SPDX-License-Identifier: Apache-2.0

public import RxSwift

extension ObservableConvertibleType {
    /// The sequence as a shared one which sends an element instead of an error, and completes.
    ///
    /// - Parameters:
    ///   - sharingStrategy: how subscribers share, and on which scheduler they are called.
    ///   - onErrorJustReturn: the last element when the source fails.
    @inlinable
    public func asSharedSequence<S: SharingStrategyProtocol>(
        sharingStrategy: S.Type = S.self, onErrorJustReturn: Element
    ) -> SharedSequence<S, Element> {
        SharedSequence(asObservable().observe(on: S.scheduler).catchAndReturn(onErrorJustReturn))
    }

    /// The sequence as a shared one which continues with another sequence when it fails.
    ///
    /// - Parameters:
    ///   - sharingStrategy: how subscribers share, and on which scheduler they are called.
    ///   - onErrorDriveWith: the sequence to continue with.
    @inlinable
    public func asSharedSequence<S: SharingStrategyProtocol>(
        sharingStrategy: S.Type = S.self, onErrorDriveWith: SharedSequence<S, Element>
    ) -> SharedSequence<S, Element> {
        SharedSequence(asObservable().observe(on: S.scheduler).catch { _ in onErrorDriveWith.asObservable() })
    }

    /// The sequence as a shared one which continues with another sequence, made from the error, when it fails.
    ///
    /// - Parameters:
    ///   - sharingStrategy: how subscribers share, and on which scheduler they are called.
    ///   - onErrorRecover: makes the sequence to continue with, on the strategy's scheduler.
    @preconcurrency @inlinable
    public func asSharedSequence<S: SharingStrategyProtocol>(
        sharingStrategy: S.Type = S.self,
        onErrorRecover: @escaping @Sendable (_ error: any Swift.Error) -> SharedSequence<S, Element>
    ) -> SharedSequence<S, Element> {
        SharedSequence(asObservable().observe(on: S.scheduler).catch { onErrorRecover($0).asObservable() })
    }
}

extension SharedSequence {
    /// The sequence without the promises about threads and sharing; that it does not fail remains.
    ///
    /// Completes where a closure of `zip` or `combineLatest` has thrown.
    @inlinable
    public func asInfallible() -> Infallible<Element> {
        Infallible(raw: source.catch { _ in .empty() })
    }
}

// SPDX-License-Identifier: Apache-2.0

public import RxSwift

extension SharedSequenceConvertibleType where Element: Equatable {
    /// Drops elements equal to the one before.
    ///
    /// - SeeAlso: [Distinct](https://reactivex.io/documentation/operators/distinct.html)
    @inlinable
    public func distinctUntilChanged() -> SharedSequence<SharingStrategy, Element> {
        SharedSequence(asObservable().distinctUntilChanged(), derivedFrom: asOwnSharedSequence)
    }
}

extension SharedSequenceConvertibleType {
    /// Drops elements whose key equals that of the element before.
    ///
    /// - Parameter keySelector: runs once per element, on the strategy's scheduler.
    /// - SeeAlso: [Distinct](https://reactivex.io/documentation/operators/distinct.html)
    @preconcurrency @inlinable
    public func distinctUntilChanged<Key: Equatable>(
        _ keySelector: @escaping @Sendable (Element) -> Key
    ) -> SharedSequence<SharingStrategy, Element> {
        SharedSequence(asObservable().distinctUntilChanged(keySelector), derivedFrom: asOwnSharedSequence)
    }

    /// Drops elements which a closure takes to be the same as the one before.
    ///
    /// - Parameter comparer: receives the last element that was let through and the new one, and returns whether to drop the
    ///   new one. Runs on the strategy's scheduler.
    /// - SeeAlso: [Distinct](https://reactivex.io/documentation/operators/distinct.html)
    @preconcurrency @inlinable
    public func distinctUntilChanged(
        _ comparer: @escaping @Sendable (Element, Element) -> Bool
    ) -> SharedSequence<SharingStrategy, Element> {
        SharedSequence(asObservable().distinctUntilChanged(comparer), derivedFrom: asOwnSharedSequence)
    }

    /// Drops elements whose key a closure takes to be the same as that of the element before.
    ///
    /// - Parameters:
    ///   - keySelector: runs once per element, on the strategy's scheduler.
    ///   - comparer: receives the key of the last element that was let through and the new one's, and returns whether to drop
    ///     the new one.
    /// - SeeAlso: [Distinct](https://reactivex.io/documentation/operators/distinct.html)
    @preconcurrency @inlinable
    public func distinctUntilChanged<K>(
        _ keySelector: @escaping @Sendable (Element) -> K, comparer: @escaping @Sendable (K, K) -> Bool
    ) -> SharedSequence<SharingStrategy, Element> {
        SharedSequence(
            asObservable().distinctUntilChanged(keySelector, comparer: comparer), derivedFrom: asOwnSharedSequence)
    }
}

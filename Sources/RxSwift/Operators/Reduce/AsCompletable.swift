// SPDX-License-Identifier: Apache-2.0

extension ObservableType where Element == Never {
    /// The sequence, which has no elements, as a `Completable`.
    @inlinable
    public func asCompletable() -> Completable {
        PrimitiveSequence(raw: asObservable())
    }
}

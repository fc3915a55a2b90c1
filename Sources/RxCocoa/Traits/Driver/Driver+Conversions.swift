// SPDX-License-Identifier: Apache-2.0

public import RxRelay
public import RxSwift

extension ObservableConvertibleType {
    /// The sequence as a driver which sends an element instead of an error, and completes.
    ///
    /// - Parameter onErrorJustReturn: the last element when the source fails.
    @inlinable
    public func asDriver(onErrorJustReturn: Element) -> Driver<Element> {
        asSharedSequence(onErrorJustReturn: onErrorJustReturn)
    }

    /// The sequence as a driver which continues with another driver when it fails.
    ///
    /// - Parameter onErrorDriveWith: the sequence to continue with.
    @inlinable
    public func asDriver(onErrorDriveWith: Driver<Element>) -> Driver<Element> {
        asSharedSequence(onErrorDriveWith: onErrorDriveWith)
    }

    /// The sequence as a driver which continues with another driver, made from the error, when it fails.
    ///
    /// - Parameter onErrorRecover: makes the sequence to continue with, on the main queue.
    @preconcurrency @inlinable
    public func asDriver(
        onErrorRecover: @escaping @Sendable (_ error: any Swift.Error) -> Driver<Element>
    ) -> Driver<Element> {
        asSharedSequence(onErrorRecover: onErrorRecover)
    }
}

extension SharedSequenceConvertibleType where SharingStrategy == DriverSharingStrategy {
    /// The same sequence, which needs no conversion.
    @inlinable
    public func asDriver() -> Driver<Element> { asSharedSequence() }
}

extension InfallibleType {
    /// The sequence as a driver.
    @inlinable
    public func asDriver() -> Driver<Element> {
        SharedSequence(asObservable().observe(on: DriverSharingStrategy.scheduler))
    }
}

extension BehaviorRelay {
    /// The relay as a driver: sends the value it has, and those that follow, on the main queue.
    public func asDriver() -> Driver<Element> {
        SharedSequence(asObservable().observe(on: DriverSharingStrategy.scheduler))
    }
}

// SPDX-License-Identifier: Apache-2.0

public import RxRelay
public import RxSwift

extension ObservableConvertibleType {
    /// The sequence as a signal which sends an element instead of an error, and completes.
    ///
    /// - Parameter onErrorJustReturn: the last element when the source fails.
    @inlinable
    public func asSignal(onErrorJustReturn: Element) -> Signal<Element> {
        asSharedSequence(onErrorJustReturn: onErrorJustReturn)
    }

    /// The sequence as a signal which continues with another signal when it fails.
    ///
    /// - Parameter onErrorSignalWith: the sequence to continue with.
    @inlinable
    public func asSignal(onErrorSignalWith: Signal<Element>) -> Signal<Element> {
        asSharedSequence(onErrorDriveWith: onErrorSignalWith)
    }

    /// The sequence as a signal which continues with another signal, made from the error, when it fails.
    ///
    /// - Parameter onErrorRecover: makes the sequence to continue with, on the main queue.
    @preconcurrency @inlinable
    public func asSignal(
        onErrorRecover: @escaping @Sendable (_ error: any Swift.Error) -> Signal<Element>
    ) -> Signal<Element> {
        asSharedSequence(onErrorRecover: onErrorRecover)
    }
}

extension SharedSequenceConvertibleType where SharingStrategy == SignalSharingStrategy {
    /// The same sequence, which needs no conversion.
    @inlinable
    public func asSignal() -> Signal<Element> { asSharedSequence() }
}

extension PublishRelay {
    /// The relay as a signal: sends the elements it accepts from now on, on the main queue.
    public func asSignal() -> Signal<Element> {
        SharedSequence(asObservable().observe(on: SignalSharingStrategy.scheduler))
    }
}

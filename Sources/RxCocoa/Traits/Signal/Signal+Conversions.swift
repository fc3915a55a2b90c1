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

    /// The sequence as a signal which goes on with another signal when it fails.
    ///
    /// - Parameter onErrorSignalWith: what to go on with.
    @inlinable
    public func asSignal(onErrorSignalWith: Signal<Element>) -> Signal<Element> {
        asSharedSequence(onErrorDriveWith: onErrorSignalWith)
    }

    /// The sequence as a signal which goes on with another signal, made from the error, when it fails.
    ///
    /// - Parameter onErrorRecover: makes what to go on with, on the main queue.
    @preconcurrency @inlinable
    public func asSignal(
        onErrorRecover: @escaping @Sendable (_ error: any Swift.Error) -> Signal<Element>
    ) -> Signal<Element> {
        asSharedSequence(onErrorRecover: onErrorRecover)
    }
}

extension SharedSequenceConvertibleType where SharingStrategy == SignalSharingStrategy {
    /// The sequence itself.
    @inlinable
    public func asSignal() -> Signal<Element> { asSharedSequence() }
}

extension PublishRelay {
    /// The relay as a signal: sends what it accepts from now on, on the main queue.
    public func asSignal() -> Signal<Element> {
        SharedSequence(asObservable().observe(on: SignalSharingStrategy.scheduler))
    }
}

import RxSwift

/// A subscription to the sequence that a user passes to be written.
///
/// It can be disposed of from any thread before `begin` has returned: a source may emit all its elements in there, or never
/// come to an end.
final class InputSubscription<Element>: @unchecked Sendable {
    private let subscription = SubscriptionDisposable()

    /// Subscribes on the calling thread, unless it was disposed of before. To be called once.
    func begin(
        _ source: Observable<Element>, onNext: @escaping (Element) -> Void, onError: @escaping (any Error) -> Void,
        onCompleted: @escaping () -> Void
    ) {
        if subscription.isDisposed { return }
        source.start(
            ClosureSink(onNext: onNext, onError: onError, onCompleted: onCompleted, subscription: subscription))
    }

    func dispose() { subscription.dispose() }
}

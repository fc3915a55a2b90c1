// SPDX-License-Identifier: Apache-2.0

import RxSwift

/// A subscription to the sequence that a user passes to be written.
///
/// It can be disposed of from any thread before `begin` has returned: a source may emit all its elements in there, or never
/// come to an end.
final class InputSubscription<Element>: @unchecked Sendable {
    private let subscription = SubscriptionDisposable()
    private let sources: InputSources

    /// - Parameter sources: the sources that wait for the output, to be resumed when the subscription is disposed of.
    init(pausing sources: InputSources) { self.sources = sources }

    /// Subscribes on the calling thread, unless it was disposed of before. To be called once.
    ///
    /// - Parameter isFull: called in the context of a source that asks: whether the source has to pause. See `PausingSink`.
    func begin(
        _ source: Observable<Element>, onNext: @escaping (Element) -> Void, onError: @escaping (any Error) -> Void,
        onCompleted: @escaping () -> Void, isFull: @escaping (any PausableSource) -> Bool
    ) {
        if subscription.isDisposed { return }
        source.start(
            PausingSink(
                onNext: onNext, onError: onError, onCompleted: onCompleted, isFull: isFull, subscription: subscription))
    }

    func dispose() {
        subscription.dispose()
        sources.resume()
    }
}

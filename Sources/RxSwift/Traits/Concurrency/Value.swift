// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

extension PrimitiveSequenceType where Trait == SingleTrait {
    /// Subscribes, and waits for the element without blocking a thread.
    ///
    /// Throws the error of the single. When the waiting task is cancelled, the subscription is disposed of, and the property throws
    /// `CancellationError`.
    public nonisolated(nonsending) var value: Element {
        get async throws {
            guard let element = try await awaitOutcome(of: primitiveSequence.source) else { throw RxError.noElements }
            return element
        }
    }
}

extension PrimitiveSequenceType where Trait == MaybeTrait {
    /// Subscribes, and waits for the element without blocking a thread; nil if there is none.
    ///
    /// Throws the error of the maybe. When the waiting task is cancelled, the subscription is disposed of, and the property throws
    /// `CancellationError`.
    public nonisolated(nonsending) var value: Element? {
        get async throws { try await awaitOutcome(of: primitiveSequence.source) }
    }
}

extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Never {
    /// Subscribes, and waits for the end without blocking a thread.
    ///
    /// Throws the error of the completable. When the waiting task is cancelled, the subscription is disposed of, and the property
    /// throws `CancellationError`.
    public nonisolated(nonsending) var value: Void {
        get async throws { _ = try await awaitOutcome(of: primitiveSequence.source) }
    }
}

/// Waits for the one element of a sequence, or for its end.
private nonisolated(nonsending) func awaitOutcome<Element>(of source: Observable<Element>) async throws -> Element? {
    // Set when `subscribe` has returned: an event that a source sends inside of it counts, even if the task is cancelled already.
    let subscription = SingleAssignmentDisposable()
    return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
            subscription.setDisposable(AwaitingSink.subscribe(to: source, Resumption(continuation)))
        }
    } onCancel: {
        subscription.dispose()
    }
}

/// The lower end of the chain of a sequence that a task waits for.
private final class AwaitingSink<Element>: Sink<Element> {
    private let resumption: Resumption<Element>
    private let subscription: SubscriptionDisposable

    static func subscribe(to source: Observable<Element>, _ resumption: Resumption<Element>) -> any Disposable {
        let subscription = SubscriptionDisposable { resumption.resume(.failure(CancellationError())) }
        source.start(AwaitingSink(resumption, subscription))
        return subscription
    }

    private init(_ resumption: Resumption<Element>, _ subscription: SubscriptionDisposable) {
        self.resumption = resumption
        self.subscription = subscription
        super.init()
    }

    override func link(_ stage: Stage) { subscription.link(stage) }

    override func next(_ element: Element) {
        if !subscription.isCancelled { resumption.resume(.success(element)) }
    }

    override func error(_ error: any Swift.Error) {
        guard let upstream = subscription.takeUpstream() else { return }
        upstream.quiesce()
        resumption.resume(.failure(error))
        subscription.cancelChain(upstream)
    }

    override func completed() {
        guard let upstream = subscription.takeUpstream() else { return }
        upstream.quiesce()
        resumption.resume(.success(nil))
        subscription.cancelChain(upstream)
    }
}

/// Resumes a continuation once, with the first result: events and cancellation come from different threads.
package final class Resumption<Element> {
    private let continuation: CheckedContinuation<Element?, any Swift.Error>

    /// 1 from the first `resume` on.
    private let isResumed = AtomicWord(0)

    package init(_ continuation: CheckedContinuation<Element?, any Swift.Error>) {
        self.continuation = continuation
    }

    package func resume(_ result: Result<Element?, any Swift.Error>) {
        if isResumed.exchange(1) == 0 { continuation.resume(with: result) }
    }
}

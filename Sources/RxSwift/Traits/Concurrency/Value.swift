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
    let cancellation = AwaitingCancellation()
    return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
            AwaitingSink.subscribe(to: source, Resumption(continuation), cancellation)
        }
    } onCancel: {
        cancellation.cancel()
    }
}

/// Disposes of the subscription of a task that is cancelled.
///
/// A task that is cancelled before it subscribes, or by the source inside `subscribe`, gets an event that the source sends inside of it, as with
/// RxSwift: the subscription is disposed of when `subscribe` has returned. Any other cancellation acts at once: the source may be endless.
private final class AwaitingCancellation: Sendable {
    /// `before`, the identity of the thread that subscribes, `over`, or `postponed`.
    private let state = AtomicWord(AwaitingCancellation.before)
    private let subscription = SingleAssignmentDisposable()

    private static let before: UInt = 0
    private static let over: UInt = 1
    /// The task was cancelled before it subscribed, or by its own thread meanwhile.
    private static let postponed: UInt = 2

    func subscribe(_ subscription: any Disposable, _ start: () -> Void) {
        if state.compareExchange(Self.before, CurrentThread.identity) { self.subscription.setDisposable(subscription) }
        start()
        if state.exchange(Self.over) == Self.postponed { subscription.dispose() }
    }

    func cancel() {
        if state.compareExchange(Self.before, Self.postponed) { return }
        if !state.compareExchange(CurrentThread.identity, Self.postponed) { subscription.dispose() }
    }
}

/// The lower end of the chain of a sequence that a task waits for.
private final class AwaitingSink<Element>: Sink<Element> {
    private let resumption: Resumption<Element>
    private let subscription: SubscriptionDisposable

    static func subscribe(
        to source: Observable<Element>, _ resumption: Resumption<Element>, _ cancellation: AwaitingCancellation
    ) {
        let subscription = SubscriptionDisposable { resumption.resume(.failure(CancellationError())) }
        cancellation.subscribe(subscription) { source.start(AwaitingSink(resumption, subscription)) }
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

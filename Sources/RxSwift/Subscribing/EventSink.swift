// SPDX-License-Identifier: Apache-2.0

/// A rare request of an `EventSink` to its observer.
@frozen
@usableFromInline
package enum EventSinkRequest {
    /// Passes the terminal event on; without an error it is completion. The result is false.
    case stop((any Swift.Error)?)
    /// Passes the question of a source on, if the observer does that, and returns the answer.
    case pauses(any PausableSource)
}

/// The lower end of a chain: passes events, as values, to a user's observer or closure.
@usableFromInline
package final class EventSink<Element>: Sink<Element> {
    private let onNext: (Element) -> Void
    private let onRequest: (EventSinkRequest) -> Bool
    private let subscription: SubscriptionDisposable

    /// - Parameters:
    ///   - onNext: makes a `next` event of an element and passes it on. The caller supplies it, as the type of the elements is known
    ///     there: making an event here would cost a look-up of its metadata for each.
    ///   - onRequest: does everything else. One closure for all of it, as each would be an allocation.
    ///   - subscription: the disposable that the user holds.
    @usableFromInline
    package init(
        onNext: @escaping (Element) -> Void, onRequest: @escaping (EventSinkRequest) -> Bool,
        subscription: SubscriptionDisposable
    ) {
        self.onNext = onNext
        self.onRequest = onRequest
        self.subscription = subscription
        super.init()
    }

    package override func link(_ stage: Stage) { subscription.link(stage) }

    package override func upstreamReleased() { subscription.unlink() }

    package override func next(_ element: Element) {
        if !subscription.isCancelled { onNext(element) }
    }

    package override func error(_ error: any Swift.Error) { finish(error) }

    package override func completed() { finish(nil) }

    package override func error(_ error: any Swift.Error, then after: () -> Void) { finish(error, then: after) }

    package override func completed(then after: () -> Void) { finish(nil, then: after) }

    package override func pauses(_ source: any PausableSource) -> Bool {
        !subscription.isCancelled && onRequest(.pauses(source))
    }

    private func finish(_ error: (any Swift.Error)?) {
        guard let upstream = subscription.takeUpstream() else { return }
        subscription.end(upstream) { _ = onRequest(.stop(error)) }
    }

    private func finish(_ error: (any Swift.Error)?, then after: () -> Void) {
        subscription.end(subscription.takeUpstream(), after: after) { _ = onRequest(.stop(error)) }
    }
}

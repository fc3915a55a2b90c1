// SPDX-License-Identifier: Apache-2.0

/// The lower end of the chain of a `Single` or a `Maybe`, which calls one of its closures, once.
///
/// For the user an element is the end. The sink still waits for the `completed` that follows, so that the stages above see it too.
/// A sequence that breaks the rules of its trait does no harm: a second element, or an error after an element, is ignored.
@usableFromInline
package final class OutcomeSink<Element>: Sink<Element> {
    private let onSuccess: ((Element) -> Void)?
    private let onError: ((any Swift.Error) -> Void)?
    private let onCompleted: (() -> Void)?
    private let requiresElement: Bool
    private let callStack: [String]

    /// Runs the user's `onDisposed`: after the outcome here, or when the subscription is disposed of, on any thread.
    private let end: (any Disposable)?

    /// The disposable that the user holds.
    @usableFromInline package let subscription: SubscriptionDisposable

    /// True if the user has received an element. Only the thread that delivers touches it.
    private var hasElement = false

    /// - Parameters:
    ///   - onSuccess: receives the element.
    ///   - onError: receives the error. Without it, an error goes to `Hooks.defaultErrorHandler`.
    ///   - onCompleted: runs when the sequence completes without an element.
    ///   - onDisposed: runs once, when the subscription has ended.
    ///   - requiresElement: whether completion without an element is an error, `RxError.noElements`.
    @usableFromInline
    package init(
        onSuccess: ((Element) -> Void)?, onError: ((any Swift.Error) -> Void)?, onCompleted: (() -> Void)?,
        onDisposed: (() -> Void)?, requiresElement: Bool
    ) {
        // The code that may call out comes first: after it the arguments are stored without being counted anew.
        self.callStack = onError == nil ? Hooks.captureSubscriptionCallstack() : []
        self.onSuccess = onSuccess
        self.onError = onError
        self.onCompleted = onCompleted
        self.requiresElement = requiresElement
        if let onDisposed {
            let end = AnonymousDisposable(onDisposed)
            self.end = end
            self.subscription = SubscriptionDisposable { end.dispose() }
        } else {
            self.end = nil
            self.subscription = SubscriptionDisposable()
        }
        super.init()
    }

    package override func link(_ stage: Stage) { subscription.link(stage) }

    package override func upstreamReleased() { subscription.unlink() }

    package override func next(_ element: Element) {
        if hasElement || subscription.isCancelled { return }
        hasElement = true
        onSuccess?(element)
        end?.dispose()
    }

    package override func error(_ error: any Swift.Error) {
        guard let upstream = subscription.takeUpstream() else { return }
        subscription.end(upstream) { if !hasElement { report(error) } }
    }

    package override func completed() {
        guard let upstream = subscription.takeUpstream() else { return }
        subscription.end(upstream) { reportCompletion() }
    }

    package override func error(_ error: any Swift.Error, then after: () -> Void) {
        subscription.end(subscription.takeUpstream(), after: after) { if !hasElement { report(error) } }
    }

    package override func completed(then after: () -> Void) {
        subscription.end(subscription.takeUpstream(), after: after) { reportCompletion() }
    }

    private func reportCompletion() {
        if hasElement { return }
        if requiresElement { report(RxError.noElements) } else { onCompleted?() }
    }

    private func report(_ error: any Swift.Error) {
        if let onError {
            onError(error)
        } else {
            Hooks.handleUnhandledError(error, callStack: callStack)
        }
    }
}

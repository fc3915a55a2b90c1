// SPDX-License-Identifier: Apache-2.0

/// The lower end of a chain: passes events to a user's closures.
@usableFromInline
package final class ClosureSink<Element>: Sink<Element> {
    private let onNext: ((Element) -> Void)?
    // Next to `onNext`: an element needs both.
    private let subscription: SubscriptionDisposable
    private let onError: ((any Swift.Error) -> Void)?
    private let onCompleted: (() -> Void)?
    private let callStack: [String]

    @usableFromInline
    package init(
        onNext: ((Element) -> Void)?,
        onError: ((any Swift.Error) -> Void)?,
        onCompleted: (() -> Void)?,
        subscription: SubscriptionDisposable
    ) {
        // The call that may run foreign code comes first: after it the arguments are stored without being counted anew.
        self.callStack = onError == nil ? Hooks.captureSubscriptionCallstack() : []
        self.onNext = onNext
        self.onError = onError
        self.onCompleted = onCompleted
        self.subscription = subscription
        super.init()
    }

    package override func link(_ stage: Stage) { subscription.link(stage) }

    package override func upstreamReleased() { subscription.unlink() }

    package override func next(_ element: Element) {
        if !subscription.isCancelled { onNext?(element) }
    }

    package override func error(_ error: any Swift.Error) {
        guard let upstream = subscription.takeUpstream() else { return }
        subscription.end(upstream) { report(error) }
    }

    package override func completed() {
        guard let upstream = subscription.takeUpstream() else { return }
        subscription.end(upstream) { onCompleted?() }
    }

    package override func error(_ error: any Swift.Error, then after: () -> Void) {
        subscription.end(subscription.takeUpstream(), after: after) { report(error) }
    }

    package override func completed(then after: () -> Void) {
        subscription.end(subscription.takeUpstream(), after: after) { onCompleted?() }
    }

    private func report(_ error: any Swift.Error) {
        if let onError {
            onError(error)
        } else {
            Hooks.handleUnhandledError(error, callStack: callStack)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

/// The lower end of a chain whose elements an output takes: a connection, a pipe or a file. It pauses the sources while the output is full.
package final class PausingSink<Element>: Sink<Element> {
    private let sink: ClosureSink<Element>
    private let subscription: SubscriptionDisposable
    private let isFull: (any PausableSource) -> Bool

    /// - Parameters:
    ///   - isFull: called in the context of a source that asks: tells whether it has to pause, and if so keeps it to resume it later.
    ///   - subscription: the code that disposes of it resumes the sources afterwards.
    package init(
        onNext: @escaping (Element) -> Void, onError: @escaping (any Swift.Error) -> Void,
        onCompleted: @escaping () -> Void,
        isFull: @escaping (any PausableSource) -> Bool, subscription: SubscriptionDisposable
    ) {
        sink = ClosureSink(onNext: onNext, onError: onError, onCompleted: onCompleted, subscription: subscription)
        self.subscription = subscription
        self.isFull = isFull
        super.init()
    }

    package override func pauses(_ source: any PausableSource) -> Bool {
        // The second look is for a disposal that has resumed the waiting sources before this one was among them.
        !subscription.isDisposed && isFull(source) && !subscription.isDisposed
    }

    package override func link(_ stage: Stage) { sink.link(stage) }

    package override func upstreamReleased() { sink.upstreamReleased() }

    package override func next(_ element: Element) { sink.next(element) }

    package override func error(_ error: any Swift.Error) { sink.error(error) }

    package override func completed() { sink.completed() }

    package override func error(_ error: any Swift.Error, then after: () -> Void) { sink.error(error, then: after) }

    package override func completed(then after: () -> Void) { sink.completed(then: after) }
}

/// The lower end of a chain: hands events to a user's observer.
@usableFromInline
package final class ObserverSink<Observer: ObserverType>: Sink<Observer.Element> {
    private let observer: Observer
    private let subscription: SubscriptionDisposable

    @usableFromInline
    package init(observer: Observer, subscription: SubscriptionDisposable) {
        self.observer = observer
        self.subscription = subscription
        super.init()
    }

    package override func link(_ stage: Stage) { subscription.link(stage) }

    package override func next(_ element: Observer.Element) {
        if !subscription.isCancelled { observer.on(.next(element)) }
    }

    package override func error(_ error: any Swift.Error) { finish(.error(error)) }

    package override func completed() { finish(.completed) }

    private func finish(_ event: Event<Observer.Element>) {
        guard let upstream = subscription.takeUpstream() else { return }
        observer.on(event)
        subscription.settle(upstream)
    }
}

/// The lower end of a chain: hands events to a user's closures.
@usableFromInline
package final class ClosureSink<Element>: Sink<Element> {
    private let onNext: ((Element) -> Void)?
    private let onError: ((any Swift.Error) -> Void)?
    private let onCompleted: (() -> Void)?
    private let subscription: SubscriptionDisposable
    private let callStack: [String]

    @usableFromInline
    package init(
        onNext: ((Element) -> Void)?,
        onError: ((any Swift.Error) -> Void)?,
        onCompleted: (() -> Void)?,
        subscription: SubscriptionDisposable
    ) {
        self.onNext = onNext
        self.onError = onError
        self.onCompleted = onCompleted
        self.subscription = subscription
        self.callStack = onError == nil ? Hooks.captureSubscriptionCallstack() : []
        super.init()
    }

    package override func link(_ stage: Stage) { subscription.link(stage) }

    package override func next(_ element: Element) {
        if !subscription.isCancelled { onNext?(element) }
    }

    package override func error(_ error: any Swift.Error) {
        guard let upstream = subscription.takeUpstream() else { return }
        if let onError {
            onError(error)
        } else {
            Hooks.handleUnhandledError(error, callStack: callStack)
        }
        subscription.settle(upstream)
    }

    package override func completed() {
        guard let upstream = subscription.takeUpstream() else { return }
        onCompleted?()
        subscription.settle(upstream)
    }
}

/// The lower end of a chain: hands events to a user's closure for all kinds of events.
@usableFromInline
package final class EventClosureSink<Element>: Sink<Element> {
    private let on: (Event<Element>) -> Void
    private let subscription: SubscriptionDisposable

    @usableFromInline
    package init(on: @escaping (Event<Element>) -> Void, subscription: SubscriptionDisposable) {
        self.on = on
        self.subscription = subscription
        super.init()
    }

    package override func link(_ stage: Stage) { subscription.link(stage) }

    package override func next(_ element: Element) {
        if !subscription.isCancelled { on(.next(element)) }
    }

    package override func error(_ error: any Swift.Error) { finish(.error(error)) }

    package override func completed() { finish(.completed) }

    private func finish(_ event: Event<Element>) {
        guard let upstream = subscription.takeUpstream() else { return }
        on(event)
        subscription.settle(upstream)
    }
}

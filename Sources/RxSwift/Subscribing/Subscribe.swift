// SPDX-License-Identifier: Apache-2.0

extension Observable {
    /// Subscribes an observer.
    ///
    /// - Parameter observer: receives the events `next* (error | completed)?`; calls never overlap and never nest.
    /// - Returns: a disposable that ends the subscription. If it is not disposed of, everything is released at the terminal event.
    @inlinable
    public func subscribe<Observer: ObserverType>(
        _ observer: Observer
    ) -> any Disposable where Observer.Element == Element {
        let subscription = SubscriptionDisposable()
        start(
            EventSink(
                onNext: { observer.on(.next($0)) },
                onRequest: { request in
                    switch request {
                    case .stop(let error):
                        observer.on(Event(stop: error))
                        return false
                    case .pauses(let source): return observer.passOnQuestion(of: source)
                    }
                },
                subscription: subscription))
        subscription.wasHandedOut()
        return subscription
    }

    /// Subscribes on behalf of a binding, which takes no error and ignores completion.
    ///
    /// - Parameters:
    ///   - observers: pass on the questions of sources whether they have to pause.
    ///   - binding: the name of the binding.
    @inlinable
    package final func bind<Observer: PausingObserver>(
        onNext: @escaping (Element) -> Void, pausing observers: [Observer], at binding: StaticString
    ) -> any Disposable {
        let subscription = SubscriptionDisposable()
        start(
            EventSink(
                onNext: onNext,
                onRequest: { request in
                    switch request {
                    case .stop(let error):
                        if let error { reject(error, at: binding) }
                        return false
                    case .pauses(let source): return observers.pauses(source)
                    }
                },
                subscription: subscription))
        subscription.wasHandedOut()
        return subscription
    }

    /// Attaches a sink, on the thread's trampoline if this observable wants it.
    ///
    /// Used for every subscription that is not made while a stage further down is being subscribed to.
    @usableFromInline
    package final func start(_ sink: Sink<Element>) {
        if !startsOnTrampoline || Trampoline.unretained._withUnsafeGuaranteedRef({ $0.isOpen }) {
            subscribeCore(sink)
        } else {
            startOutermost(sink)
        }
    }

    /// The part of `start` that opens the trampoline. It stands apart so that `start` ends in a jump to `subscribeCore` and needs no
    /// stack of its own (law L8).
    @inline(never)
    private final func startOutermost(_ sink: Sink<Element>) {
        Trampoline.unretained._withUnsafeGuaranteedRef { trampoline in trampoline.run { subscribeCore(sink) } }
    }
}

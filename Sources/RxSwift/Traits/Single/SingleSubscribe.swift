extension PrimitiveSequenceType where Trait == SingleTrait {
    /// Receives what a single sends.
    public typealias SingleObserver = (SingleEvent<Element>) -> Void

    /// Subscribes a closure.
    ///
    /// - Parameter observer: receives the element or the error, on the thread that emits it.
    /// - Returns: ends the subscription when disposed of.
    @preconcurrency @inlinable
    public func subscribe(_ observer: @escaping @Sendable (SingleEvent<Element>) -> Void) -> any Disposable {
        subscribe(onSuccess: { observer(.success($0)) }, onFailure: { observer(.failure($0)) })
    }

    /// Subscribes a closure for the element and one for the error.
    ///
    /// - Parameters:
    ///   - onSuccess: receives the element, on the thread that emits it.
    ///   - onFailure: receives the error. Without it, an error goes to `Hooks.defaultErrorHandler`.
    ///   - onDisposed: runs once, after the terminal event or when the subscription is disposed of.
    /// - Returns: ends the subscription when disposed of.
    @preconcurrency @inlinable
    public func subscribe(
        onSuccess: (@Sendable (Element) -> Void)? = nil,
        onFailure: (@Sendable (any Swift.Error) -> Void)? = nil,
        onDisposed: (@Sendable () -> Void)? = nil
    ) -> any Disposable {
        let subscription = SubscriptionDisposable(onDisposed: onDisposed)
        primitiveSequence.source.start(
            SingleClosureSink(onSuccess: onSuccess, onFailure: onFailure, subscription: subscription))
        return subscription
    }

    /// Subscribes closures which are handed an object that is held weakly.
    ///
    /// - Parameters:
    ///   - object: passed to the closures as long as it lives; without it they are not called.
    ///   - onSuccess: receives the element, on the thread that emits it.
    ///   - onFailure: receives the error.
    ///   - onDisposed: runs once, after the terminal event or when the subscription is disposed of.
    /// - Returns: ends the subscription when disposed of.
    @preconcurrency
    public func subscribe<Object: AnyObject>(
        with object: Object,
        onSuccess: (@Sendable (Object, Element) -> Void)? = nil,
        onFailure: (@Sendable (Object, any Swift.Error) -> Void)? = nil,
        onDisposed: (@Sendable (Object) -> Void)? = nil
    ) -> any Disposable {
        nonisolated(unsafe) weak let object = object
        return subscribe(
            onSuccess: { element in if let object { onSuccess?(object, element) } },
            onFailure: { error in if let object { onFailure?(object, error) } },
            onDisposed: { if let object { onDisposed?(object) } })
    }

    /// The form of `subscribe` with the former name of `onFailure`.
    ///
    /// - Parameters:
    ///   - onSuccess: receives the element.
    ///   - onError: receives the error.
    ///   - onDisposed: runs once, when the subscription has ended.
    /// - Returns: ends the subscription when disposed of.
    @preconcurrency
    @available(*, deprecated, renamed: "subscribe(onSuccess:onFailure:onDisposed:)")
    public func subscribe(
        onSuccess: (@Sendable (Element) -> Void)? = nil,
        onError: @escaping @Sendable (any Swift.Error) -> Void,
        onDisposed: (@Sendable () -> Void)? = nil
    ) -> any Disposable {
        subscribe(onSuccess: onSuccess, onFailure: onError, onDisposed: onDisposed)
    }
}

/// The lower end of a single's chain. Calls one of its closures, once.
@usableFromInline
final class SingleClosureSink<Element>: Sink<Element> {
    private let onSuccess: ((Element) -> Void)?
    private let onFailure: ((any Swift.Error) -> Void)?
    private let subscription: SubscriptionDisposable
    private let callStack: [String]
    private var hasElement = false

    @usableFromInline
    init(
        onSuccess: ((Element) -> Void)?, onFailure: ((any Swift.Error) -> Void)?, subscription: SubscriptionDisposable
    ) {
        self.onSuccess = onSuccess
        self.onFailure = onFailure
        self.subscription = subscription
        self.callStack = onFailure == nil ? Hooks.captureSubscriptionCallstack() : []
        super.init()
    }

    override func link(_ stage: Stage) { subscription.link(stage) }

    override func next(_ element: Element) {
        if hasElement || subscription.isCancelled { return }
        hasElement = true
        onSuccess?(element)
    }

    override func error(_ error: any Swift.Error) {
        guard let upstream = subscription.takeUpstream() else { return }
        if !hasElement {
            if let onFailure {
                onFailure(error)
            } else {
                Hooks.handleUnhandledError(error, callStack: callStack)
            }
        }
        subscription.settle(upstream)
    }

    override func completed() {
        guard let upstream = subscription.takeUpstream() else { return }
        assert(hasElement, "Single: the sequence completed without an element")
        subscription.settle(upstream)
    }
}

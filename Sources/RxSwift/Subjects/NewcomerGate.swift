import RxPrimitives

/// Keeps the events for a new subscription back until it was given what the subject remembers.
///
/// The subscribing thread is inside from the start. Once it has left, the next event takes the gate out of the way.
final class NewcomerGate<Element>: Sink<Element> {
    private let loop = DrainLoop(entered: true)
    private let downstream: Sink<Element>
    /// Holds this gate, and is held by whoever calls it: the subscribing thread or the core's list.
    private unowned(unsafe) let subscription: SubjectSubscription

    init(subscription: SubjectSubscription, downstream: Sink<Element>) {
        self.subscription = subscription
        self.downstream = downstream
        super.init()
    }

    deinit {
        if loop.hasPending { drain(delivering: false) }
    }

    // Events come one at a time, from inside the core's loop.
    override func next(_ element: Element) { offer(.next(element)) }
    override func error(_ error: any Swift.Error) { offer(.error(error)) }
    override func completed() { offer(.completed) }

    /// Delivers what was kept back, until there is nothing more. By the subscribing thread, once.
    func open() {
        while !loop.tryLeave() { drain(delivering: true) }
    }

    private func offer(_ event: Event<Element>) {
        let node = EventNode.make(event)
        switch loop.enterOrPush(node) {
        case .entered:
            EventNode<Element>.free(node)
            subscription.bypassGate(to: downstream)
            downstream.on(event)
            _ = loop.tryLeave()
        case .pending, .closed: break
        }
    }

    private func drain(delivering: Bool) {
        var pending = loop.takePending()
        while let node = pending {
            pending = node.pointee.next
            let event = EventNode<Element>.take(node)
            if delivering, !subscription.isCancelled { downstream.on(event) }
        }
    }
}

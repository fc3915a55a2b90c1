import RxPrimitives

/// The lower end of the chain of a stream: keeps the elements until a task asks for them, and pauses its sources meanwhile (law L13).
final class ValuesSink<Element>: Sink<Element>, @unchecked Sendable {
    private let subscription: SubscriptionDisposable
    private let weigh = weigher(of: Element.self, for: "values")

    private let lock = Mutex()
    // The lock protects the following fields.
    private var buffer = ValuesBuffer<Element>()
    /// The tasks that wait for an element, in order.
    private var tasks: [CheckedContinuation<Void, Never>] = []
    private var hasEnded = false

    /// Subscribes to a sequence that does not fail. The owner of the result ends the subscription by `dispose`.
    static func subscribe(to source: Observable<Element>) -> ValuesSink {
        let sink = ValuesSink(subscription: SubscriptionDisposable())
        source.start(sink)
        return sink
    }

    private init(subscription: SubscriptionDisposable) {
        self.subscription = subscription
        super.init()
    }

    /// Ends the subscription. The elements that wait stay.
    func dispose() {
        subscription.dispose()
        end()
    }

    override func link(_ stage: Stage) { subscription.link(stage) }

    override func upstreamReleased() { subscription.unlink() }

    override func next(_ element: Element) {
        if subscription.isCancelled { return }
        let weight = weigh?(element) ?? 0
        lock.lock()
        buffer.append(element, weight: weight)
        let task = tasks.isEmpty ? nil : tasks.removeFirst()
        lock.unlock()
        task?.resume()
    }

    override func error(_ error: any Swift.Error) { completed() }

    override func completed() {
        guard let upstream = subscription.takeUpstream() else { return }
        upstream.quiesce()
        end()
        subscription.settle(upstream)
    }

    private func end() {
        lock.lock()
        hasEnded = true
        let ended = tasks
        tasks = []
        let sources = buffer.takeSources()
        lock.unlock()
        for task in ended { task.resume() }
        sources.resume()
    }

    override func pauses(_ source: any PausableSource) -> Bool {
        let inspected = lock.withLock { hasEnded ? nil : buffer.pause(source) }
        return inspected != nil
    }

    /// Takes the oldest element, and waits until there is one. Returns nil at the end.
    func take() async -> Element? {
        while true {
            switch takeKnown() {
            case .element(let element): return element
            case .end: return nil
            case .nothing: await withCheckedContinuation { wait($0) }
            }
        }
    }

    private enum Taken {
        case element(Element)
        case nothing
        case end
    }

    private func takeKnown() -> Taken {
        lock.lock()
        if buffer.isEmpty {
            defer { lock.unlock() }
            return hasEnded ? .end : .nothing
        }
        let element = buffer.popFirst()
        lock.unlock()
        removed(weigh?(element) ?? 0)
        return .element(element)
    }

    private func removed(_ weight: Int) {
        let sources = lock.withLock { buffer.removed(weight: weight) }
        sources?.resume()
    }

    private func wait(_ task: CheckedContinuation<Void, Never>) {
        lock.lock()
        if buffer.isEmpty, !hasEnded {
            tasks.append(task)
            lock.unlock()
        } else {
            lock.unlock()
            task.resume()
        }
    }
}

/// The owner of a stream's subscription: held by the stream, so that the last copy of the stream ends the subscription.
package final class ValuesSubscription<Element>: @unchecked Sendable {
    private let sink: ValuesSink<Element>

    /// Subscribes to a sequence that does not fail.
    package init(to source: Observable<Element>) { sink = .subscribe(to: source) }

    deinit { sink.dispose() }

    package func take() async -> Element? { await sink.take() }

    /// The closure that ends the subscription, without holding the owner.
    package var disposal: @Sendable () -> Void { { [sink] in sink.dispose() } }
}

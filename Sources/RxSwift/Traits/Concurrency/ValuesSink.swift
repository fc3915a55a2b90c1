import RxPrimitives

/// The lower end of the chain of a stream: keeps the elements until a task asks for them, and pauses its sources meanwhile (law L13).
///
/// It pauses them while 8,192 elements wait, or 1 MiB of what they weigh, until half of that is left.
final class ValuesSink<Element>: Sink<Element>, @unchecked Sendable {
    private let subscription: SubscriptionDisposable
    private let weigh = weigher(of: Element.self, for: "values")

    private let lock = Mutex()
    // The lock protects the following fields.
    private var elements = OverflowBuffer<Element>(OverflowPolicy(.suspend, buffer: 8_192, operatorName: "values"))
    /// The weight of the elements that wait, in bytes.
    private var weight = 0
    /// The sources that wait until the elements have become few.
    private var waiting = WaitingSources()
    /// The tasks that wait for an element, in order.
    private var tasks: [CheckedContinuation<Void, Never>] = []
    private var hasEnded = false

    private static var greatestWeight: Int { 1 << 20 }

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
        let added = weigh?(element) ?? 0
        lock.lock()
        _ = elements.offer(element)
        weight += added
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
        let sources = waiting.takeAll()
        lock.unlock()
        for task in ended { task.resume() }
        sources.resume()
    }

    override func pauses(_ source: any PausableSource) -> Bool {
        let inspected = lock.withLock { hasEnded || !isFull ? nil : waiting.add(source) }
        return inspected != nil
    }

    /// True if sources have to pause. The caller holds the lock.
    private var isFull: Bool {
        let isAwaited = !waiting.isEmpty
        return elements.mustPause(isAwaited: isAwaited)
            || weight >= (isAwaited ? ValuesSink.greatestWeight / 2 + 1 : ValuesSink.greatestWeight)
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
        if elements.isEmpty {
            defer { lock.unlock() }
            return hasEnded ? .end : .nothing
        }
        let element = elements.popFirst()
        lock.unlock()
        let removed = weigh?(element) ?? 0
        lock.lock()
        weight -= removed
        if waiting.isEmpty || isFull {
            lock.unlock()
        } else {
            let sources = waiting.takeAll()
            lock.unlock()
            sources.resume()
        }
        return .element(element)
    }

    private func wait(_ task: CheckedContinuation<Void, Never>) {
        lock.lock()
        if elements.isEmpty, !hasEnded {
            tasks.append(task)
            lock.unlock()
        } else {
            lock.unlock()
            task.resume()
        }
    }
}

/// The owner of a stream's subscription: held by the stream, so that the last copy of the stream ends the subscription.
final class ValuesSubscription<Element>: @unchecked Sendable {
    private let sink: ValuesSink<Element>

    init(to source: Observable<Element>) { sink = .subscribe(to: source) }

    deinit { sink.dispose() }

    func take() async -> Element? { await sink.take() }

    /// The closure that ends the subscription, without holding the owner.
    var disposal: @Sendable () -> Void { { [sink] in sink.dispose() } }
}

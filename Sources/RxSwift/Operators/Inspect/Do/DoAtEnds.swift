import RxPrimitives

/// The part of `do` that runs closures at the start and at the end of a subscription.
///
/// Stands above the parts that run closures at events, so that those have run when a terminal event has come back from below.
@usableFromInline
final class DoAtEnds<Element>: Observable<Element> {
    private let source: Observable<Element>
    private let onSubscribe: (() -> Void)?
    private let onSubscribed: (() -> Void)?
    private let onDispose: (() -> Void)?

    @usableFromInline
    init(
        source: Observable<Element>, onSubscribe: (() -> Void)?, onSubscribed: (() -> Void)?, onDispose: (() -> Void)?
    ) {
        self.source = source
        self.onSubscribe = onSubscribe
        self.onSubscribed = onSubscribed
        self.onDispose = onDispose
        super.init()
    }

    override func attach(_ downstream: Sink<Element>) {
        onSubscribe?()
        guard let onDispose else {
            source.attach(downstream)
            onSubscribed?()
            return
        }
        let sink = OnDisposeSink(onDispose: onDispose, downstream: downstream)
        sink.anchor()
        source.attach(sink)
        onSubscribed?()
        sink.leave()
    }
}

/// Runs a closure when the subscription has ended, but not before the visitors have left: the thread that attaches the source and,
/// where the program's own observer stands right below, the thread that delivers the terminal event. Any other stage below ends the
/// subscription as soon as it has the terminal event, before the closures of `do` that come after that event (law L11).
final class OnDisposeSink<Element>: AnchoredSink<Element, Element> {
    private let onDispose: () -> Void

    /// How many visitors are inside, times two; plus `ended` once the subscription has ended, which is never unset.
    ///
    /// The thread that brings it to `ended`, by ending the subscription without visitors or by leaving as the last one, runs the
    /// closure. No visitor enters after that.
    private let state = AtomicWord(OnDisposeSink.visitor)

    private static var ended: UInt { 1 }
    private static var visitor: UInt { 2 }

    init(onDispose: @escaping () -> Void, downstream: Sink<Element>) {
        self.onDispose = onDispose
        super.init(downstream: downstream)
    }

    private func enter() -> Bool {
        while true {
            let before = state.loadRelaxed()
            if before == Self.ended { return false }
            if state.compareExchange(before, before + Self.visitor) { return true }
        }
    }

    fileprivate func leave() {
        if state.fetchAdd(0 &- Self.visitor) == Self.visitor + Self.ended { onDispose() }
    }

    override func next(_ element: Element) { downstream.next(element) }

    override func error(_ error: any Swift.Error) {
        guard downstream.isFinal else { return super.error(error) }
        guard enter() else { return }
        super.error(error)
        leave()
    }

    override func completed() {
        guard downstream.isFinal else { return super.completed() }
        guard enter() else { return }
        super.completed()
        leave()
    }

    override func cancel() {
        guard let upstream = takeUpstream() else { return }
        upstream.take()?.cancel()
        if state.fetchAdd(Self.ended) == 0 { onDispose() }
    }
}

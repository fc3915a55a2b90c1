// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// The part of `do` that runs closures at the start and at the end of a subscription.
///
/// Stands above the parts that run closures at events, so that those have run when a terminal event has come back from below.
@usableFromInline
final class DoOnLifecycle<Element>: Observable<Element>, @unchecked Sendable {
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

    override func subscribeCore(_ downstream: Sink<Element>) {
        onSubscribe?()
        guard let onDispose else {
            source.subscribeCoreAboveOperator(downstream)
            onSubscribed?()
            return
        }
        let sink = DoOnLifecycleSink(onDispose: onDispose, downstream: downstream)
        sink.linkToDownstream()
        source.subscribeCoreAboveOperator(sink)
        onSubscribed?()
        sink.leave()
    }
}

/// Runs a closure when the subscription has ended, but not before the source was subscribed to (law L11).
final class DoOnLifecycleSink<Element>: LifecycleSink<Element, Element> {
    private let onDispose: () -> Void

    /// `subscribing`, until the thread that subscribes the source has left; plus `ended` once the subscription has ended, which is never
    /// unset. The thread that comes second runs the closure.
    private let state = AtomicWord(DoOnLifecycleSink.subscribing)

    private static var ended: UInt { 1 }
    private static var subscribing: UInt { 2 }

    init(onDispose: @escaping () -> Void, downstream: Sink<Element>) {
        self.onDispose = onDispose
        super.init(downstream: downstream)
    }

    fileprivate func leave() {
        if state.fetchAdd(0 &- Self.subscribing) == Self.subscribing + Self.ended { onDispose() }
    }

    override func next(_ element: Element) { downstream.next(element) }

    override func cancel() {
        guard let upstream = takeUpstream() else { return }
        upstream.take()?.cancel()
        if state.fetchAdd(Self.ended) == 0 { onDispose() }
    }
}

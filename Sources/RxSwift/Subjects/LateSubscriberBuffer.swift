// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// Holds back the events for a new subscription until it was given the elements that the subject replays.
///
/// The subscribing thread is the drainer from the start. Once it has left, the next event takes the buffer out of the way.
final class LateSubscriberBuffer<Element>: Sink<Element>, SerializerTarget {
    private let serializer = Serializer(entered: true)
    private let downstream: Sink<Element>
    /// Holds this buffer until it releases its downstream, which cuts the circle.
    private let subscription: SubjectSubscription

    var operatorName: StaticString { "replay to a late subscriber" }

    var elementsWeigh: Bool { isWeighted(Element.self) }

    init(subscription: SubjectSubscription, downstream: Sink<Element>) {
        self.subscription = subscription
        self.downstream = downstream
        super.init()
    }

    deinit {
        if serializer.hasPending { serializer.discardPending(AnySerializerTarget(self)) }
    }

    // Events come one at a time, from the drainer of the subject.

    override func pauses(_ source: any PausableSource) -> Bool {
        serializer.pauses(source, for: AnySerializerTarget(self))
    }

    func downstreamPauses(_ source: any PausableSource) -> Bool { downstream.pauses(source) }

    override func next(_ element: Element) {
        if serializer.tryEnter() {
            subscription.bypassBuffer(to: downstream)
            downstream.next(element)
            leave()
        } else {
            enqueue(element)
        }
    }

    override func error(_ error: any Swift.Error) { submit(EventNode.make(stop: .error(error))) }
    override func completed() { submit(EventNode.make(stop: .completed)) }

    /// Delivers the events held back; the subscribing thread calls this once.
    func open() { leave() }

    private func leave() {
        if !serializer.tryLeave() { serializer.finishLeaving(AnySerializerTarget(self)) }
    }

    @inline(never)
    private func enqueue(_ element: Element) { submit(EventNode.make(element)) }

    private func submit(_ node: UnsafeMutablePointer<DrainNode>) {
        serializer.submit(node, to: AnySerializerTarget(self))
    }

    // MARK: SerializerTarget

    func run(_ node: UnsafeMutablePointer<DrainNode>) {
        if subscription.isCancelled { return discard(node) }
        switch EventNode.takeStop(node) {
        case .element: downstream.next(EventNode.takeElement(node, Element.self))
        case .error(let error): downstream.error(error)
        case .completed: downstream.completed()
        }
    }

    func discard(_ node: UnsafeMutablePointer<DrainNode>) { EventNode.free(node, Element.self) }

    func drainAsDeputy() { serializer.drainAsDeputy(AnySerializerTarget(self)) }
}

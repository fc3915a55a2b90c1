// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// The source of `create` of a `Single` or a `Maybe`: a closure of the user's receives each subscriber, and tells it one outcome.
@usableFromInline
package final class OutcomeSource<Element>: Observable<Element>, @unchecked Sendable {
    private let subscribe: (OutcomeObserver<Element>) -> any Disposable

    @usableFromInline
    package init(_ subscribe: @escaping (OutcomeObserver<Element>) -> any Disposable) {
        self.subscribe = subscribe
        super.init()
    }

    @usableFromInline
    package override func subscribeCore(_ downstream: Sink<Element>) {
        let sink = OutcomeObserver(downstream: downstream)
        sink.linkDownstream()
        let disposable = subscribe(sink)
        sink.link(DisposableStage(disposable))
    }
}

/// Lets one outcome through, that of the first thread to bring one.
///
/// An element and the `completed` after it are two events, between which another thread, or the observer from inside its
/// callback, could place an element of its own. So the outcome is decided before the first of them.
@usableFromInline
package final class OutcomeObserver<Element>: SerializedSink<Element> {
    /// 0: undecided. 1: a thread has brought the outcome; never unset.
    private let decided = AtomicWord(0)

    package override var operatorName: StaticString { "create" }

    /// Decides that the sequence has this element, and nothing else.
    @usableFromInline
    package func succeed(_ element: Element) {
        guard decide(isTerminal: false) else { return }
        next(element)
        completed()
    }

    /// Decides that the sequence has no element, and fails.
    @usableFromInline
    package func fail(_ error: any Swift.Error) {
        if decide(isTerminal: true) { self.error(error) }
    }

    /// Decides that the sequence has no element.
    @usableFromInline
    package func finish() {
        if decide(isTerminal: true) { completed() }
    }

    /// Returns whether the caller is the first. The outcomes of all others are dropped.
    private func decide(isTerminal: Bool) -> Bool {
        if decided.exchange(1) == 0 { return true }
        Contract.eventDropped(isTerminal, at: operatorName, cancelled: isCancelled)
        return false
    }
}

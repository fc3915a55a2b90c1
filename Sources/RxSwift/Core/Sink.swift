// SPDX-License-Identifier: Apache-2.0

/// The part of a sink that does not depend on the type of its elements.
@usableFromInline
package class AnySink: Stage {
    /// Receives the error that ended the sequence.
    @usableFromInline
    package func error(_ error: any Swift.Error) { abstractMethod() }

    /// Receives the end of the sequence.
    @usableFromInline
    package func completed() { abstractMethod() }

    /// Receives the error that ended the sequence, and then runs `after`.
    ///
    /// - Parameter after: runs after the event. The program's own observer, and an operator that keeps the event for later, run it
    ///   before they cancel the source: in RxSwift the operator above does that.
    package func error(_ error: any Swift.Error, then after: () -> Void) {
        self.error(error)
        after()
    }

    /// Receives the end of the sequence, and then runs `after`. See `error(_:then:)`.
    package func completed(then after: () -> Void) {
        completed()
        after()
    }

    /// Tells that the source was released without a terminal event: it will never send anything. Called like an event, at most once.
    ///
    /// For the user nothing ends. A chain in which no producer can emit any more is taken apart, so that it does not keep itself
    /// alive after the user released it. So a stage forwards this call only if it emits nothing but in answer to its one source and
    /// does not tell the user that it was cancelled; all other stages ignore it.
    @usableFromInline
    package func upstreamReleased() {}

    /// Tells that a source above goes on, maybe without an end: it begins anew, or has sent some more elements in a loop.
    ///
    /// Called from the source's thread, not from inside an event. A stage that no subscriber wants any more, but that waits for the thread which the source
    /// keeps, notices this where no elements come down to it: `subscribe(on:)`, or a connection without subscribers. So each stage forwards this
    /// call, where that needs no waiting: it may be lost, as it comes over and over.
    @usableFromInline
    package func upstreamGoesOn() {}

    /// Tells whether the stages from this one on want `source`, one of those above, to pause (law L13). If so, they call its `resume` later.
    ///
    /// From the source's thread, not from inside an event. Takes no more than a few instructions per stage; runs no code of the user.
    ///
    /// This implementation is for a stage that stops the question: the source is not paused on account of what is below.
    package func pauses(_ source: any PausableSource) -> Bool { false }

    /// The next stage from this one on that ends the sequence behind an element by itself, and knows it at once, as `take(_:)` does. Nil if there is
    /// none, or if other stages lie between than those that pass an element on within `next`.
    ///
    /// For a source that keeps what no stage takes: the user may dispose of the subscription at that element on another thread, and the end, which the
    /// stages would quiesce the source with, then goes nowhere.
    package var endingStage: AnySink? { nil }

    /// True once an `endingStage` has passed its last element on. Asked by the thread that sends it elements.
    package var wantsNoMore: Bool { false }

    @inlinable
    package override init() { super.init() }
}

/// Receives the events of one subscription at one stage.
///
/// Calls never overlap and never nest (laws L2 and L3): the serialized boundaries ensure this, so a stage
/// between two of them keeps its state in plain fields. Nothing follows a terminal event from the same upstream.
///
/// Subclasses keep the body of `next` free of other generic types: naming one (`Event<Element>`, say) costs a look-up of
/// its metadata per call, some 60 ns, also on a path that is not taken. Such code goes to a method of its own that is not inlined.
@usableFromInline
package class Sink<Element>: AnySink {
    /// Receives an element of the sequence.
    @usableFromInline
    package func next(_ element: Element) { abstractMethod() }

    @inlinable
    package override init() { super.init() }

    /// Receives one event as a value.
    @inlinable
    package final func on(_ event: Event<Element>) {
        switch event {
        case .next(let element): next(element)
        case .error(let error): self.error(error)
        case .completed: completed()
        }
    }
}

/// A sink which forwards events to one downstream and can be cancelled only from there.
///
/// It has no cancellation of its own: each cancellation begins further down and passes through it. So its link needs no
/// atomic read-modify-write.
@usableFromInline
package class LinearSink<Element, Output>: Sink<Element> {
    @usableFromInline package final let downstream: Sink<Output>

    @inlinable
    package init(downstream: Sink<Output>) {
        self.downstream = downstream
        super.init()
    }

    @usableFromInline
    package override func link(_ stage: Stage) {
        // Relaxed: no thread can reach this stage before the downstream is linked to it, which publishes this store.
        upstream.storeRelaxed(UInt(bitPattern: Unmanaged.passRetained(stage).toOpaque()))
        downstream.link(self)
    }

    @usableFromInline
    package override func cancel() {
        // Relaxed: only the thread that took the downstream's link calls this.
        let word = upstream.loadRelaxed()
        upstream.storeRelaxed(Stage.cancelled)
        Upstream(word: word).take()?.cancel()
    }

    package override func quiesce() -> UInt {
        // Relaxed: only the thread that took the downstream's link, or keeps it from being taken, calls this.
        let word = upstream.loadRelaxed()
        guard word > Stage.maxTag, word & Stage.quiesced == 0 else { return 0 }
        upstream.storeRelaxed(word | Stage.quiesced)
        return word
    }

    package override func abandonSubscription() -> UInt {
        // Relaxed: as above.
        upstream.loadRelaxed()
    }

    // Not quiesced itself: an element of a source that does not stop may yet tell the stage below that it goes on.
    package override func quiesceLoop() -> UInt { upstream.loadRelaxed() }

    package override func findShare(_ share: inout Stage?) -> UInt { upstream.loadRelaxed() }

    @usableFromInline
    package override func error(_ error: any Swift.Error) {
        // If cancelled, this stage has ended, and so does a source that does not know it yet.
        if !isCancelled { downstream.error(error) }
    }

    @usableFromInline
    package override func completed() {
        if !isCancelled { downstream.completed() }
    }

    @usableFromInline
    package override func upstreamReleased() { downstream.upstreamReleased() }

    @usableFromInline
    package override func upstreamGoesOn() { downstream.upstreamGoesOn() }

    package override func pauses(_ source: any PausableSource) -> Bool { downstream.pauses(source) }

    /// Ends the subscription with the error that a user's closure threw, unless the closure itself disposed of the subscription.
    @inlinable
    package final func fail(_ error: any Swift.Error) {
        if !isCancelled { downstream.error(error) }
    }
}

@usableFromInline
package func abstractMethod(file: StaticString = #file, line: UInt = #line) -> Never {
    fatalError("swift-rx: a subclass has to implement this method", file: file, line: line)
}

// SPDX-License-Identifier: Apache-2.0

import Glibc
import RxPrimitives
import RxSwift

/// A source whose events come from an event loop: one for each subscription. Emits on the loop thread.
///
/// A subclass that can pause asks `mustPause` before it submits an operation, and overrides `continueReading`. While the source is paused it has no
/// operation and no timer. The loop thread calls `begin` and `end` once each: `begin` when it comes to the source, `end` after the terminal event, a
/// dispose or the loop's end.
class LoopSource<Element>: Source, PausableSource, LoopDependent {
    final let loop: EventLoop

    /// The sink, until the end. Only the loop thread uses it, except for a source that never began.
    @exclusivity(unchecked) private final var heldDownstream = Held<Sink<Element>>()
    /// See `endingStage`; held by the stages below.
    private final let endsBelow: Unmanaged<AnySink>?
    /// The calls to the sink that are under way: they are lent it. What lets go of it meanwhile puts it into `leftDownstream`.
    @exclusivity(unchecked) private final var calls = 0
    @exclusivity(unchecked) private final var leftDownstream: Sink<Element>?

    /// 1 from `quiesce` or `stop` on, when nothing is emitted any more.
    private final let isStopped = AtomicWord(0)

    /// True between `begin` and `end`; used by the loop thread only.
    @exclusivity(unchecked) final private(set) var isRunning = false

    /// True within a `subscribe` on the loop thread that begins at once; used by the loop thread only.
    @exclusivity(unchecked) private final var isSubscribing = false

    private final let pauseState = PauseState()
    /// True from a pause until `continueReading`; used by the loop thread only.
    @exclusivity(unchecked) private final var isPaused = false

    init(loop: EventLoop, downstream: Sink<Element>) {
        self.loop = loop
        heldDownstream.hold(downstream)
        endsBelow = downstream.endingStage.map { .passUnretained($0) }
    }

    /// Opens the input of the source, and submits the first operations. Called on the loop thread.
    func begin() { fatalError("swift-rx: a subclass has to implement this method") }

    /// Cancels the operations in flight, and closes. Called on the loop thread.
    func end() { fatalError("swift-rx: a subclass has to implement this method") }

    /// Does what a subscription does even if it is disposed of at once. Called on the loop thread in place of `begin` and `end`, when the source was
    /// disposed of before the loop has come to it.
    func wasDisposedUnbegun() {}

    /// Does what a subscription does even if the loop has ended. Called on any thread in place of `begin` and `end`, before the subscriber is told.
    func wasRejected() {}

    /// Subscribes to the sequence to be written, if that has to happen on the subscribing thread. The loop begins meanwhile.
    func subscribeToInput() {}

    /// Asks `mustPause` again, and submits the next operation unless one is in flight. Called on the loop thread, not from inside an event.
    func continueReading() {}

    /// Tells the source that its subscription was disposed of.
    ///
    /// Called on any thread, before the loop comes to `end`: a source that occupies the loop thread would never let it get
    /// there.
    func wasStopped() {}

    /// The subject of the source's errors; called on any thread.
    var subject: String { "" }

    final func start() {
        let beginsAtOnce = loop.isDirect
        if beginsAtOnce { isSubscribing = true }
        defer { if beginsAtOnce { isSubscribing = false } }
        loop.perform(beginUnlessStopped, holdsEvents: isRejectedEarly, rejected: reject)
        subscribeToInput()
        loop.slowDownIfBehind()
    }

    private final func beginUnlessStopped() {
        if isStopped.loadRelaxed() != 0 {
            wasDisposedUnbegun()
            return releaseDownstream()
        }
        guard loop.add(self) else { return reject() }
        isRunning = true
        begin()
    }

    final func quiesce() { isStopped.storeRelaxed(1) }

    final func stop() {
        // Releasing: the loop thread, which reads the word, is notified by the work submitted below.
        isStopped.storeReleasing(1)
        wasStopped()
        loop.perform(finish)
    }

    /// See `LoopDependent`.
    func drain() -> Bool { false }

    /// See `LoopDependent`. A sequence without elements tells the outcome of an output.
    var isInput: Bool { Element.self != Never.self }

    /// See `LoopDependent`.
    var awaitsOutput: Bool { false }

    func loopEnded() {
        guard isRunning else { return }
        isRunning = false
        end()
        terminateDownstream(with: IOError(code: ECANCELED, operation: "event loop shut down", subject: subject))
    }

    /// True if a loop that ends rejects this source, where it has not begun, before the outputs have sent what they had accepted.
    var isRejectedEarly: Bool { isInput }

    // MARK: For subclasses, on the loop

    /// Tells whether `emit` passes elements on. Out of date as soon as it is read.
    final var isWanted: Bool { isStopped.loadRelaxed() == 0 }

    final func emit(_ element: Element) {
        guard isStopped.loadRelaxed() == 0, let downstream = heldDownstream.lent else { return }
        calls += 1
        downstream._withUnsafeGuaranteedRef { $0.next(element) }
        if let endsBelow, endsBelow._withUnsafeGuaranteedRef({ $0.wantsNoMore }) { quiesce() }
        callEnded()
    }

    @inline(__always)
    private final func callEnded() {
        calls -= 1
        if calls == 0, leftDownstream != nil { leftDownstream = nil }
    }

    /// Ends with an error that the system reported.
    final func fail(_ operation: String, _ code: CInt) {
        fail(with: IOError(code: code, operation: operation, subject: subject))
    }

    final func fail(with error: any Swift.Error) { terminate(with: error) }

    final func complete() { terminate(with: nil) }

    private final func terminate(with error: (any Swift.Error)?) {
        guard isRunning else { return }
        finishRunning()
        if !isSubscribing { return terminateDownstream(with: error) }
        // Not within `subscribe`: with an unlimited `retry`, or an endless `concat`, that call would never return, and keep the loop thread.
        loop.submit(holdsEvents: isInput) {
            self.terminateDownstream(with: error)
        } rejected: {
            self.rejectEnd(error)
            return false
        }
    }

    /// Runs `body`, which handles an event of an input, on the loop if the source is running then; called on any thread.
    final func whileRunning(_ body: @escaping () -> Void) {
        let body = { if self.isRunning { body() } }
        // At the end of the loop, an input tells this source that it ends.
        if loop.isClosed, loop.isCurrent { return body() }
        loop.perform(body, holdsEvents: true) { _ = self.loop.tellOfLoss(body) }
    }

    // MARK: Pausing

    /// Asks the stages below whether they want the source to pause. After the answer true, `continueReading` is called later, unless the source has
    /// ended: the question may deliver events that were waiting below, which may end this source.
    ///
    /// Not from inside an event. Called again during a pause, by a source with several inputs, it asks no further question.
    final func mustPause() -> Bool {
        if isPaused { return true }
        guard let downstream = heldDownstream.lent else { return false }
        pauseState.willAsk()
        calls += 1
        isPaused = downstream._withUnsafeGuaranteedRef { $0.pauses(self) } && pauseState.pause()
        callEnded()
        return isPaused || !isRunning
    }

    final func resume() {
        guard pauseState.resume() else { return }
        // Never at once: the caller may be inside an event of this source.
        loop.queue.submitExpress {
            self.isPaused = false
            if self.isRunning { self.continueReading() }
        }
    }

    // MARK: Ending

    private final func finish() {
        if isRunning { finishRunning() }
        releaseDownstream()
    }

    private final func finishRunning() {
        isRunning = false
        loop.remove(self)
        end()
    }

    /// Ends with an error, since the loop takes no more work.
    ///
    /// The downstream is not told within the call that found this out: with an unlimited `retry` that call, be it a `subscribe`
    /// or the end of the loop, would never return. Before outputs end, the loop tells it once.
    private final func reject() {
        wasRejected()
        let outcome = knownOutcome
        // The text of the error is made where it is told: behind a flood, the loop has many to reject.
        rejectEnd(outcome ?? self.loop.closedError(subject: self.subject))
    }

    private final func rejectEnd(_ error: @escaping @autoclosure () -> (any Swift.Error)?) {
        if loop.tellOfLoss({ terminateDownstream(with: error()) }) { return }
        loop.performElsewhere { self.terminateDownstream(with: error()) }
    }

    /// The error with which a source ends that the loop has rejected, or nil if it completes; nil if it ends since the loop is closed.
    var knownOutcome: IOError?? { nil }

    private final func terminateDownstream(with error: (any Swift.Error)?) {
        guard let downstream = heldDownstream.object else { return }
        releaseDownstream()
        if isStopped.loadRelaxed() != 0 { return }
        if let error { downstream.error(error) } else { downstream.completed() }
    }

    private final func releaseDownstream() {
        if calls > 0, let left = heldDownstream.object { leftDownstream = left }
        heldDownstream.release()
    }
}

extension IOUringScheduler {
    /// A sequence whose source lives on this loop.
    ///
    /// - Parameter subject: what it reads, for the errors of `lines` and `frames`.
    func observable<Element>(
        of subject: String? = nil, _ makeSource: @escaping (Sink<Element>) -> LoopSource<Element>
    ) -> Observable<Element> {
        SourceObservable(
            subject: subject, nameIfHeldByCaller: { self.isCurrent ? "the event loop \(self.name)" : nil },
            makeSource: makeSource)
    }
}

// SPDX-License-Identifier: Apache-2.0

import RxSwift

/// Queues one piece of output, and waits for its outcome.
///
/// It is queued on the subscribing thread: it counts against the limit of its queue at once, and the order of the calls is the order of the output. Its
/// outcome may come before the loop has begun this source.
class QueuedWriteSource: LoopSource<Never>, WriteWaiter {
    /// The connection or file, which stays open until the outcome comes. Used by the loop thread only.
    @exclusivity(unchecked) private var target: AnyObject?
    /// The outcome, if it came before `begin`. Used by the loop thread only.
    @exclusivity(unchecked) private var outcome: IOError??

    init(target: AnyObject, loop: EventLoop, downstream: Sink<Never>) {
        self.target = target
        super.init(loop: loop, downstream: downstream)
    }

    /// Queues the output with this source as its waiter. Returns an error if it was rejected. Called once, on the subscribing thread.
    func enqueue() -> IOError? { fatalError("swift-rx: a subclass has to implement this method") }

    /// Has the queue reject from now on what it has not accepted, since the loop has ended. Called on any thread.
    func rejectOutput() { fatalError("swift-rx: a subclass has to implement this method") }

    final override func subscribeToInput() {
        // The loop has rejected this source, or will, or ends it. What is sent later must not follow what was sent before.
        if loop.isClosed { return rejectOutput() }
        if let rejection = enqueue() { whileRunning { self.fail(with: rejection) } }
    }

    override func begin() {
        if let outcome { finish(outcome) }
    }

    /// The end of the loop sends what was queued before.
    final override var knownOutcome: IOError?? { outcome }

    final override var awaitsOutput: Bool { true }

    override func end() { releaseTarget() }

    /// The output stays queued, but a target that accepts nothing must not be kept open for it.
    final override func wasDisposedUnbegun() { releaseTarget() }

    private final func releaseTarget() {
        let released = target
        target = nil
        withExtendedLifetime(released) {}
    }

    final func writeEnded(_ error: IOError?) {
        if isRunning { finish(error) } else { outcome = .some(error) }
    }

    private final func finish(_ error: IOError?) {
        if let error { fail(with: error) } else { complete() }
    }
}

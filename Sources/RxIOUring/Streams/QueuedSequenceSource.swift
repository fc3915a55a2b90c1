// SPDX-License-Identifier: Apache-2.0

import RxPrimitives
import RxSwift

/// Queues the elements of a sequence, and waits until the output has taken them.
///
/// A subclass names the queue, and tells when the output fails.
class QueuedSequenceSource: LoopSource<Never>, WriteWaiter, @unchecked Sendable {
    /// The connection or file, which stays open until the output has taken everything. Used by the loop thread only.
    @exclusivity(unchecked) private var target: AnyObject?
    private let source: Observable<ByteChunk>
    private let sources = InputSources()
    private let input: InputSubscription<ByteChunk>
    /// Used in the context of the input.
    @exclusivity(unchecked) private var record = InputRecord()
    /// True once bytes were rejected; used by the source's events, which are serial.
    @exclusivity(unchecked) private var wasRejected = false
    /// 1 once the source has completed; used from any thread.
    private let inputCompletion = AtomicWord(0)

    init(target: AnyObject, source: Observable<ByteChunk>, loop: EventLoop, downstream: Sink<Never>) {
        self.target = target
        self.source = source
        input = InputSubscription(pausing: sources)
        super.init(loop: loop, downstream: downstream)
    }

    /// Queues bytes, which `waiter` follows. Returns an error if they were rejected. Called on any thread.
    ///
    func enqueue(_ bytes: ByteChunk, _ waiter: (any WriteWaiter)?, beyondLimit tolerance: OutputTolerance) -> IOError? {
        fatalError("swift-rx: a subclass has to implement this method")
    }

    /// The memory in bytes that the queue takes of sources which do not pause.
    var limit: Int { fatalError("swift-rx: a subclass has to implement this method") }

    /// Has the queue reject from now on what it has not accepted, since the loop has ended. Called on any thread.
    func rejectOutput() { fatalError("swift-rx: a subclass has to implement this method") }

    /// Tells whether the queue wants `source` to pause; if so, the queue resumes it later. Called in the context of the input.
    func isQueueFull(_ source: any PausableSource) -> Bool {
        fatalError("swift-rx: a subclass has to implement this method")
    }

    /// Begins to watch the output, and fails if it has failed. Called on the loop thread.
    func watchOutput() { fatalError("swift-rx: a subclass has to implement this method") }

    /// Ends what `watchOutput` has begun. Called on the loop thread.
    func unwatchOutput() { fatalError("swift-rx: a subclass has to implement this method") }

    /// Handles that the source has failed, and the rest of what it was to emit is missing. Called on the loop thread.
    func sourceFailed(_ error: any Error) {}

    /// Handles that the source has emitted bytes which the output does not take any more. Called in the context of the source.
    func elementRejected(_ error: IOError) {}

    /// True once the source has completed; on any thread.
    final var hasInputCompleted: Bool { inputCompletion.loadRelaxed() != 0 }

    final override func subscribeToInput() {
        // The loop has rejected this source, or will, or ends it. What is sent later must not follow what was sent before.
        if loop.isClosed { rejectOutput() }
    }

    final override func begin() {
        watchOutput()
        guard isRunning else { return }
        input.begin(
            source, onNext: { [self] bytes in if !bytes.isEmpty { add(bytes, nil) } },
            onError: { [self] error in
                whileRunning {
                    self.sourceFailed(error)
                    self.fail(with: error)
                }
            },
            onCompleted: { [self] in
                _ = inputCompletion.exchange(1)
                // The waiter is queued with an empty chunk, after all other chunks.
                add(ByteChunk(EmptyCollection()), self)
            },
            isFull: { [self] in isFull($0) })
    }

    final override var awaitsOutput: Bool { hasInputCompleted }

    final override func wasStopped() { input.dispose() }

    final override func end() {
        unwatchOutput()
        input.dispose()
        let released = target
        target = nil
        withExtendedLifetime(released) {}
    }

    final func writeEnded(_ error: IOError?) {
        if let error { fail(with: error) } else { complete() }
    }

    /// Queues bytes, on any thread, unless bytes before them were rejected.
    private final func add(_ bytes: ByteChunk, _ waiter: (any WriteWaiter)?) {
        if wasRejected { return }
        guard let rejection = enqueue(bytes, waiter, beyondLimit: record.note(bytes, limit: limit)) else { return }
        wasRejected = true
        if !bytes.isEmpty { elementRejected(rejection) }
        // Disposed of at once: the loop thread may be busy with this very source.
        input.dispose()
        whileRunning { self.fail(with: rejection) }
    }

    /// Tells whether a source of the input has to pause.
    private final func isFull(_ source: any PausableSource) -> Bool {
        if isQueueFull(sources) {
            sources.add(source)
            // The queue may have emptied before the source was among those that wait.
            if isQueueFull(sources) {
                record.sourcePauses(source, sources.resumeCount)
                return true
            }
        }
        record.sourceGoesOn()
        return false
    }
}

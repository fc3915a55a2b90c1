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
    /// True once the source has asked whether to pause; used in its context.
    @exclusivity(unchecked) private var isPausable = false
    /// The number of chunks that are accepted beyond the limit: a source may ask behind its second element.
    @exclusivity(unchecked) private var unlimitedChunks = 2
    /// Used in the source's context.
    @exclusivity(unchecked) private var paused = PausedSources()
    /// The chunks that have come since a source asked that had not been told to pause; used in the source's context.
    @exclusivity(unchecked) private var unasked = (chunks: 0, bytes: 0)
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
    /// - Parameter isLimited: false for bytes of a source that pauses, which are accepted also beyond the limit.
    func enqueue(_ bytes: ByteChunk, _ waiter: (any WriteWaiter)?, isLimited: Bool) -> IOError? {
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
        let isLimited = isPausable ? asksTooLittle : unlimitedChunks == 0
        if unlimitedChunks > 0 { unlimitedChunks -= 1 }
        unasked.chunks += 1
        unasked.bytes += bytes.count + OutputWatermarks.itemOverhead
        // The empty chunk at the end is not rejected: everything before it was accepted.
        guard let rejection = enqueue(bytes, waiter, isLimited: isLimited && !bytes.isEmpty) else { return }
        wasRejected = true
        if !bytes.isEmpty { elementRejected(rejection) }
        // Disposed of at once: the loop thread may be busy with this very source.
        input.dispose()
        whileRunning { self.fail(with: rejection) }
    }

    /// True if more has come without a further question than sources emit that pause: it comes from a part of the input that cannot pause, or that
    /// others keep going. Then the limit holds.
    private final var asksTooLittle: Bool {
        unasked.bytes > max(limit, 1 << 20) && unasked.chunks > QueuedSequenceSource.mostUnaskedChunks
    }

    /// Some sources ask after 16 elements, of any size.
    private static let mostUnaskedChunks = 32

    /// Tells whether a source of the input has to pause.
    private final func isFull(_ source: any PausableSource) -> Bool {
        isPausable = true
        if isQueueFull(sources) {
            sources.add(source)
            // The queue may have emptied before the source was among those that wait.
            if isQueueFull(sources) {
                if paused.add(source, sources.resumeCount) { unasked = (0, 0) }
                return true
            }
        }
        paused.removeAll()
        unasked = (0, 0)
        return false
    }
}

/// The sources that were told to pause. One that asks again without having been resumed was kept going by others: see `SubjectListCore.pauses`.
private struct PausedSources {
    /// Their addresses, which are not used again while all is paused but for sources that come and go.
    private var identities: Set<ObjectIdentifier> = []
    private var resumeCount: UInt = 0

    private static let most = 4_096

    /// Returns false if the source is there already, and no source was resumed since.
    mutating func add(_ source: any PausableSource, _ resumeCount: UInt) -> Bool {
        if self.resumeCount != resumeCount || identities.count == PausedSources.most { removeAll() }
        self.resumeCount = resumeCount
        return identities.insert(ObjectIdentifier(source)).inserted
    }

    mutating func removeAll() {
        if !identities.isEmpty { identities.removeAll(keepingCapacity: identities.count <= 64) }
    }
}

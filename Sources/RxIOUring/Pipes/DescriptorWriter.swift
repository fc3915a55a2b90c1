// SPDX-License-Identifier: Apache-2.0

import RxPrimitives
import RxSwift

/// Writes the chunks of a sequence to a descriptor. Used on the loop thread only, except for its creation and its end.
final class DescriptorWriter {
    enum Outcome {
        /// The sequence has completed, and everything is written.
        case end
        /// Writing failed, with this errno.
        case failure(CInt)
        /// The sequence failed, and everything that came before is written.
        case error(any Error)
    }

    private let input: InputSubscription<ByteChunk>
    private let sources = InputSources()
    private let loop: EventLoop
    /// The chunks still to be written, behind the one being written. The loop thread pushes and pops.
    private let waiting = SPSCQueue<ByteChunk>()
    @exclusivity(unchecked) private var waitingCount = 0
    @exclusivity(unchecked) private var waitingBytes = 0
    private let backlogPlace = Backlog.Place()
    /// True if a source waits until the chunks are written.
    @exclusivity(unchecked) private var isAwaited = false
    private static let watermarks = OutputWatermarks(limit: .max)
    /// The end of the sequence; nil until then.
    @exclusivity(unchecked) private var ending: Outcome?
    @exclusivity(unchecked) private var descriptor: Descriptor?
    /// The operation, from `start` to `close`. It holds this writer until the kernel has completed it.
    @exclusivity(unchecked) private var operation: WriteOperation?
    @exclusivity(unchecked) private var receive: ((Outcome) -> Void)?

    private let chunks: Observable<ByteChunk>

    init(_ chunks: Observable<ByteChunk>, scheduler: IOUringScheduler) {
        loop = scheduler.loop
        input = InputSubscription(pausing: sources)
        // Copied before they wait on the way to the loop: that of a sequence which cannot pause has no bound.
        self.chunks = chunks.map { $0.compact }.observe(on: scheduler)
    }

    /// Subscribes on the calling thread, once. Chunks that arrive wait for `start`.
    func subscribe() {
        input.begin(
            chunks, onNext: { [weak self] in self?.accept($0) },
            onError: { [weak self] in self?.ended(.error($0)) }, onCompleted: { [weak self] in self?.ended(.end) },
            isFull: { [weak self] in self?.isFull($0) ?? false })
    }

    deinit { input.dispose() }

    /// Stops accepting chunks; called on any thread.
    func unsubscribe() { input.dispose() }

    /// Begins to write; to be called once.
    ///
    /// - Parameter receive: held until `close`. Receives the outcome, once, and then closes.
    func start(_ descriptor: Descriptor, receive: @escaping (Outcome) -> Void) {
        self.descriptor = descriptor
        self.receive = receive
        operation = WriteOperation(descriptor, whenFinished: finished)
        writeNext()
    }

    /// Releases `receive` without calling it again, and closes the descriptor as soon as the kernel has released that.
    func close() {
        if let operation {
            operation.stop()
            loop.cancel(operation)
        }
        operation = nil
        receive = nil
        descriptor?.close()
        unsubscribe()
        while waiting.pop() != nil {}
    }

    private func accept(_ chunk: ByteChunk) {
        if chunk.isEmpty || descriptor?.isClosing == true { return }
        waiting.push(chunk)
        waitingCount += 1
        waitingBytes += chunk.count
        Backlog.noticed(Backlog.count(waitingCount, whilePausing: isAwaited), at: "write", backlogPlace)
        if let operation, !operation.isInFlight { writeNext() }
    }

    /// Tells whether a source has to pause: the hop to the loop, so on the loop thread.
    private func isFull(_ source: any PausableSource) -> Bool {
        if operation == nil && descriptor != nil { return false }
        if !DescriptorWriter.watermarks.mustPause(weight, isAwaited: isAwaited) { return false }
        isAwaited = true
        sources.add(source)
        return true
    }

    private var weight: Int { waitingBytes + waitingCount * OutputWatermarks.itemOverhead }

    private func ended(_ ending: Outcome) {
        self.ending = ending
        if let operation, !operation.isInFlight { writeNext() }
    }

    /// Writes the next chunk, or reports the end. No write may be in flight.
    private func writeNext() {
        guard let operation, let receive else { return }
        if let chunk = waiting.pop() {
            waitingCount -= 1
            waitingBytes -= chunk.count
            operation.write(chunk, offset: -1)
            if isAwaited, weight <= DescriptorWriter.watermarks.low {
                isAwaited = false
                sources.resume()
            }
        } else if let ending {
            receive(ending)
        }
    }

    private func finished(_ result: Int32) {
        guard operation != nil, let receive else { return }
        if result < 0 { return receive(.failure(-result)) }
        writeNext()
    }
}

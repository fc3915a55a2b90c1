import RxPrimitives
import RxSwift

/// Writes to a descriptor what a sequence emits. For the loop's thread, but for its making and its end.
final class DescriptorWriter {
    enum Outcome {
        /// The sequence has completed, and everything is written.
        case end
        /// Writing failed.
        case failure(CInt)
        /// The sequence failed, and everything that came before is written.
        case error(any Error)
    }

    private let input = InputSubscription<ByteChunk>()
    private let loop: EventLoop
    /// What is still to be written, behind what is being written. Both ends are the loop's.
    private let waiting = SPSCQueue<ByteChunk>()
    @exclusivity(unchecked) private var waitingCount = 0
    /// How the sequence has ended.
    @exclusivity(unchecked) private var ending: Outcome?
    @exclusivity(unchecked) private var descriptor: Descriptor?
    /// From `start` to `close`. It holds this writer until the kernel has let go.
    @exclusivity(unchecked) private var operation: WriteOperation?
    @exclusivity(unchecked) private var receive: ((Outcome) -> Void)?

    private let chunks: Observable<ByteChunk>

    init(_ chunks: Observable<ByteChunk>, scheduler: IOUringScheduler) {
        loop = scheduler.loop
        self.chunks = chunks.observe(on: scheduler)
    }

    /// Subscribes, on the calling thread. What comes waits for `start`. Once.
    func subscribe() {
        input.begin(
            chunks, onNext: { [weak self] in self?.accept($0) },
            onError: { [weak self] in self?.ended(.error($0)) }, onCompleted: { [weak self] in self?.ended(.end) })
    }

    deinit { input.dispose() }

    /// Takes no more chunks. From any thread.
    func unsubscribe() { input.dispose() }

    /// Begins to write. Once.
    ///
    /// - Parameter receive: held until `close`. Receives what became of it, once, and then closes.
    func start(_ descriptor: Descriptor, receive: @escaping (Outcome) -> Void) {
        self.descriptor = descriptor
        self.receive = receive
        operation = WriteOperation(descriptor, whenFinished: finished)
        writeNext()
    }

    /// Nothing is received any more, and the descriptor is closed as soon as the kernel has let go.
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
        Backlog.grew(from: waitingCount - 1, to: waitingCount, at: "write")
        if let operation, !operation.isInFlight { writeNext() }
    }

    private func ended(_ ending: Outcome) {
        self.ending = ending
        if let operation, !operation.isInFlight { writeNext() }
    }

    /// Nothing is being written.
    private func writeNext() {
        guard let operation, let receive else { return }
        if let chunk = waiting.pop() {
            waitingCount -= 1
            operation.write(chunk, offset: -1)
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

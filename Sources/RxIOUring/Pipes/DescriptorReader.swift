/// Reads from a descriptor until its end, into a pool's memory. Used on the loop thread only.
final class DescriptorReader {
    enum Outcome {
        case chunk(ByteChunk)
        case end
        case failure(CInt)
    }

    private let descriptor: Descriptor
    private let pool: BytePool
    private let loop: EventLoop
    /// Asks whether to read on; nil from `close` on.
    @exclusivity(unchecked) private var mustPause: (() -> Bool)?
    /// The operation; nil from `close` on. It holds this reader until the kernel has completed it.
    @exclusivity(unchecked) private var operation: ReadOperation?
    @exclusivity(unchecked) private var receive: ((Outcome) -> Void)?

    /// - Parameters:
    ///   - mustPause: held until `close`. Called before each read: true if there is none until the next call of `read`.
    ///   - receive: held until `close`. Receives chunks, and then the end or a failure, after which it closes.
    init(
        _ descriptor: Descriptor, pool: BytePool, on loop: EventLoop, mustPause: @escaping () -> Bool,
        receive: @escaping (Outcome) -> Void
    ) {
        self.descriptor = descriptor
        self.pool = pool
        self.loop = loop
        self.receive = receive
        self.mustPause = mustPause
        operation = ReadOperation(descriptor, whenFinished: finished)
    }

    /// Submits the next read, unless one is in flight. To be called once to begin with, and again after each pause.
    func read() {
        guard let operation, !operation.isInFlight, let mustPause, !mustPause() else { return }
        operation.read(into: pool.take(), offset: -1)
    }

    /// Releases `receive` without calling it again, and closes the descriptor as soon as the kernel has released that.
    func close() {
        if let operation { loop.cancel(operation) }
        operation = nil
        receive = nil
        mustPause = nil
        descriptor.close()
    }

    private func finished(_ result: Int32) {
        guard let operation, let receive else { return }
        let storage = operation.takeStorage()
        if result < 0 { return receive(.failure(-result)) }
        if result == 0 { return receive(.end) }
        receive(.chunk(pool.chunk(storage, count: Int(result))))
        read()
    }
}

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
    /// The operation; nil from `close` on. It holds this reader until the kernel has completed it.
    @exclusivity(unchecked) private var operation: ReadOperation?
    @exclusivity(unchecked) private var receive: ((Outcome) -> Void)?
    private let stall: StallWarning
    private lazy var resume: () -> Void = { [weak self] in self?.memoryCameBack() }

    /// - Parameters:
    ///   - subject: the name that notices give to the stream.
    ///   - receive: held until `close`. Receives chunks, and then the end or a failure, after which it closes.
    init(
        _ descriptor: Descriptor, _ subject: String, pool: BytePool, on loop: EventLoop,
        receive: @escaping (Outcome) -> Void
    ) {
        self.descriptor = descriptor
        self.pool = pool
        self.loop = loop
        self.receive = receive
        stall = StallWarning(subject, window: pool.limit, on: loop)
        operation = ReadOperation(descriptor, whenFinished: finished)
    }

    /// Submits the next read. If all memory is in use, it does so when some has come back. To be called once to begin with.
    func read() {
        guard let operation else { return }
        guard let storage = pool.take(onReturn: resume) else { return stall.blocked() }
        stall.unblocked()
        operation.read(into: storage, offset: -1)
    }

    /// Releases `receive` without calling it again, and closes the descriptor as soon as the kernel has released that.
    func close() {
        if let operation { loop.cancel(operation) }
        operation = nil
        receive = nil
        stall.end()
        descriptor.close()
    }

    /// Reads on, since memory has come back; called on any thread.
    private func memoryCameBack() {
        loop.perform(read)
    }

    private func finished(_ result: Int32) {
        guard let operation, let receive else { return }
        let storage = operation.takeStorage()
        if result < 0 { return receive(.failure(-result)) }
        if result == 0 { return receive(.end) }
        receive(.chunk(ByteChunk(storage, count: Int(result))))
        read()
    }
}

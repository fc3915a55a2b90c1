/// Reads from a descriptor until its end, into a pool's memory. For the loop's thread.
final class DescriptorReader {
    enum Outcome {
        case chunk(ByteChunk)
        case end
        case failure(CInt)
    }

    private let descriptor: Descriptor
    private let pool: BytePool
    private let loop: EventLoop
    /// Nil from `close` on. It holds this reader until the kernel has let go.
    @exclusivity(unchecked) private var operation: ReadOperation?
    @exclusivity(unchecked) private var receive: ((Outcome) -> Void)?
    private let stall: StallWarning
    private lazy var resume: () -> Void = { [weak self] in self?.memoryCameBack() }

    /// - Parameters:
    ///   - subject: of which notices speak.
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

    /// Reads on, unless all memory is in use: then it does so when some has come back. Once to begin with.
    func read() {
        guard let operation else { return }
        guard let storage = pool.take(onReturn: resume) else { return stall.blocked() }
        stall.unblocked()
        operation.read(into: storage, offset: -1)
    }

    /// Nothing is received any more, and the descriptor is closed as soon as the kernel has let go.
    func close() {
        if let operation { loop.cancel(operation) }
        operation = nil
        receive = nil
        stall.end()
        descriptor.close()
    }

    /// On any thread.
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

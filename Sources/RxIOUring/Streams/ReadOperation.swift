import CRxIOUring

/// Reads into memory of a pool. Used again and again by its owner. For the loop's thread.
final class ReadOperation: DescriptorOperation {
    private unowned(unsafe) let descriptor: Descriptor
    private let whenFinished: (Int32) -> Void

    /// Where it reads to: held here as long as the kernel may write there.
    @exclusivity(unchecked) private var storage: ByteStorage?

    /// - Parameter whenFinished: receives how much was read, or a negated errno.
    init(_ descriptor: Descriptor, whenFinished: @escaping (Int32) -> Void) {
        self.descriptor = descriptor
        self.whenFinished = whenFinished
        super.init(Request(kind: RX_READ, descriptor: descriptor.number, address: nil))
    }

    /// Not while one is in flight. `offset` -1: where the descriptor stands.
    func read(into storage: ByteStorage, offset: Int64) {
        self.storage = storage
        request.address = storage.address
        request.length = storage.capacity
        request.offset = offset
        descriptor.submit(self)
    }

    /// What was read into, once it is finished.
    func takeStorage() -> ByteStorage {
        defer { storage = nil }
        return storage!
    }

    override func finished(_ result: Int32, buffer: Int32, hasMore: Bool) {
        whenFinished(result)
        // Of an owner that had ended, and did not take it.
        if !isInFlight { storage = nil }
    }
}

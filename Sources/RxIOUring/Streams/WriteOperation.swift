import CRxIOUring
import Glibc

/// Writes a chunk, going on after short writes until all of it is written. Used again and again by its owner. For the loop's
/// thread.
final class WriteOperation: DescriptorOperation {
    private unowned(unsafe) let descriptor: Descriptor
    private let whenFinished: (Int32) -> Void

    /// What is being written: held here as long as the kernel may read it.
    @exclusivity(unchecked) private var chunk: ByteChunk?
    @exclusivity(unchecked) private var isStopped = false

    /// - Parameter whenFinished: receives 0 when all is written, or a negated errno.
    init(_ descriptor: Descriptor, whenFinished: @escaping (Int32) -> Void) {
        self.descriptor = descriptor
        self.whenFinished = whenFinished
        super.init(Request(kind: RX_WRITE, descriptor: descriptor.number, address: nil))
    }

    /// Not while one is in flight, and not an empty chunk. `offset` -1: where the descriptor stands.
    func write(_ chunk: ByteChunk, offset: Int64) {
        self.chunk = chunk
        request.address = chunk.storage.address + chunk.startIndex
        request.length = chunk.count
        request.offset = offset
        descriptor.submit(self)
    }

    /// Nothing more is to be submitted: the descriptor is being closed.
    func stop() { isStopped = true }

    override func finished(_ result: Int32, buffer: Int32, hasMore: Bool) {
        if !isStopped {
            if result == -EINTR { return descriptor.submit(self) }
            if result > 0, Int(result) < request.length {
                request.address = request.address! + Int(result)
                request.length -= Int(result)
                if request.offset >= 0 { request.offset += Int64(result) }
                return descriptor.submit(self)
            }
        }
        chunk = nil
        // Nothing of something written without an error would be repeated for ever.
        whenFinished(result == 0 ? -EIO : min(result, 0))
    }
}

/// Has everything that was written to a file put on its disk. For the loop's thread.
final class SynchronizeOperation: DescriptorOperation {
    private let whenFinished: (Int32) -> Void

    /// - Parameter whenFinished: receives 0, or a negated errno.
    init(_ descriptor: Descriptor, whenFinished: @escaping (Int32) -> Void) {
        self.whenFinished = whenFinished
        super.init(Request(kind: RX_SYNCHRONIZE, descriptor: descriptor.number, address: nil))
    }

    override func finished(_ result: Int32, buffer: Int32, hasMore: Bool) { whenFinished(result) }
}

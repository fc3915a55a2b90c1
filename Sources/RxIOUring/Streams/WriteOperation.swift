// SPDX-License-Identifier: Apache-2.0

import CRxIOUring
import Glibc

/// Writes a chunk, and continues after short writes until all of it is written.
///
/// Used repeatedly by its owner, on the loop thread only.
final class WriteOperation: DescriptorOperation {
    private unowned(unsafe) let descriptor: Descriptor
    private let whenFinished: (Int32) -> Void

    /// The chunk being written: held here as long as the kernel may read it.
    @exclusivity(unchecked) private var chunk: ByteChunk?
    @exclusivity(unchecked) private var isStopped = false

    /// - Parameter whenFinished: receives 0 when everything is written, or a negated errno.
    init(_ descriptor: Descriptor, whenFinished: @escaping (Int32) -> Void) {
        self.descriptor = descriptor
        self.whenFinished = whenFinished
        super.init(Request(kind: RX_WRITE, descriptor: descriptor.fd, address: nil))
    }

    /// Submits a write; no other may be in flight. `chunk` must not be empty; `offset` -1 stands for the descriptor's current
    /// position.
    func write(_ chunk: ByteChunk, offset: Int64) {
        self.chunk = chunk
        request.address = chunk.storage.address + chunk.startIndex
        request.length = chunk.count
        request.offset = offset
        descriptor.submit(self)
    }

    /// Prevents further submissions, since the descriptor is being closed.
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
        // A write of 0 bytes without an error is not retried, since the retries might never end.
        whenFinished(result == 0 ? -EIO : min(result, 0))
    }
}

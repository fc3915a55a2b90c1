// SPDX-License-Identifier: Apache-2.0

import CRxIOUring

/// Reads into memory of a pool. Used repeatedly by its owner, on the loop thread only.
final class ReadOperation: DescriptorOperation {
    private unowned(unsafe) let descriptor: Descriptor
    private let whenFinished: (Int32) -> Void

    /// The memory to read into: held here as long as the kernel may write there.
    @exclusivity(unchecked) private var storage: ByteStorage?

    /// - Parameter whenFinished: receives the number of bytes read, or a negated errno.
    init(_ descriptor: Descriptor, whenFinished: @escaping (Int32) -> Void) {
        self.descriptor = descriptor
        self.whenFinished = whenFinished
        super.init(Request(kind: RX_READ, descriptor: descriptor.fd, address: nil))
    }

    /// Submits a read; no other may be in flight. `offset` -1 stands for the descriptor's current position.
    func read(into storage: ByteStorage, offset: Int64) {
        prepare(into: storage, offset: offset)
        submit()
    }

    /// Prepares a read; none may be in flight. `offset` -1 stands for the descriptor's current position.
    func prepare(into storage: ByteStorage, offset: Int64) {
        self.storage = storage
        request.address = storage.address
        request.length = storage.capacity
        request.offset = offset
    }

    /// Submits the prepared read, or once more one that was interrupted.
    func submit() { descriptor.submit(self) }

    /// Returns and releases the memory of a finished read.
    func takeStorage() -> ByteStorage {
        defer { storage = nil }
        return storage!
    }

    override var memory: AnyObject? { storage }

    override func finished(_ result: Int32, buffer: Int32, hasMore: Bool) {
        whenFinished(result)
        // The owner had ended, and did not take the memory.
        if !isInFlight { storage = nil }
    }
}

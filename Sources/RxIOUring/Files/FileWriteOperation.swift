// SPDX-License-Identifier: Apache-2.0

import CRxIOUring
import Glibc

/// Writes the bytes of several items to a file with one system call, and continues after short writes.
///
/// Small pieces are copied behind each other; large ones are written from where they are. Used repeatedly, on the loop thread only.
final class FileWriteOperation: DescriptorOperation {
    private unowned(unsafe) let descriptor: Descriptor
    /// The output that is told of the end; held from `begin` to `clear`.
    @exclusivity(unchecked) private var output: FileOutput?

    /// The objects that wait for items, each with the number of bytes up to the end of its item.
    @exclusivity(unchecked) private(set) var waiters: [(end: Int, waiter: any WriteWaiter)] = []
    /// The chunks that the kernel reads.
    @exclusivity(unchecked) private var chunks: [ByteChunk] = []
    /// The memory into which small pieces were copied, and the number of bytes in use of the last one.
    @exclusivity(unchecked) private var slabs: [ByteStorage] = []
    @exclusivity(unchecked) private var slabUsed = 0
    /// The pieces to write; those before `firstVector` are written.
    @exclusivity(unchecked) private var vectors = UnsafeMutablePointer<iovec>.allocate(capacity: fewVectors)
    @exclusivity(unchecked) private var capacity = fewVectors
    @exclusivity(unchecked) private var vectorCount = 0
    @exclusivity(unchecked) private var firstVector = 0

    /// The offset of the first byte; -1 if the file has no positions.
    @exclusivity(unchecked) private(set) var offset: Int64 = 0
    /// The number of bytes to write, of items with these bytes, and of bytes for which no object waits.
    @exclusivity(unchecked) private(set) var count = 0
    @exclusivity(unchecked) private(set) var itemCount = 0
    @exclusivity(unchecked) private(set) var unattendedBytes = 0
    /// The number of bytes written.
    @exclusivity(unchecked) private(set) var written = 0
    /// The errno that has ended the operation early, or 0.
    @exclusivity(unchecked) private(set) var code: CInt = 0
    /// True between `begin` and the end of the last system call.
    @exclusivity(unchecked) private(set) var isUnderWay = false
    /// True if nothing more is to be submitted.
    @exclusivity(unchecked) private var isStopped = false

    /// The most bytes that one operation gathers, unless a single item has more.
    static let mostBytes = 16 << 20
    private static let fewVectors = 4
    private static let mostVectors = 1_024
    /// The most bytes of a piece that is copied: to write it from where it is would cost the kernel more.
    private static let smallPiece = 2_048
    private static let slabSize = 64 * 1024

    init(_ descriptor: Descriptor) {
        self.descriptor = descriptor
        super.init(Request(kind: RX_WRITE, descriptor: descriptor.fd, address: nil))
    }

    deinit { vectors.deallocate() }

    /// True if all bytes are written.
    var isComplete: Bool { written == count }

    // MARK: Gathering

    /// Adds the bytes of an item behind those added before. Returns false if there is no room.
    func add(_ bytes: ByteChunk, _ waiter: (any WriteWaiter)?) -> Bool {
        if count > 0, count + bytes.count > FileWriteOperation.mostBytes { return false }
        if bytes.count > FileWriteOperation.smallPiece || itemCount == 0 {
            if !addWhole(bytes) { return false }
        } else if !bytes.isEmpty, !addCopy(of: bytes) {
            return false
        }
        count += bytes.count
        itemCount += WriteQueue.Item.items(with: waiter)
        if let waiter { waiters.append((count, waiter)) } else { unattendedBytes += bytes.count }
        return true
    }

    private func addWhole(_ bytes: ByteChunk) -> Bool {
        if vectorCount == FileWriteOperation.mostVectors { return false }
        chunks.append(bytes)
        append(bytes.storage.address + bytes.startIndex, bytes.count)
        return true
    }

    private func addCopy(of bytes: ByteChunk) -> Bool {
        if slabs.isEmpty || slabUsed + bytes.count > FileWriteOperation.slabSize {
            if vectorCount == FileWriteOperation.mostVectors { return false }
            slabs.append(ByteStorage(capacity: FileWriteOperation.slabSize))
            slabUsed = 0
        }
        let place = slabs[slabs.count - 1].address + slabUsed
        let isBehindLast = slabUsed > 0 && vectors[vectorCount - 1].end == place
        if !isBehindLast, vectorCount == FileWriteOperation.mostVectors { return false }
        bytes.withUnsafeBytes { place.copyMemory(from: $0.baseAddress!, byteCount: $0.count) }
        slabUsed += bytes.count
        if isBehindLast { vectors[vectorCount - 1].iov_len += bytes.count } else { append(place, bytes.count) }
        return true
    }

    private func append(_ address: UnsafeMutableRawPointer, _ length: Int) {
        if vectorCount == capacity { grow() }
        vectors[vectorCount] = iovec(iov_base: address, iov_len: length)
        vectorCount += 1
    }

    private func grow() {
        capacity = min(8 * capacity, FileWriteOperation.mostVectors)
        let larger = UnsafeMutablePointer<iovec>.allocate(capacity: capacity)
        larger.update(from: vectors, count: vectorCount)
        vectors.deallocate()
        vectors = larger
    }

    // MARK: Writing

    /// Submits the write of the added bytes, of which there is at least one. `offset` -1 stands for the descriptor's current position.
    func begin(_ output: FileOutput, offset: Int64) {
        self.output = output
        self.offset = offset
        isUnderWay = true
        submit()
    }

    /// Prevents further submissions. The caller cancels the operation.
    func stop() { isStopped = true }

    /// Releases the memory and the waiters, so that the operation can be used again.
    func clear() {
        output = nil
        waiters = []
        chunks = []
        slabs = []
        if capacity > FileWriteOperation.fewVectors {
            vectors.deallocate()
            capacity = FileWriteOperation.fewVectors
            vectors = .allocate(capacity: capacity)
        }
        (slabUsed, vectorCount, firstVector, count, itemCount, unattendedBytes, written) = (0, 0, 0, 0, 0, 0, 0)
        code = 0
        isStopped = false
    }

    private func submit() {
        let rest = vectorCount - firstVector
        if rest == 1 {
            request.kind = RX_WRITE
            request.address = vectors[firstVector].iov_base
            request.length = vectors[firstVector].iov_len
        } else {
            request.kind = RX_WRITE_VECTOR
            request.address = UnsafeMutableRawPointer(vectors + firstVector)
            request.length = rest
        }
        request.offset = offset >= 0 ? offset + Int64(written) : -1
        descriptor.submit(self)
    }

    override func finished(_ result: Int32, buffer: Int32, hasMore: Bool) {
        if result > 0 {
            skip(Int(result))
        } else if result != -EINTR {
            // A write of 0 bytes without an error is not repeated, since that might never end.
            code = result == 0 ? EIO : -result
        }
        if code == 0, !isComplete {
            if !isStopped { return submit() }
            code = ECANCELED
        }
        isUnderWay = false
        output?.ended(self)
    }

    private func skip(_ bytes: Int) {
        written += bytes
        var rest = bytes
        while rest > 0 {
            let length = vectors[firstVector].iov_len
            if rest < length {
                vectors[firstVector].iov_base = vectors[firstVector].iov_base + rest
                vectors[firstVector].iov_len -= rest
                return
            }
            rest -= length
            firstVector += 1
        }
    }
}

extension iovec {
    /// The address behind the last byte.
    fileprivate var end: UnsafeMutableRawPointer { iov_base + iov_len }
}

// SPDX-License-Identifier: Apache-2.0

import CRxIOUring
import Glibc

/// An operation of a connection. Used on the loop thread only.
///
/// It and the connection hold each other, until the connection lets go of it behind its close: a message counts no references to them.
class ConnectionOperation: DescriptorOperation {
    private final let core: ConnectionCore

    init(_ request: Request, of core: ConnectionCore) {
        self.core = core
        super.init(request, keepsDescriptor: true)
    }

    /// Handles the result of the operation.
    func finished(_ result: Int32, buffer: Int32, of core: ConnectionCore) {
        fatalError("swift-rx: a subclass has to implement this method")
    }

    final override func finished(_ result: Int32, buffer: Int32, hasMore: Bool) {
        finished(result, buffer: buffer, of: core)
    }
}

/// Receives for a connection, again and again. Used on the loop thread only.
final class ConnectionReceive: ConnectionOperation {
    /// The memory to receive into, if not the pool's: held here as long as the kernel may write there.
    @exclusivity(unchecked) private var own: ByteStorage?
    /// A hint for the kernel: true if the last receive left no bytes in the socket.
    @exclusivity(unchecked) private var isDrained = true
    /// The pool for the next receive.
    @exclusivity(unchecked) private(set) var pool = ReceivePool.Kind.usual
    /// True if the last receive has found more than a usual buffer holds, or has filled one.
    @exclusivity(unchecked) private var wasBulk = false

    init(_ core: ConnectionCore, on descriptor: Descriptor) {
        super.init(Request(kind: RX_RECEIVE_POOL, descriptor: descriptor.fd, address: nil), of: core)
    }

    /// Receives into a pool.
    func receive(on descriptor: Descriptor, hasBulk: Bool) {
        if !hasBulk { pool = .usual }
        request.kind = pool == .usual ? RX_RECEIVE_POOL : RX_RECEIVE_BULK
        request.address = nil
        request.length = pool.size
        request.offset = isDrained ? 1 : 0
        descriptor.submit(self)
    }

    /// Receives into memory that the operation holds.
    func receive(on descriptor: Descriptor, into storage: ByteStorage) {
        own = storage
        request.kind = RX_RECEIVE
        request.address = storage.address
        request.length = storage.capacity
        descriptor.submit(self)
    }

    override func finished(_ result: Int32, buffer: Int32, of core: ConnectionCore) {
        let (own, pool) = (own.take(), pool)
        if result > 0 {
            isDrained = result < request.length
            // A peer that fills a buffer has sent more. The second receive in a row that finds little leads back: the first one may have found
            // the rest of a message.
            let isBulk = result == request.length || result > ReceivePool.Kind.usual.size
            self.pool = isBulk || (wasBulk && pool == .bulk) ? .bulk : .usual
            wasBulk = isBulk
        } else if result == -ENOBUFS {
            self.pool = .usual
        }
        core.received(result, buffer: Int(buffer), of: pool, own: own)
    }
}

/// Sends the first bytes of a connection's queue, which the connection holds. Used on the loop thread only.
final class ConnectionSend: ConnectionOperation {
    /// The bytes, if the connection drops them while the operation is in flight.
    @exclusivity(unchecked) private var held: OutputQueue?
    /// The pieces, allocated when there is more than one for the first time.
    @exclusivity(unchecked) private var vectors: UnsafeMutablePointer<iovec>?
    @exclusivity(unchecked) private var message: UnsafeMutablePointer<msghdr>?

    /// - Parameter continues: whether io_uring is to continue by itself when the socket has taken only a part. An error after that part is lost
    ///   then: the next send reports EPIPE in its place.
    init(_ core: ConnectionCore, on descriptor: Descriptor, continues: Bool) {
        super.init(
            Request(
                kind: RX_SEND, descriptor: descriptor.fd, address: nil,
                flags: UInt32(MSG_NOSIGNAL) | (continues ? UInt32(MSG_WAITALL) : 0)), of: core)
    }

    deinit {
        vectors?.deallocate()
        message?.deallocate()
    }

    /// Loads the bytes to be sent next, and returns their number. The queue must not be empty; it is not changed, and not copied either.
    func load(_ queue: inout OutputQueue) -> Int {
        if let bytes = queue.single {
            request.kind = RX_SEND
            request.address = UnsafeMutableRawPointer(mutating: bytes.baseAddress)
            request.length = min(bytes.count, OutputQueue.maxBytes)
            return request.length
        }
        let vectors = vectors ?? .allocate(capacity: OutputQueue.maxItems)
        let message = message ?? .allocate(capacity: 1)
        self.vectors = vectors
        self.message = message
        let (count, bytes) = queue.gather(vectors)
        message.initialize(to: msghdr())
        message.pointee.msg_iov = vectors
        message.pointee.msg_iovlen = count
        request.kind = RX_SEND_MESSAGE
        request.address = UnsafeMutableRawPointer(message)
        return bytes
    }

    /// Holds the bytes being sent until the kernel has released them.
    func hold(_ queue: OutputQueue) { held = queue }

    override func finished(_ result: Int32, buffer: Int32, of core: ConnectionCore) {
        held = nil
        core.sent(result)
    }
}

import CRxIOUring
import Glibc

/// Receives for a connection, again and again. For the loop's thread.
final class ConnectionReceive: DescriptorOperation {
    /// The connection while it is in flight.
    @exclusivity(unchecked) private var core: ConnectionCore?
    /// Where it receives into, if not into the pool: held here as long as the kernel may write there.
    @exclusivity(unchecked) private var own: ByteStorage?

    init(_ descriptor: Descriptor) {
        super.init(Request(kind: RX_RECEIVE_POOL, descriptor: descriptor.number, address: nil))
        request.length = ReceivePool.size
    }

    /// Receives into the pool.
    ///
    /// - Parameter expectsNothing: whether the connection was found empty the last time: a hint.
    func receive(_ core: ConnectionCore, on descriptor: Descriptor, expectsNothing: Bool) {
        self.core = core
        request.kind = RX_RECEIVE_POOL
        request.address = nil
        request.offset = expectsNothing ? 1 : 0
        descriptor.submit(self)
    }

    /// Receives into memory that is held for it.
    func receive(_ core: ConnectionCore, on descriptor: Descriptor, into storage: ByteStorage) {
        self.core = core
        own = storage
        request.kind = RX_RECEIVE
        request.address = storage.address
        descriptor.submit(self)
    }

    override func finished(_ result: Int32, buffer: Int32, hasMore: Bool) {
        guard let core else { return }
        self.core = nil
        let own = own
        self.own = nil
        core.received(result, buffer: Int(buffer), own: own)
    }
}

/// Sends for a connection what is first in its queue. For the loop's thread.
final class ConnectionSend: DescriptorOperation {
    /// The connection, which holds the bytes, while it is in flight.
    @exclusivity(unchecked) private var core: ConnectionCore?
    /// The bytes, if the connection drops them while it is in flight.
    @exclusivity(unchecked) private var held: OutputQueue?
    /// Made when there first is more than one piece.
    @exclusivity(unchecked) private var vectors: UnsafeMutablePointer<iovec>?
    @exclusivity(unchecked) private var message: UnsafeMutablePointer<msghdr>?

    init(_ descriptor: Descriptor) {
        // MSG_WAITALL: io_uring goes on by itself when the socket has taken a part.
        super.init(
            Request(
                kind: RX_SEND, descriptor: descriptor.number, address: nil,
                flags: UInt32(MSG_NOSIGNAL) | UInt32(MSG_WAITALL)))
    }

    deinit {
        vectors?.deallocate()
        message?.deallocate()
    }

    /// Takes up what is to be sent next. The queue is not empty. Returns how many bytes that is.
    func load(_ queue: borrowing OutputQueue) -> Int {
        if let bytes = queue.single {
            request.kind = RX_SEND
            request.address = UnsafeMutableRawPointer(mutating: bytes.baseAddress)
            request.length = min(bytes.count, OutputQueue.mostBytes)
            return request.length
        }
        let vectors = vectors ?? .allocate(capacity: OutputQueue.mostItems)
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

    /// Sends what was loaded, when the connection can take it.
    func send(_ core: ConnectionCore, on descriptor: Descriptor) {
        self.core = core
        descriptor.submit(self)
    }

    /// Holds what is being sent until the kernel has let go of it.
    func hold(_ queue: OutputQueue) { held = queue }

    override func finished(_ result: Int32, buffer: Int32, hasMore: Bool) {
        let core = core
        self.core = nil
        held = nil
        core?.sent(result)
    }
}

// SPDX-License-Identifier: Apache-2.0

import CRxIOUring
import Glibc

/// Receives datagrams, one after another.
final class DatagramReceive: DescriptorOperation {
    let address = UnsafeMutablePointer<sockaddr_storage>.allocate(capacity: 1)
    let message = UnsafeMutablePointer<msghdr>.allocate(capacity: 1)
    private let vector = UnsafeMutablePointer<iovec>.allocate(capacity: 1)
    /// The socket, held while the operation is in flight.
    @exclusivity(unchecked) private var core: UDPCore?
    /// The memory to receive into, held as long as the kernel may write there.
    @exclusivity(unchecked) private var storage: ByteStorage?

    init(_ descriptor: Descriptor) {
        message.initialize(to: msghdr())
        super.init(
            Request(
                kind: RX_RECEIVE_MESSAGE, descriptor: descriptor.fd, address: UnsafeMutableRawPointer(message)))
    }

    deinit {
        address.deallocate()
        message.deallocate()
        vector.deallocate()
    }

    func receive(_ core: UDPCore, on descriptor: Descriptor, into storage: ByteStorage) {
        self.core = core
        self.storage = storage
        vector.initialize(to: iovec(iov_base: storage.address, iov_len: storage.capacity))
        message.pointee.msg_name = UnsafeMutableRawPointer(address)
        message.pointee.msg_namelen = socklen_t(MemoryLayout<sockaddr_storage>.size)
        message.pointee.msg_iov = vector
        message.pointee.msg_iovlen = 1
        message.pointee.msg_flags = 0
        descriptor.submit(self)
    }

    override func finished(_ result: Int32, buffer: Int32, hasMore: Bool) {
        guard let core, let storage else { return }
        self.core = nil
        self.storage = nil
        core.received(result, storage)
    }
}

/// Sends datagrams, one after another.
final class DatagramSend: DescriptorOperation {
    private let address = UnsafeMutablePointer<sockaddr_storage>.allocate(capacity: 1)
    private let message = UnsafeMutablePointer<msghdr>.allocate(capacity: 1)
    private let vector = UnsafeMutablePointer<iovec>.allocate(capacity: 1)
    /// The datagram, held as long as the kernel may read it.
    @exclusivity(unchecked) private var bytes: ByteChunk?
    /// The socket, held while the operation is in flight.
    @exclusivity(unchecked) private var core: UDPCore?

    init(_ descriptor: Descriptor) {
        message.initialize(to: msghdr())
        super.init(
            Request(
                kind: RX_SEND_MESSAGE, descriptor: descriptor.fd, address: UnsafeMutableRawPointer(message),
                flags: UInt32(MSG_NOSIGNAL)))
    }

    deinit {
        address.deallocate()
        message.deallocate()
        vector.deallocate()
    }

    /// - Parameter family: the family of the socket.
    func load(_ bytes: ByteChunk, _ receiver: SocketAddress, family: CInt) {
        self.bytes = bytes
        bytes.withUnsafeBytes {
            vector.initialize(
                to: iovec(iov_base: UnsafeMutableRawPointer(mutating: $0.baseAddress), iov_len: $0.count))
        }
        message.pointee.msg_iov = vector
        message.pointee.msg_iovlen = 1
        message.pointee.msg_name = UnsafeMutableRawPointer(address)
        message.pointee.msg_namelen = receiver.write(to: address, for: family)
    }

    /// Releases the bytes of a datagram that was sent without being submitted.
    func unload() { bytes = nil }

    func send(_ core: UDPCore, on descriptor: Descriptor) {
        self.core = core
        descriptor.submit(self)
    }

    override func finished(_ result: Int32, buffer: Int32, hasMore: Bool) {
        let core = core
        self.core = nil
        bytes = nil
        core?.sent(result)
    }
}

import CRxIOUring
import Glibc
import RxPrimitives
import RxSwift

/// What a `UDPSocket` is on its loop. For the loop's thread, where nothing else is said.
final class UDPCore: LoopDependent, TurnEndListener, @unchecked Sendable {
    let loop: EventLoop
    let subject: String
    private let pool: BytePool
    private let sendLimit: Int

    private let number: CInt
    /// Protects the number from being used when it is closed: for `connect`, on any thread.
    private let lock = SpinLock()
    /// Under the lock.
    @exclusivity(unchecked) private var isNumberValid = true

    @exclusivity(unchecked) private var socket: Descriptor?
    @exclusivity(unchecked) private(set) var isClosed = false
    @exclusivity(unchecked) private var receive: DatagramReceive?
    @exclusivity(unchecked) private var receiver: DatagramSource?
    @exclusivity(unchecked) private var send: DatagramSend?
    @exclusivity(unchecked) private var isToldAtEndOfTurn = false

    typealias Item = (bytes: ByteChunk, receiver: SocketAddress?)
    /// What is to be sent, from `head` on.
    @exclusivity(unchecked) private var output: [Item] = []
    @exclusivity(unchecked) private var head = 0

    /// Bytes accepted and not sent. From any thread.
    let queuedBytes = AtomicWord(0)
    /// 0, or the errno with which sends are refused. From any thread.
    private let refusal = AtomicWord(0)

    init(_ number: CInt, subject: String, pool: BytePool, sendLimit: Int, loop: EventLoop) {
        self.number = number
        self.subject = subject
        self.pool = pool
        self.sendLimit = sendLimit
        self.loop = loop
    }

    /// From any thread, before anything else.
    func start() {
        loop.perform(open) {
            _ = self.refusal.exchange(UInt(ECANCELED))
            self.invalidate()
            _ = Glibc.close(self.number)
        }
    }

    private func open() {
        let socket = Descriptor(number, on: loop)
        self.socket = socket
        // Cannot be refused: the loop runs what it has taken.
        _ = loop.add(self)
        receive = DatagramReceive(socket)
        send = DatagramSend(socket)
    }

    func loopEnded() { close() }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        _ = refusal.compareExchange(0, UInt(ENOTCONN))
        invalidate()
        loop.remove(self)
        output = []
        head = 0
        if let receive { loop.cancel(receive) }
        if let send { loop.cancel(send) }
        receiver?.closed()
        socket?.close()
        socket = nil
    }

    private func invalidate() { lock.withLock { isNumberValid = false } }

    /// On any thread.
    func connect(to peer: SocketAddress) throws {
        let code: CInt = lock.withLock {
            guard isNumberValid else { return EBADF }
            return peer.withSocketAddress { Glibc.connect(number, $0, $1) } == 0 ? 0 : errno
        }
        if code != 0 { throw IOError(code: code, operation: "connect", subject: "\(peer)") }
    }

    // MARK: Receiving

    /// False if there is a subscriber.
    func begin(_ source: DatagramSource) -> Bool {
        if receiver != nil { return false }
        receiver = source
        receiveNext()
        return true
    }

    func end(_ source: DatagramSource) {
        guard receiver === source else { return }
        receiver = nil
        if let receive { loop.cancel(receive) }
    }

    private func receiveNext() {
        guard !isClosed, receiver != nil, let receive, let socket, !receive.isInFlight else { return }
        let storage = pool.take(onReturn: { [weak self] in
            guard let self else { return }
            loop.perform(receiveNext)
        })
        if let storage { receive.receive(self, on: socket, into: storage) }
    }

    fileprivate func received(_ result: Int32, _ storage: ByteStorage) {
        guard !isClosed, let receiver, let receive else { return }
        if result >= 0 {
            let sender = SocketAddress(receive.address, length: receive.message.pointee.msg_namelen)
            let isTruncated = receive.message.pointee.msg_flags & CInt(MSG_TRUNC) != 0
            receiver.receive(
                Datagram(
                    bytes: ByteChunk(storage, count: min(Int(result), storage.capacity)),
                    sender: sender ?? SocketAddress(.unix([])), isTruncated: isTruncated))
        } else if result != -ECANCELED {
            return receiver.failed(-result)
        }
        receiveNext()
    }

    // MARK: Sending

    /// On any thread. Returns 0, or the errno with which it is refused.
    func enqueue(_ bytes: ByteChunk, _ receiver: SocketAddress?) -> CInt {
        let refused = refusal.loadRelaxed()
        if refused != 0 { return CInt(refused) }
        let count = UInt(bytes.count)
        let before = queuedBytes.fetchAdd(count)
        if before > 0, before + count > UInt(sendLimit) {
            _ = queuedBytes.fetchAdd(0 &- count)
            return ENOBUFS
        }
        loop.perform { self.accept((bytes, receiver)) } refused: { _ = self.queuedBytes.fetchAdd(0 &- count) }
        return 0
    }

    private func accept(_ item: Item) {
        if isClosed {
            _ = queuedBytes.fetchAdd(0 &- UInt(item.bytes.count))
            return
        }
        output.append(item)
        if !isToldAtEndOfTurn {
            isToldAtEndOfTurn = true
            loop.tellAtEndOfTurn(self)
        }
    }

    func turnEnded() {
        isToldAtEndOfTurn = false
        flush()
    }

    private func flush() {
        guard !isClosed, let send, let socket, !send.isInFlight else { return }
        while head < output.count {
            send.load(output[head].bytes, output[head].receiver)
            let result = send.perform()
            if result == -EAGAIN { return send.send(self, on: socket) }
            send.unload()
            finished(result)
            if isClosed { return }
        }
    }

    fileprivate func sent(_ result: Int32) {
        if isClosed { return }
        finished(result)
        flush()
    }

    /// The first one has been sent, or failed.
    private func finished(_ result: Int32) {
        let item = output[head]
        head += 1
        if head == output.count {
            output.removeAll(keepingCapacity: head <= 64)
            head = 0
        } else if head >= 1_024, head * 2 >= output.count {
            output.removeFirst(head)
            head = 0
        }
        _ = queuedBytes.fetchAdd(0 &- UInt(item.bytes.count))
        if result < 0 { reportRefused(-result, item.bytes.count, item.receiver) }
    }

    /// On any thread.
    func reportRefused(_ code: CInt, _ count: Int, _ receiver: SocketAddress?) {
        let peer = receiver.map { "\($0)" } ?? "the peer of \(subject)"
        IOHooks.reportRefusedSend(IOError(code: code, operation: "send", subject: peer), count)
    }
}

/// The datagrams of a socket, for one subscriber.
final class DatagramSource: LoopSource<Datagram> {
    /// Keeps it open while it is observed.
    @exclusivity(unchecked) private var socket: UDPSocket?
    private let core: UDPCore
    @exclusivity(unchecked) private var isEmitting = false

    init(_ socket: UDPSocket, downstream: Sink<Datagram>) {
        self.socket = socket
        core = socket.core
        super.init(loop: socket.core.loop, downstream: downstream)
    }

    override var subject: String { core.subject }

    override func begin() {
        if core.isClosed { return complete() }
        if !core.begin(self) { fail("receive", EBUSY) }
    }

    override func end() {
        core.end(self)
        let released = socket
        socket = nil
        withExtendedLifetime(released) {}
    }

    func receive(_ datagram: Datagram) {
        isEmitting = true
        emit(datagram)
        isEmitting = false
        if core.isClosed { complete() }
    }

    func closed() {
        if !isEmitting { complete() }
    }

    func failed(_ code: CInt) { fail("receive", code) }
}

/// Receives datagrams, one after another.
private final class DatagramReceive: DescriptorOperation {
    let address = UnsafeMutablePointer<sockaddr_storage>.allocate(capacity: 1)
    let message = UnsafeMutablePointer<msghdr>.allocate(capacity: 1)
    private let vector = UnsafeMutablePointer<iovec>.allocate(capacity: 1)
    /// The socket while it is in flight.
    @exclusivity(unchecked) private var core: UDPCore?
    /// Held as long as the kernel may write there.
    @exclusivity(unchecked) private var storage: ByteStorage?

    init(_ descriptor: Descriptor) {
        message.initialize(to: msghdr())
        super.init(
            Request(
                kind: RX_RECEIVE_MESSAGE, descriptor: descriptor.number, address: UnsafeMutableRawPointer(message)))
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
private final class DatagramSend: DescriptorOperation {
    private let address = UnsafeMutablePointer<sockaddr_storage>.allocate(capacity: 1)
    private let message = UnsafeMutablePointer<msghdr>.allocate(capacity: 1)
    private let vector = UnsafeMutablePointer<iovec>.allocate(capacity: 1)
    /// Held as long as the kernel may read there.
    @exclusivity(unchecked) private var bytes: ByteChunk?
    /// The socket while it is in flight.
    @exclusivity(unchecked) private var core: UDPCore?

    init(_ descriptor: Descriptor) {
        message.initialize(to: msghdr())
        super.init(
            Request(
                kind: RX_SEND_MESSAGE, descriptor: descriptor.number, address: UnsafeMutableRawPointer(message),
                flags: UInt32(MSG_NOSIGNAL)))
    }

    deinit {
        address.deallocate()
        message.deallocate()
        vector.deallocate()
    }

    func load(_ bytes: ByteChunk, _ receiver: SocketAddress?) {
        self.bytes = bytes
        bytes.withUnsafeBytes {
            vector.initialize(
                to: iovec(iov_base: UnsafeMutableRawPointer(mutating: $0.baseAddress), iov_len: $0.count))
        }
        message.pointee.msg_iov = vector
        message.pointee.msg_iovlen = 1
        message.pointee.msg_name = receiver == nil ? nil : UnsafeMutableRawPointer(address)
        message.pointee.msg_namelen = receiver?.write(to: address) ?? 0
    }

    /// It was sent without being submitted.
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

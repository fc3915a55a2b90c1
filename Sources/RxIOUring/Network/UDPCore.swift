// SPDX-License-Identifier: Apache-2.0

import CRxIOUring
import Glibc
import RxPrimitives
import RxSwift

/// The part of a `UDPSocket` on its loop. Used on the loop thread only, unless a comment says otherwise.
final class UDPCore: ReceivingCore, LoopDependent, TickObserver, @unchecked Sendable {
    typealias Received = Datagram

    let loop: EventLoop
    let subject: String
    private let pool: BytePool
    private let sendLimit: Int

    private let fd: CInt
    /// The family of the socket's addresses.
    private let family: CInt
    /// Keeps `connect`, which may run on any thread, from using the number once it is closed.
    private let lock = Mutex()
    /// True while the number may be used; protected by `lock`.
    @exclusivity(unchecked) private var isFDValid = true
    /// The peer of a connected socket; protected by `lock`.
    @exclusivity(unchecked) private var peer: SocketAddress?
    /// 1 once the socket is connected; from any thread.
    private let hasPeer: AtomicWord

    @exclusivity(unchecked) private var socket: Descriptor?
    /// True once the close was requested: nothing is received or accepted any more, and what was accepted is being sent.
    @exclusivity(unchecked) private var isClosing = false
    @exclusivity(unchecked) private var isClosed = false
    /// The error that closed the socket; nil if the close was requested.
    @exclusivity(unchecked) private var failure: IOError?
    /// True if nothing is received any more, since the socket is about to be closed.
    @exclusivity(unchecked) private var isReceivingOver = false
    @exclusivity(unchecked) private var receive: DatagramReceive?
    @exclusivity(unchecked) private var receiver: ReceiveSource<UDPCore>?
    /// See `ReceivingCore`.
    @exclusivity(unchecked) var isInputEnding = false
    @exclusivity(unchecked) private var send: DatagramSend?
    @exclusivity(unchecked) private var isObservingTick = false

    typealias Item = (bytes: ByteChunk, receiver: SocketAddress)
    /// The datagrams to be sent, from index `head` on.
    @exclusivity(unchecked) private var output: [Item] = []
    @exclusivity(unchecked) private var head = 0
    /// True if sending the first datagram has failed with an error that may be an earlier one's.
    @exclusivity(unchecked) private var isSecondTry = false
    /// The most bytes of a datagram: 65,535 less the headers that count among them.
    private var maxBytes: Int { family == AF_INET6 ? 65_527 : 65_507 }
    private static let pendingErrors = [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH]

    /// An `OutputLoad`: what was accepted and not sent; used from any thread.
    private let load = AtomicWord(0)
    /// The number of bytes of that.
    var queuedBytes: Int { OutputLoad(word: load.loadRelaxed()).bytes }
    /// 0, or the errno with which sends are rejected; used from any thread.
    private let rejection = AtomicWord(0)

    init(_ fd: CInt, family: CInt, subject: String, pool: BytePool, sendLimit: Int, loop: EventLoop) {
        self.fd = fd
        self.family = family
        self.subject = subject
        self.pool = pool
        self.sendLimit = min(sendLimit, OutputLoad.mostLimit)
        self.loop = loop
        peer = Socket.remoteAddress(fd)
        hasPeer = AtomicWord(peer == nil ? 0 : 1)
    }

    /// Opens the socket on the loop. Called from any thread, before any other method.
    func start() {
        loop.perform(open) {
            _ = self.rejection.exchange(UInt(ECANCELED))
            self.invalidate()
            _ = Glibc.close(self.fd)
        }
    }

    private func open() {
        let socket = Descriptor(fd, on: loop)
        self.socket = socket
        // Cannot be rejected: the loop runs the jobs that it has accepted.
        _ = loop.add(self)
        receive = DatagramReceive(socket)
        send = DatagramSend(socket)
    }

    func drain() -> Bool {
        // The loop takes no work any more.
        if rejection.loadRelaxed() == UInt(ENOTCONN) { close() }
        flush()
        return !isClosed && head < output.count
    }

    func loopEnded() {
        if !isClosing { failure = loop.closedError(subject: subject) }
        close()
        if !isClosed { closeSocket() }
    }

    /// Closes after all work that was submitted before. Any thread may call this.
    func closeInOrder() {
        // If the loop thread itself closes, receiving stops at once.
        if loop.isCurrent { isReceivingOver = true }
        _ = rejection.compareExchange(0, UInt(ENOTCONN))
        invalidate()
        loop.perform(close)
        loop.recall(self)
    }

    private func close() {
        if isClosing { return }
        isClosing = true
        _ = rejection.compareExchange(0, UInt(ENOTCONN))
        invalidate()
        if let receive { loop.cancel(receive) }
        receiver?.inputEnded()
        // Sends the datagrams queued in the same tick, maybe just before. What the system has no room for is sent when it has.
        flush()
    }

    /// Closes the socket, and drops the datagrams that were not sent.
    private func closeSocket() {
        isClosed = true
        loop.remove(self)
        let dropped = output[head...]
        output = []
        head = 0
        if let send { loop.cancel(send) }
        socket?.close()
        socket = nil
        for item in dropped { drop(item) }
    }

    private func invalidate() { lock.withLock { isFDValid = false } }

    /// Connects the socket to a peer, on any thread.
    func connect(to peer: SocketAddress) throws {
        let code: CInt = lock.withLock {
            // A forked child shares the socket with its parent.
            guard isFDValid, rx_forks() == loop.forks else { return EBADF }
            if peer.withSocketAddress(for: family, { Glibc.connect(fd, $0, $1) }) != 0 { return errno }
            // As the system has it: it connects to an address of this machine if asked for any.
            self.peer = Socket.remoteAddress(fd)
            // Releasing: paired with the load in `currentPeer`.
            hasPeer.storeReleasing(1)
            return 0
        }
        if code != 0 { throw IOError(code: code, operation: "connect", subject: "\(peer)") }
    }

    /// True if a datagram of this sender is to be received: datagrams of others may have arrived before the socket was connected.
    private func isAwaited(_ sender: SocketAddress?) -> Bool {
        currentPeer.map { $0 == sender } ?? true
    }

    /// The peer of a connected socket, on any thread.
    private var currentPeer: SocketAddress? { hasPeer.loadAcquiring() == 0 ? nil : lock.withLock { peer } }

    // MARK: Receiving

    var inputEnd: InputEnd? { isClosing ? failure.map(InputEnd.failed) ?? .completed : nil }

    func begin(_ source: ReceiveSource<UDPCore>) -> Bool {
        // A subscriber that was disposed of leaves when its turn comes, which may be later.
        if let receiver, !receiver.isWanted { end(receiver) }
        if receiver != nil { return false }
        receiver = source
        if isClosing { source.inputEnded() } else { receiveNext() }
        return true
    }

    func end(_ source: ReceiveSource<UDPCore>) {
        guard receiver === source else { return }
        receiver = nil
        if let receive { loop.cancel(receive) }
    }

    func receiveNext() {
        guard !isClosing, !isReceivingOver, let receiver, let receive, let socket, !receive.isInFlight else { return }
        if receiver.mustPause() { return }
        receive.receive(self, on: socket, into: pool.take())
    }

    func received(_ result: Int32, _ storage: ByteStorage) {
        guard !isClosing, !isReceivingOver, let receiver, let receive else { return }
        if result >= 0 {
            let sender = SocketAddress(receive.address, length: receive.message.pointee.msg_namelen)
            guard isAwaited(sender) else { return receiveNext() }
            let isTruncated = receive.message.pointee.msg_flags & CInt(MSG_TRUNC) != 0
            receiver.receive(
                Datagram(
                    bytes: pool.chunk(storage, count: min(Int(result), storage.capacity)),
                    sender: sender ?? SocketAddress(.unix([])), isTruncated: isTruncated))
        } else if result != -ECANCELED {
            return receiver.fail("receive", -result)
        }
        receiveNext()
    }

    // MARK: Sending

    /// Queues a datagram, on any thread. Returns 0, or the errno with which it is rejected.
    ///
    /// - Parameter receiver: nil for the peer that the socket has now: it may have another one when the datagram is sent.
    func enqueue(_ bytes: ByteChunk, _ receiver: SocketAddress?) -> CInt {
        let rejected = rejection.loadRelaxed()
        if rejected != 0 { return CInt(rejected) }
        // A forked process has no loop thread that could send.
        if rx_forks() != loop.forks { return ECANCELED }
        guard let receiver = receiver ?? currentPeer else { return EDESTADDRREQ }
        // Rejected here, since it would take the room of others until the system rejects it.
        if bytes.count > maxBytes { return EMSGSIZE }
        let before = OutputLoad(word: load.fetchAdd(UDPCore.addend(bytes)))
        if !before.isEmpty, before.weight + OutputLoad(word: UDPCore.addend(bytes)).weight > sendLimit {
            subtract(bytes)
            return ENOBUFS
        }
        let packed = before.isEmpty ? bytes : bytes.compact
        if loop.isDirect {
            accept((packed, receiver))
        } else {
            loop.submit {
                self.accept((packed, receiver))
            } rejected: {
                self.drop((packed, receiver))
                return false
            }
        }
        return 0
    }

    private static func addend(_ bytes: ByteChunk) -> UInt {
        OutputLoad.addend(bytes: bytes.count, items: 1)
    }

    /// Takes a datagram off the load, on any thread.
    private func subtract(_ bytes: ByteChunk) { _ = load.fetchAdd(0 &- UDPCore.addend(bytes)) }

    private func accept(_ item: Item) {
        if isClosing { return drop(item) }
        output.append(item)
        flushAtEndOfTick()
    }

    private func flushAtEndOfTick() {
        if isObservingTick { return }
        isObservingTick = true
        loop.notifyAtEndOfTick(self)
    }

    func tickEnded() {
        isObservingTick = false
        flush()
    }

    private func flush() {
        guard !isClosed, let send, let socket, !send.isInFlight else { return }
        while head < output.count {
            send.load(output[head].bytes, output[head].receiver, family: family)
            let result = loop.backend.performNow(send)
            if result == -EAGAIN { return send.send(self, on: socket) }
            send.unload()
            finished(result)
            if isClosed { return }
            if head < output.count, loop.isTurnOver { return flushAtEndOfTick() }
        }
        if isClosing { closeSocket() }
    }

    func sent(_ result: Int32) {
        if isClosed { return }
        finished(result)
        flush()
    }

    /// Removes the first datagram, which has been sent or has failed.
    private func finished(_ result: Int32) {
        // The system reports by this datagram that an earlier one was rejected on its way. This one is sent by another try.
        if !isSecondTry, UDPCore.pendingErrors.contains(-result) {
            isSecondTry = true
            return
        }
        isSecondTry = false
        let item = output[head]
        head += 1
        if head == output.count {
            output.removeAll(keepingCapacity: head <= 64)
            head = 0
        } else if head >= 1_024, head * 2 >= output.count {
            output.removeFirst(head)
            head = 0
        }
        subtract(item.bytes)
        if result < 0 { reportRejected(-result, item.bytes.count, item.receiver) }
    }

    /// Drops a datagram that was accepted and cannot be sent any more.
    private func drop(_ item: Item) {
        subtract(item.bytes)
        reportRejected(ECANCELED, item.bytes.count, item.receiver)
    }

    /// Reports a rejected datagram to the hook, on any thread.
    func reportRejected(_ code: CInt, _ count: Int, _ receiver: SocketAddress?) {
        let peer = receiver.map { "\($0)" } ?? "the peer of \(subject)"
        IOHooks.reportRejectedSend(IOError(code: code, operation: "send", subject: peer), count)
    }
}

// SPDX-License-Identifier: Apache-2.0

import Glibc
import RxPrimitives

extension ConnectionCore {
    func begin(_ source: ReceiveSource<ConnectionCore>) -> Bool {
        // A subscriber that was disposed of leaves when its turn comes, which may be later.
        if let receiver, !receiver.isWanted { end(receiver) }
        let arrival = state.subscriberArrived(isWanted: source.isWanted)
        if arrival == .reject { return false }
        heldReceiver.hold(source)
        if arrival == .end {
            source.inputEnded()
            return true
        }
        if arrival == .deliver, let chunk = unclaimed.take() { deliver(chunk) }
        receiveNext()
        return true
    }

    var inputEnd: InputEnd? { state.inputEnd }

    /// Releases the subscriber; a receive in flight continues, and its result is for the next subscriber.
    func end(_ source: ReceiveSource<ConnectionCore>) {
        guard isReceiver(source) else { return }
        state.subscriberLeft()
        if receiverCalls > 0 { leftReceivers.append(source) }
        heldReceiver.release()
        if let rest = held.take(), state.received(isWanted: false) == .keep { unclaimed = rest }
        idleTimer?.resume()
        watchAtEndOfTick()
    }

    /// Submits the next receive, or delivers the rest of the last chunk soon, if a subscriber wants it.
    func receiveNext() {
        guard state.wantsChunk, !isDelivering, heldSocket.lent != nil else { return }
        if held != nil {
            if !isDeliveryQueued { loop.deliveries.add(self) }
            isDeliveryQueued = true
            return
        }
        if isReceiving || mustPause() { return }
        if let watch = hangUp.watch { loop.cancel(watch) }
        submitReceive()
    }

    /// Delivers the next piece of a chunk.
    func continueDelivery() {
        isDeliveryQueued = false
        // Those of a subscriber that was disposed of, and is about to leave, are for the next one.
        guard let receiver, receiver.isWanted, state.wantsChunk, !isDelivering, held != nil else { return }
        guard !mustPause(), let chunk = held.take() else { return }
        deliver(chunk)
        receiveNext()
    }

    /// Tells whether the subscriber wants nothing now; then it calls `receiveNext` later, or has left.
    private func mustPause() -> Bool {
        withReceiver { receiver in
            // The bytes that came before a reset are few, and the stages below accept them in a pause, too.
            if hangUp.isReset || !receiver.mustPause() {
                idleTimer?.resume()
                return false
            }
            // Unless the question has ended the receiver, which has left.
            if isReceiver(receiver) {
                idleTimer?.pause()
                watchAtEndOfTick()
            }
            return true
        } ?? true
    }

    /// Passes the subscriber to `body`, and counts no reference. Returns nil if there is none.
    @inline(__always)
    private func withReceiver<Result>(_ body: (ReceiveSource<ConnectionCore>) -> Result) -> Result? {
        guard let receiver = heldReceiver.lent else { return nil }
        receiverCalls += 1
        defer {
            receiverCalls -= 1
            if receiverCalls == 0, !leftReceivers.isEmpty { leftReceivers = [] }
        }
        return receiver._withUnsafeGuaranteedRef(body)
    }

    private func isReceiver(_ source: ReceiveSource<ConnectionCore>) -> Bool {
        heldReceiver.lent?.toOpaque() == Unmanaged.passUnretained(source).toOpaque()
    }

    /// Submits the next receive; none may be in flight.
    private func submitReceive() {
        if heldReceive.lent == nil { makeReceive() }
        guard let receive = heldReceive.lent, let socket = heldSocket.lent else { return }
        receive._withUnsafeGuaranteedRef { receive in
            socket._withUnsafeGuaranteedRef { submit(receive, $0) }
        }
    }

    private var isReceiving: Bool { heldReceive.lent?._withUnsafeGuaranteedRef { $0.isInFlight } ?? false }

    /// Receives into a buffer of a pool, if the window lends one more.
    private func submit(_ receive: ConnectionReceive, _ socket: Descriptor) {
        guard let window = heldWindow.lent else { return receiveIntoOwnMemory(receive, socket) }
        window._withUnsafeGuaranteedRef { window in
            if !window.take() { return receiveIntoOwnMemory(receive, socket) }
            if receive.pool == .bulk, window.bulk == nil { window.add(bulk: loop.backend.bulkPool) }
            receive.receive(on: socket, hasBulk: window.bulk != nil)
        }
    }

    /// Receives and drops while bytes wait for the peer, which may read no more before it has sent.
    func discardInput() {
        guard state.discardsInput, isSendInFlight || awaitsAcknowledgement else { return }
        if !isReceiving { submitReceive() }
    }

    private func makeReceive() {
        guard let socket else { return }
        heldReceive.hold(ConnectionReceive(self, on: socket))
        if let pool = loop.backend.usualPool {
            heldWindow.hold(ReceiveWindow(limit: options.receiveWindow, usual: pool))
        }
    }

    private func receiveIntoOwnMemory(_ receive: ConnectionReceive, _ socket: Descriptor) {
        receive.receive(on: socket, into: ByteStorage(capacity: ReceivePool.Kind.usual.size))
    }

    /// Handles the result of a receive, which the window has counted unless the connection received into its own memory.
    func received(_ result: Int32, buffer: Int, of pool: ReceivePool.Kind, own: ByteStorage?) {
        if result > 0 {
            idleTimer?.restart()
            if let own { return claim(chunk(own, count: Int(result))) }
            return claim(pooledChunk(buffer, of: pool, count: Int(result)))
        }
        if own == nil { window!.putBack() }
        if buffer >= 0 { loop.backend.returnBuffer(buffer, to: window!.pool(pool)) }
        if result == -ENOBUFS, own == nil, state.isOpen || state.discardsInput, let receive, let socket {
            // Observers hold all buffers of the pool.
            return pool == .bulk ? submitReceive() : receiveIntoOwnMemory(receive, socket)
        }
        // That of the receive for the subscriber.
        if result == -ECANCELED, state.discardsInput { return discardInput() }
        let error = result < 0 ? IOError(code: -result, operation: "receive", subject: subject) : nil
        switch state.inputEnded(error) {
        case .none: break
        case .tellSubscriber:
            watchAtEndOfTick()
            receiver?.inputEnded()
        case .close: release()
        }
    }

    private func pooledChunk(_ buffer: Int, of pool: ReceivePool.Kind, count: Int) -> ByteChunk {
        heldWindow.lent!._withUnsafeGuaranteedRef { ByteChunk($0.storage(buffer, of: pool), count: count) }
    }

    /// Makes a chunk of the connection's own memory. Observers keep many chunks already, so one of few bytes gets memory of its size.
    private func chunk(_ own: ByteStorage, count: Int) -> ByteChunk {
        let chunk = ByteChunk(own, count: count)
        return count > own.capacity / 4 ? chunk : chunk.withUnsafeBytes { ByteChunk(copying: $0) }
    }

    private func claim(_ chunk: ByteChunk) {
        switch state.received(isWanted: isReceiverWanting) {
        case .drop: discardInput()
        case .keep:
            unclaimed = chunk
            watchAtEndOfTick()
        case .deliver:
            deliver(chunk)
            receiveNext()
        }
    }

    /// Emits a chunk, or the first piece of it. A subscriber that leaves in the midst of it leaves the rest to the next one, which may have come
    /// meanwhile. One whose time is over gets the rest when others had their turn.
    ///
    /// The caller receives again when this returns: a chunk that comes earlier would overtake the rest.
    private func deliver(_ chunk: ByteChunk) {
        isDelivering = true
        defer { isDelivering = false }
        var position = chunk.startIndex
        while let isOver = withReceiver({ deliver(chunk, from: &position, to: $0) }) {
            if isOver { return }
        }
    }

    /// Emits a piece of a chunk. Returns false if another subscriber gets what is left.
    private func deliver(
        _ chunk: ByteChunk, from position: inout Int, to receiver: ReceiveSource<ConnectionCore>
    ) -> Bool {
        let end = position + pace.piece(of: chunk.endIndex - position)
        let outer = loop.beginDelivery()
        let start = pace.start(end - position)
        let isWhole = end - position == chunk.count
        if isWhole { receiver.receive(chunk) } else { receiver.receive(chunk[position..<end]) }
        let unused = loop.delivery.end(outer)
        // A subscriber that looks at the clock needs no smaller pieces.
        if let start, unused == nil { pace.delivered(end - position, since: start) }
        position = unused?.startIndex ?? end
        if position == chunk.endIndex { return true }
        let rest = chunk[position..<chunk.endIndex]
        if isReceiver(receiver), receiver.isWanted {
            held = rest
            return true
        }
        switch state.received(isWanted: isReceiverWanting) {
        case .drop: discardInput()
        case .keep:
            unclaimed = rest
            watchAtEndOfTick()
        case .deliver: return false
        }
        return true
    }

    private var isReceiverWanting: Bool { heldReceiver.lent?._withUnsafeGuaranteedRef { $0.isWanted } ?? false }
}

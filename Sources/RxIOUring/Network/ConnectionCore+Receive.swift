// SPDX-License-Identifier: Apache-2.0

import Glibc
import RxPrimitives

extension ConnectionCore {
    func begin(_ source: ReceiveSource<ConnectionCore>) -> Bool {
        // A subscriber that was disposed of leaves when its turn comes, which may be later.
        if let receiver, !receiver.isWanted { end(receiver) }
        let arrival = state.subscriberArrived(isWanted: source.isWanted)
        if arrival == .reject { return false }
        receiver = source
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
        guard receiver === source else { return }
        state.subscriberLeft()
        receiver = nil
        idleTimer?.resume()
        watchAtEndOfTick()
    }

    /// Submits the next receive, if a subscriber wants it.
    func receiveNext() {
        guard state.wantsChunk, !isDelivering, let socket, let receiver else { return }
        let receive = receive ?? makeReceive(socket)
        if receive.isInFlight { return }
        // The bytes that came before a reset are few, and the stages below accept them in a pause, too.
        if !hangUp.isReset, receiver.mustPause() {
            // The question has ended the receiver, which has left.
            if self.receiver !== receiver { return }
            idleTimer?.pause()
            return watchAtEndOfTick()
        }
        idleTimer?.resume()
        if let watch = hangUp.watch { loop.cancel(watch) }
        submit(receive, socket)
    }

    private func submit(_ receive: ConnectionReceive, _ socket: Descriptor) {
        guard let window, window.take() else { return receiveIntoOwnMemory(receive, socket) }
        if receive.pool == .bulk, window.bulk == nil { window.add(bulk: loop.backend.bulkPool) }
        receive.receive(self, on: socket, hasBulk: window.bulk != nil)
    }

    /// Receives and drops while queued bytes wait for the peer, which may read no more before it has sent.
    func discardInput() {
        guard state.discardsInput, let socket, send?.isInFlight == true else { return }
        let receive = receive ?? makeReceive(socket)
        if !receive.isInFlight { submit(receive, socket) }
    }

    private func makeReceive(_ socket: Descriptor) -> ConnectionReceive {
        let made = ConnectionReceive(socket)
        receive = made
        window = loop.backend.usualPool.map { ReceiveWindow(limit: options.receiveWindow, usual: $0) }
        return made
    }

    private func receiveIntoOwnMemory(_ receive: ConnectionReceive, _ socket: Descriptor) {
        receive.receive(self, on: socket, into: ByteStorage(capacity: ReceivePool.Kind.usual.size))
    }

    /// Handles the result of a receive, which the window has counted unless the connection received into its own memory.
    func received(_ result: Int32, buffer: Int, of pool: ReceivePool.Kind, own: ByteStorage?) {
        if result > 0 {
            idleTimer?.restart()
            if let own { return claim(chunk(own, count: Int(result))) }
            return claim(ByteChunk(window!.storage(buffer, of: pool), count: Int(result)))
        }
        if own == nil { window!.putBack() }
        if buffer >= 0 { loop.backend.returnBuffer(buffer, to: window!.pool(pool)) }
        if result == -ENOBUFS, own == nil, state.isOpen || state.discardsInput, let receive, let socket {
            // Observers hold all buffers of the pool.
            return pool == .bulk ? submit(receive, socket) : receiveIntoOwnMemory(receive, socket)
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

    /// Makes a chunk of the connection's own memory. Observers keep many chunks already, so one of few bytes gets memory of its size.
    private func chunk(_ own: ByteStorage, count: Int) -> ByteChunk {
        let chunk = ByteChunk(own, count: count)
        return count > own.capacity / 4 ? chunk : chunk.withUnsafeBytes { ByteChunk(copying: $0) }
    }

    private func claim(_ chunk: ByteChunk) {
        switch state.received(isWanted: receiver?.isWanted ?? false) {
        case .drop: discardInput()
        case .keep:
            unclaimed = chunk
            watchAtEndOfTick()
        case .deliver:
            deliver(chunk)
            receiveNext()
        }
    }

    /// Emits a chunk. A subscriber that leaves in the midst of it leaves the rest to the next one, which may have come meanwhile.
    ///
    /// The caller receives again when this returns: a chunk that comes earlier would overtake the rest.
    private func deliver(_ chunk: ByteChunk) {
        isDelivering = true
        defer { isDelivering = false }
        var next: ByteChunk? = chunk
        while let chunk = next.take(), let receiver {
            let outer = loop.delivery.begin(chunk)
            receiver.receive(chunk)
            guard let rest = loop.delivery.end(outer), self.receiver !== receiver || !receiver.isWanted else { return }
            switch state.received(isWanted: self.receiver?.isWanted ?? false) {
            case .drop: return discardInput()
            case .keep:
                unclaimed = rest
                return watchAtEndOfTick()
            case .deliver: next = rest
            }
        }
    }
}

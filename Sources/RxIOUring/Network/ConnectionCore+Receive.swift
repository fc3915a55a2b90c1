import Glibc
import RxPrimitives

extension ConnectionCore {
    func begin(_ source: ReceiveSource<ConnectionCore>) -> Bool {
        let arrival = state.subscriberArrived(isWanted: source.isWanted)
        if arrival == .reject { return false }
        receiver = source
        if arrival == .end {
            source.inputEnded()
            return true
        }
        if arrival == .deliver, let chunk = unclaimed.take() { source.receive(chunk) }
        receiveNext()
        return true
    }

    var inputEnd: InputEnd? { state.inputEnd }

    /// Releases the subscriber; a receive in flight continues, and its result is for the next subscriber.
    func end(_ source: ReceiveSource<ConnectionCore>) {
        guard receiver === source else { return }
        state.subscriberLeft()
        receiver = nil
        // The next subscriber waits anew: the loop writes the window's `waiter` only while there is no wait.
        window?.cancelWait()
        stall?.unblocked()
    }

    /// Submits the next receive, if there is room and a subscriber wants it.
    func receiveNext() {
        guard state.wantsChunk, let socket else { return }
        let receive = receive ?? makeReceive(socket)
        if receive.isInFlight || !takeRoom() { return }
        if loop.backend.receivePool != nil {
            receive.receive(self, on: socket)
        } else {
            receiveIntoOwnMemory(receive, socket)
        }
    }

    private func makeReceive(_ socket: Descriptor) -> ConnectionReceive {
        let made = ConnectionReceive(socket)
        receive = made
        window = ReceiveWindow(limit: options.receiveWindow, pool: loop.backend.receivePool)
        return made
    }

    private func receiveIntoOwnMemory(_ receive: ConnectionReceive, _ socket: Descriptor) {
        let size = ReceivePool.size
        receive.receive(
            self, on: socket, into: window!.storage(.allocate(byteCount: size, alignment: 16), capacity: size))
    }

    /// Receives again, since a chunk was released after the window was full; called on any thread.
    func roomCameBack() { loop.perform(receiveNext) }

    /// Handles the result of a receive, which the window has counted.
    func received(_ result: Int32, buffer: Int, own: ByteStorage?) {
        guard let window else { return }
        if result > 0 {
            let storage: ByteStorage
            if let own {
                storage = own
            } else {
                storage = window.storage(loop.backend.receivePool!.address(buffer), capacity: ReceivePool.size)
            }
            return claim(ByteChunk(storage, count: Int(result)))
        }
        if buffer >= 0 { loop.backend.returnBuffer(buffer) }
        if result == -ENOBUFS, own == nil, state.isOpen, let receive, let socket {
            // Observers hold all buffers of the loop.
            return receiveIntoOwnMemory(receive, socket)
        }
        if own == nil { window.putBack() }
        let error = result < 0 ? IOError(code: -result, operation: "receive", subject: subject) : nil
        switch state.inputEnded(error) {
        case .none: break
        case .tellSubscriber: receiver?.inputEnded()
        case .close: release()
        }
    }

    private func claim(_ chunk: ByteChunk) {
        switch state.received(isWanted: receiver?.isWanted ?? false) {
        case .drop: break
        case .keep: unclaimed = chunk
        case .deliver:
            receiver?.receive(chunk)
            receiveNext()
        }
    }
}

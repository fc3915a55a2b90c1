import Glibc
import RxPrimitives

extension ConnectionCore {
    func begin(_ source: ReceiveSource<ConnectionCore>) -> Bool {
        if receiver != nil { return false }
        receiver = source
        if source.isWanted, let chunk = unclaimed {
            unclaimed = nil
            source.receive(chunk)
            guard receiver === source else { return true }
        }
        if inputEnd != nil { source.inputEnded() } else { receiveNext() }
        return true
    }

    /// Releases the subscriber; a receive in flight continues, and its result is for the next subscriber.
    func end(_ source: ReceiveSource<ConnectionCore>) {
        guard receiver === source else { return }
        receiver = nil
        // The next subscriber waits anew: the loop writes the window's `waiter` only while there is no wait.
        window?.cancelWait()
        stall?.unblocked()
    }

    /// Submits the next receive, if there is room and a subscriber wants it.
    func receiveNext() {
        guard phase == .open, !isReceivingOver, inputEnd == nil, receiver != nil, unclaimed == nil, let socket else {
            return
        }
        let receive = receive ?? makeReceive(socket)
        if receive.isInFlight || !takeRoom() { return }
        if loop.backend.receivePool != nil {
            receive.receive(self, on: socket, expectsNothing: isDrained)
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
            isDrained = result < ReceivePool.size
            let storage: ByteStorage
            if let own {
                storage = own
            } else {
                storage = window.storage(loop.backend.receivePool!.address(buffer), capacity: ReceivePool.size)
            }
            return claim(ByteChunk(storage, count: Int(result)))
        }
        if buffer >= 0 { loop.backend.returnBuffer(buffer) }
        if result == -ENOBUFS, own == nil, phase == .open, let receive, let socket {
            // Observers hold all buffers of the loop.
            return receiveIntoOwnMemory(receive, socket)
        }
        if own == nil { window.putBack() }
        guard phase == .open else { return }
        if result < 0 { return finishClosing(IOError(code: -result, operation: "receive", subject: subject)) }
        if let outputFailure { return finishClosing(outputFailure) }
        inputEnd = .completed
        if isOutputShut { finishClosing(nil) } else { receiver?.inputEnded() }
    }

    private func claim(_ chunk: ByteChunk) {
        guard phase == .open, !isReceivingOver else { return }
        // A subscriber disposed of on another thread is still here until the loop hears of it.
        guard let receiver, receiver.isWanted else {
            unclaimed = chunk
            return
        }
        receiver.receive(chunk)
        receiveNext()
    }
}

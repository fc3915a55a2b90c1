// SPDX-License-Identifier: Apache-2.0

import CRxIOUring
import Glibc

/// Tells what a connection knows of its peer while it does not receive. Used on the loop thread only.
struct HangUpState {
    /// The operation, made when the connection does not receive for the first time.
    var watch: HangUpWatch?
    /// True if the connection is to be watched from the end of the tick on, unless it receives by then.
    fileprivate(set) var isWanted = false
    /// True once the peer has reset the connection.
    fileprivate(set) var isReset = false
    /// True once both directions have ended while bytes wait for a subscriber: until it has received them, a watch would end at once.
    fileprivate(set) var isUnread = false
    /// True once there is nothing more to watch for.
    fileprivate(set) var isOver = false
}

// A connection that receives learns of a reset by that. One without a subscriber, with a source that has paused, or whose input has ended,
// watches for it: without that a server that only waits would keep the connection for ever.
extension ConnectionCore {
    /// Has the connection watched from the end of the tick on, unless it receives by then.
    func watchAtEndOfTick() {
        // A loop that ends has no more ticks.
        if loop.isClosed { return }
        hangUp.isWanted = true
        flushAtEndOfTick()
    }

    func watchForHangUp() {
        guard hangUp.isWanted else { return }
        hangUp.isWanted = false
        guard state.life == .open, let socket, !hangUp.isOver, receive?.isInFlight != true else { return }
        if hangUp.isUnread, inputEnd == nil { return }
        let watch = hangUp.watch ?? HangUpWatch(self, on: socket)
        hangUp.watch = watch
        if !watch.isInFlight { socket.submit(watch) }
    }

    /// Handles a result of the watch.
    ///
    /// - Parameter events: POLLERR and the like, or a negated errno.
    func watched(_ events: Int32) {
        guard state.life == .open, let socket, receive?.isInFlight != true else { return }
        if events == -ECANCELED { return watchAtEndOfTick() }
        // A kernel without this operation, or a backend that cannot watch the descriptor.
        if events < 0 {
            hangUp.isOver = true
            return
        }
        if events & Int32(POLLERR) != 0 {
            wasReset(socket)
        } else if events & Int32(POLLHUP) != 0 {
            wasClosed(socket)
        } else if hangUp.watch?.isInFlight != true {
            watchAtEndOfTick()
        }
    }

    /// Handles that the connection is broken. A subscriber gets the bytes that came before, and the error behind them.
    private func wasReset(_ socket: Descriptor) {
        hangUp.isOver = true
        if state.wantsChunk {
            hangUp.isReset = true
            return receiveNext()
        }
        let code = Socket.takeError(socket.fd)
        if code == 0 { return }
        // The system's word for a reset behind the end of the input.
        let error = IOError(code: code == EPIPE ? ECONNRESET : code, operation: "receive", subject: subject)
        finishClosing(error)
    }

    /// Handles that both directions have ended without an error. Bytes that were not received wait for a subscriber.
    private func wasClosed(_ socket: Descriptor) {
        if inputEnd == nil, unclaimed != nil || state.wantsChunk || Socket.hasInput(socket.fd) {
            hangUp.isUnread = true
            return
        }
        hangUp.isOver = true
        if output.isEmpty { finishClosing(nil) }
    }
}

/// Waits until a connection is broken. Used on the loop thread only.
final class HangUpWatch: ConnectionOperation {
    init(_ core: ConnectionCore, on descriptor: Descriptor) {
        super.init(Request(kind: RX_HANG_UP, descriptor: descriptor.fd, address: nil), of: core)
    }

    override func finished(_ result: Int32, buffer: Int32, of core: ConnectionCore) {
        core.watched(result)
    }
}

// SPDX-License-Identifier: Apache-2.0

import Glibc
import RxIOUring

extension World {
    /// True if everything that an end has accepted must reach the other end, which then sees a clean end.
    func mustArrive(_ end: End) -> Bool {
        let peer = ends[end.number ^ 1]
        guard end.isConnected, !program.hasErrors, let ending = end.ending, !end.wasAborted, !end.isCutShort,
            !end.hasOverflowed
        else {
            return false
        }
        // The end of the loop may come before that of the output, which this side asks for at the same time, and cut a file off.
        if !end.relays.isEmpty, isEnded(end.loop), end.writeEnds.contains(where: { $0.completions == 0 }) {
            return false
        }
        // It reads nothing, and so the peer may not go on.
        if end.isEchoedTo { return false }
        guard !peer.wasAborted, !peer.hasOverflowed, !peer.wantsNoInput, peer.isSubscribed, !peer.isDisposed,
            !isEnded(peer.loop)
        else {
            return false
        }
        if case .slow(let loop, _) = peer.consumer, isEnded(loop) { return false }
        switch ending.kind {
        case .shutdownOutput: return !end.wantsNoInput || !peer.hasSent && canDrain(end, peer)
        // A peer that is still sending resets the connection.
        case .close: return !peer.hasSent && canDrain(end, peer)
        case .release, .loop:
            // A sequence that the end of the loop cuts off resets the peer.
            let isCutOff = isEnded(end.loop) && end.writeEnds.contains { $0.completions == 0 }
            return !isCutOff && !peer.hasSent && canDrain(end, peer)
        case .abort: return false
        }
    }

    /// True if a loop that ends has the time to send what an end has accepted.
    private func canDrain(_ end: End, _ peer: End) -> Bool {
        if case .direct = peer.consumer { return true }
        return !isEnded(end.loop)
    }

    /// True once the other end has seen the end of the stream, and it is known why if that was a failure.
    ///
    /// A peer sees a reset before `closed` tells that the output has exceeded its limit: see `End.hasOverflowed`.
    func hasArrivedOrFailed(_ end: End) -> Bool {
        let input = ends[end.number ^ 1].inputEnd
        // The reset of a Unix socket looks like a clean end: then only `closed` tells that a send beside the close has exceeded the limit.
        let mayBeReset =
            end.link.isUnix && end.wantsNoInput && end.sends.values.contains { $0.contains { $0.isAccepted == false } }
        return input.isClean && !mayBeReset || input.isOver && end.closedEnd.isOver
    }

    /// Checks what has come from an end.
    func checkArrival(_ end: End) {
        let peer = ends[end.number ^ 1]
        let name = "from end \(end.number) to end \(peer.number)"
        if let fault = peer.parser.fault { streamFault(name, fault) }
        for (lane, sends) in end.sends {
            if let first = sends.firstIndex(where: { $0.isAccepted == false }),
                sends[first...].contains(where: { $0.isAccepted == true })
            {
                streamFault(name, "sender \(lane): frame \(first) was rejected, and a later one accepted")
            }
        }
        let mustArrive = mustArrive(end)
        if mustArrive, !peer.inputEnd.isClean {
            streamFault(
                name,
                "everything has to arrive, but the stream \(peer.inputEnd.errors.first.map { "failed: \($0)" } ?? "does not end")"
            )
        }
        // A stream that this side has closed, and that of a Unix socket whose peer was reset, end as if they were whole.
        guard peer.inputEnd.isClean, !peer.wantsNoInput, !isEnded(peer.loop), !peer.isDisposed else { return }
        if end.link.isUnix, !mustArrive { return }
        // A program may end the output in the midst of a file.
        if peer.parser.isCut, end.relays.isEmpty { streamFault(name, "a clean end within a frame") }
        if (end.closedEnd.errors.first as? IOError)?.code == ENOBUFS {
            streamFault(name, "a clean end, though the connection has failed by too much to send")
        }
        if let fault = checkRelays(end, peer.parser.whole) { streamFault(name, fault) }
        for lane in end.sends.keys.sorted() {
            // Sends beside the end of the output may be rejected later, which is reported.
            let certain = wasSendReported ? end.certain(lane) : end.accepted(lane)
            let arrived = peer.parser.whole[lane, default: 0]
            if arrived < certain {
                streamFault(
                    name, "a clean end after \(arrived) frames of sender \(lane), of which \(certain) were accepted")
            }
        }
    }

    private func streamFault(_ name: String, _ text: String) { fault("\(name): \(text)") }

    /// True if all peers of the ends of a loop read for as long as what they send back is read.
    func sendsToReaders(_ loop: Int) -> Bool {
        let peers = ends.filter { $0.loop == loop }.map { ends[$0.number ^ 1] }
        return !program.hasErrors
            && peers.allSatisfy { $0.consumer.isEcho && $0.loop != loop && $0.ending == nil && !$0.isDisposed }
    }

    /// Checks that a close without bytes comes to its end, and that the other end, which reads for as long as what it sends back is read, has
    /// taken everything when this one closes.
    func checkCloses() {
        // Longer than the time for sending.
        Simulated.wait(seconds: 35) { ends.allSatisfy { !isReadWhileClosing($0) || $0.closedEnd.isOver } }
        let idle = ends.filter {
            $0.wasClosed && $0.isConnected && !$0.consumer.isEcho && $0.sends.values.allSatisfy(\.isEmpty)
        }
        if !Simulated.wait(seconds: 2, { idle.allSatisfy(\.closedEnd.isOver) }) {
            fault("a close has no end, though there is nothing to be sent")
        }
        for end in ends where isReadWhileClosing(end) {
            guard let error = end.closedEnd.errors.first as? IOError, error.code == ETIMEDOUT else { continue }
            fault("end \(end.number): the other end reads, and the close had no time: \(error)")
        }
    }

    /// True if an end is to close, and the other end sends back what it reads. A step that comes late on its loop may end that.
    private func isReadWhileClosing(_ end: End) -> Bool {
        let peer = ends[end.number ^ 1]
        return end.isEchoedTo && end.wantsNoInput && end.isConnected && !program.hasErrors && peer.ending == nil
            && !peer.isDisposed
    }

    /// Checks that each stream of an end has ended once.
    func checkEnds(_ end: End) {
        guard end.isConnected else { return }
        if end.closedEnd.count != 1 { fault("end \(end.number): 'closed' ended \(end.closedEnd.count) times") }
        if end.mustEndInput, end.inputEnd.count != 1 {
            fault("end \(end.number): 'received' ended \(end.inputEnd.count) times")
        }
        for write in end.writeEnds where write.isDisposed ? write.count > 1 : write.count != 1 {
            fault("end \(end.number): 'write' ended \(write.count) times")
        }
    }
}

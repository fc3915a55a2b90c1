// SPDX-License-Identifier: Apache-2.0

import CRxIOUring
import Glibc
import RxPrimitives
import RxSwift

extension ConnectionCore {
    /// Queues bytes, in order, on any thread. Returns 0, or the errno with which they are rejected.
    ///
    /// Bytes that find more than the limit queued end the connection: what is sent after them must not follow what was sent before.
    func enqueue(
        _ bytes: ByteChunk, _ waiter: (any WriteWaiter)? = nil, beyondLimit tolerance: OutputTolerance = .none
    ) -> CInt {
        // Another thread of the parent process may have held the lock of the inbox.
        if rx_forks() != loop.forks { return ECANCELED }
        let count = bytes.count
        if count == 0, waiter == nil { return CInt(rejection.loadRelaxed()) }
        useMark.storeRelaxed(1)
        var item = OutputQueue.Item(bytes: bytes, waiter: waiter)
        let added = item.load
        let before = OutputLoad(word: load.fetchAdd(added))
        // Relaxed: either this thread sees the word, or the loop thread sees the load before it ends the output.
        let rejected = CInt(rejection.loadRelaxed())
        if rejected != 0, count > 0 || !isEndingInOrder(rejected) {
            unschedule(added)
            return rejected
        }
        if before.weight > tolerance.most(watermarks.limit) {
            unschedule(added)
            // Without bytes there is no hole.
            return count > 0 ? outputOverflowed(before, rejected: count) : ENOBUFS
        }
        if !before.isEmpty { item.pack() }
        if loop.isCurrent {
            acceptInOrder(consume item)
        } else if !leaveInInbox(consume item) {
            unschedule(added)
            let rejected = CInt(rejection.loadRelaxed())
            return rejected == 0 ? ECANCELED : rejected
        }
        // Relaxed: see `addOutputObserver`.
        if isOutputObserved.loadRelaxed() != 0 { noticeOutput(before, added: added) }
        return 0
    }

    /// True if bytes are rejected because this side ends: a waiter behind bytes that were accepted is still told when they are sent.
    private func isEndingInOrder(_ rejected: CInt) -> Bool { rejected == EPIPE || rejected == ENOTCONN }

    /// Takes what was rejected off the load, on any thread.
    @inline(never)
    private func unschedule(_ added: UInt) {
        reduceLoad(by: added)
        // Relaxed: the read-modify-write of the load comes behind that of the loop thread, if that has seen the item.
        if awaitsSends.loadRelaxed() != 0 { loop.perform(flushAtEndOfTick, rejected: wakeEndingLoop) }
    }

    /// Has a loop that ends look at this connection again: see `drain`. It takes no work any more.
    func wakeEndingLoop() {
        // A forked process has no loop thread that could look.
        if rx_forks() != loop.forks { return closeInbox() }
        if inboxLock.withLock({ isInboxReleased }) { dropInbox() } else { loop.backend.interrupt() }
    }

    /// Rejects what is in the inbox once the descriptor is closed. The loop takes what comes later; if the loop has ended, the sending thread drops it.
    func releaseInbox() {
        inboxLock.withLock { isInboxReleased = true }
        takeInbox()
    }

    /// Drops what is in the inbox, on any thread, since the loop does not look at this connection any more. The waiters learn of its end from the loop.
    private func dropInbox() {
        let error = loop.closedError(subject: subject)
        for item in emptyInbox() {
            reduceLoad(by: item.load)
            if item.waiter == nil { IOHooks.reportRejectedSend(error, item.bytes.count) }
        }
    }

    /// Accepts an item on the loop thread, behind all sends on other threads that the caller knows of.
    ///
    /// Those need not wait for the turn of the submitted `takeInbox`.
    private func acceptInOrder(_ item: consuming OutputQueue.Item) {
        // Another thread made the connection, and the loop thread has not opened it yet.
        if state.isStarting, leaveInInbox(copy item) { return }
        // Relaxed: a caller that knows of such a send comes after it, and so sees the word.
        if isInboxAnnounced.loadRelaxed() != 0 { takeInbox() }
        accept(consume item)
    }

    /// Leaves an item for the loop, which takes it in any case. Returns false if the loop has ended, or the connection has failed.
    private func leaveInInbox(_ item: consuming OutputQueue.Item) -> Bool {
        inboxLock.lock()
        if isInboxClosed {
            inboxLock.unlock()
            return false
        }
        inbox.append(consume item)
        let isFirst = isInboxAnnounced.loadRelaxed() == 0
        if isFirst { isInboxAnnounced.storeRelaxed(1) }
        inboxLock.unlock()
        if isFirst { loop.perform(takeInbox, rejected: wakeEndingLoop) }
        return true
    }

    /// Accepts the items that were sent on other threads.
    func takeInbox() {
        for item in emptyInbox() { accept(item) }
    }

    private func emptyInbox(closes: Bool = false) -> [OutputQueue.Item] {
        inboxLock.lock()
        let taken = inbox
        inbox = OutputQueue()
        isInboxAnnounced.storeRelaxed(0)
        if closes { isInboxClosed = true }
        inboxLock.unlock()
        return taken.remaining
    }

    /// Closes the inbox, since the loop has ended, and rejects the items in it.
    func closeInbox() {
        let error = loop.closedError(subject: subject)
        for item in emptyInbox(closes: true) {
            hasDroppedOutput = true
            reject(item, error)
            if item.waiter == nil { IOHooks.reportRejectedSend(error, item.bytes.count) }
        }
    }

    /// Sends what was accepted before the end of the loop. Returns whether something is left, or is being sent by another thread.
    func drainOutput() -> Bool {
        takeInbox()
        flush()
        return state.isSending && mustAwaitSends
    }

    private func accept(_ item: consuming OutputQueue.Item) {
        // An item accepted before `close` is still sent after it.
        switch state.bytesArrived() {
        case .reject: reject(item, state.sendFailure ?? sendError(ENOTCONN))
        case .rejectBehindEnd: rejectBehindEnd(item)
        case .queue(let isLimited):
            // What the end of the loop finds in the inbox was sent before the sequence was cut off.
            if !item.bytes.isEmpty, !state.isDraining { isIncomplete = false }
            output.append(consume item)
            if isLimited { limitFlushing() }
            flushAtEndOfTick()
        }
    }

    func flushAtEndOfTick() {
        if state.flushWanted() { loop.notifyAtEndOfTick(self) }
    }

    // MARK: Rejecting

    private func reject(_ item: OutputQueue.Item, _ error: IOError) {
        unscheduleOnLoop(item)
        // A waiter without bytes stands behind bytes that were accepted.
        if !item.bytes.isEmpty { hasSentEverything = false }
        item.waiter?.writeEnded(hasSentEverything ? nil : error)
    }

    /// Takes an item that was rejected off the load, on the loop thread. An end of the output may wait for it.
    private func unscheduleOnLoop(_ item: OutputQueue.Item) {
        reduceLoad(by: item.load)
        if awaitsSends.loadRelaxed() != 0 { flushAtEndOfTick() }
    }

    /// Rejects an item that another thread sent before it knew of `endOutput`.
    private func rejectBehindEnd(_ item: OutputQueue.Item) {
        if item.bytes.isEmpty {
            unscheduleOnLoop(item)
            item.waiter?.writeEnded(nil)
            return
        }
        let error = sendError(EPIPE)
        reject(item, error)
        IOHooks.reportRejectedSend(error, item.bytes.count)
    }

    /// Ends the connection, on any thread, once. What is queued is dropped, and the peer gets a reset, not a clean end.
    ///
    /// Behind an end it only rejects: what was queued before the end is still sent.
    /// - Returns: the errno with which the bytes are rejected.
    @inline(never)
    private func outputOverflowed(_ load: OutputLoad, rejected count: Int) -> CInt {
        guard rejection.compareExchange(0, UInt(ENOBUFS)) else { return CInt(rejection.loadRelaxed()) }
        let error = overflowError(load)
        // Submitted, not called at once: the caller may be an observer of this connection.
        loop.submit {
            self.finishClosing(error)
        } rejected: {
            false
        }
        IOHooks.reportRejectedSend(error, count)
        return ENOBUFS
    }

    func overflowError(_ load: OutputLoad) -> IOError {
        IOError(
            code: ENOBUFS, operation: "send",
            subject:
                "\(subject) (\(load.bytes) bytes wait, which take \(load.weight); the limit is \(watermarks.limit))")
    }

    /// True if bytes were rejected in the midst of the stream: then no orderly end may follow, also if the failure has not reached the loop.
    // Relaxed: who ends the output in order tries to set the same word before.
    var hasOverflowed: Bool { rejection.loadRelaxed() == UInt(ENOBUFS) }

    /// The error for which bytes are rejected; on any thread.
    func rejectionError(_ code: CInt) -> IOError {
        code == ENOBUFS ? overflowError(OutputLoad(word: load.loadRelaxed())) : sendError(code)
    }

    private func sendError(_ code: CInt) -> IOError { IOError(code: code, operation: "send", subject: subject) }

    func rejectSends(_ code: CInt) {
        _ = rejection.compareExchange(0, UInt(code))
    }

    /// Sends a FIN behind the queued bytes, and rejects new ones; called on any thread.
    func endOutput() {
        isEndRequested.storeRelaxed(1)
        rejectSends(EPIPE)
        loop.perform(shutDownOutput)
        loop.recall(self)
    }

    func shutDownOutput() {
        if hasOverflowed { return }
        takeInbox()
        if state.shutdownRequested() { flushAtEndOfTick() }
    }

    func tickEnded() {
        switch state.tickEnded() {
        case .none: break
        case .send: flush()
        case .close: release()
        }
        watchForHangUp()
    }

    /// Sends the bytes that can be sent now, and leaves the rest to the kernel.
    func flush() {
        guard state.isSending else { return }
        if output.isEmpty, !state.endsWhenDrained { return }
        if isSendInFlight { return discardInput() }
        if heldSend.lent == nil { makeSend() }
        guard let send = heldSend.lent, let socket = heldSocket.lent else { return }
        // The connection keeps both: it is never closed at once by an observer, to whom outcomes are told meanwhile.
        send._withUnsafeGuaranteedRef { send in
            socket._withUnsafeGuaranteedRef { flush(send, $0) }
        }
    }

    var isSendInFlight: Bool { heldSend.lent?._withUnsafeGuaranteedRef { $0.isInFlight } ?? false }

    private func flush(_ send: ConnectionSend, _ socket: Descriptor) {
        while !output.isEmpty {
            // Items queued during one tick of the loop go out together.
            let wanted = send.load(&output)
            // Many connections share one system call; for a few, one call each costs less than the completions. So it does for many bytes, which
            // would stay in memory until their completion, behind all that the kernel has completed before.
            if wanted > 0, wanted <= ConnectionCore.mostInBulk, loop.submitsInBulk { return submit(send, socket) }
            let result = wanted == 0 ? 0 : loop.withBackend { $0.performNow(send) }
            if result == -EAGAIN { return submit(send, socket) }
            if result < 0 { return outputFailed(-result) }
            remove(Int(result))
            guard state.isSending, !send.isInFlight else { return }
            if Int(result) < wanted, !output.isEmpty {
                _ = send.load(&output)
                return submit(send, socket)
            }
            if !output.isEmpty, loop.isTurnOver { return flushAtEndOfTick() }
        }
        allIsSent(socket)
    }

    /// The most bytes that a connection sends together with others.
    private static let mostInBulk = 8 << 10

    private func makeSend() {
        if let socket { heldSend.hold(ConnectionSend(self, on: socket, continues: !options.limitsSilence)) }
    }

    private func submit(_ send: ConnectionSend, _ socket: Descriptor) {
        socket.submit(send)
        discardInput()
    }

    private func remove(_ count: Int) {
        if count > 0 { idleTimer?.sent(count) }
        let items = output.count
        let waiters = output.remove(count)
        reduceLoad(by: OutputLoad.addend(bytes: count, items: items - output.count))
        for waiter in waiters { waiter.writeEnded(nil) }
    }

    private func allIsSent(_ socket: Descriptor) {
        if state.endsWhenDrained, mustAwaitSends { return }
        switch state.outputDrained() {
        case .none: break
        case .close:
            dropUnread(socket)
            release()
        case .shutDown(let isLast):
            _ = Glibc.shutdown(socket.fd, CInt(SHUT_WR))
            if isLast { release() }
        }
    }

    /// True if another thread is about to queue bytes that it found accepted, or to find them rejected; either way it calls the loop.
    private var mustAwaitSends: Bool {
        awaitsSends.storeRelaxed(1)
        // A read-modify-write, so that a send which comes behind it sees `awaitsSends`, and that sends are rejected.
        return !OutputLoad(word: load.fetchAdd(0)).isEmpty
    }

    /// Reads and drops unread input: closing the socket before that resets the connection, and bytes already sent are lost.
    func dropUnread(_ socket: Descriptor) {
        withUnsafeTemporaryAllocation(byteCount: ReceivePool.Kind.usual.size, alignment: 16) { buffer in
            var rest = ConnectionCore.mostUnread
            while rest > 0 {
                let count = recv(socket.fd, buffer.baseAddress, buffer.count, CInt(MSG_DONTWAIT))
                if count <= 0 { return }
                rest -= count
            }
        }
    }

    /// The most unread bytes to drop: a peer that sends faster than that is not waited for.
    private static let mostUnread = 4 << 20

    /// Handles the result of a send in flight.
    func sent(_ result: Int32) {
        guard state.isSending else { return }
        if result < 0 { return outputFailed(-result) }
        remove(Int(result))
        flush()
    }

    private func outputFailed(_ code: CInt) {
        let error = IOError(code: code, operation: "send", subject: subject)
        let action = state.sendFailed(error)
        rejectSends(code)
        switch action {
        case .none: break
        case .dropOutput: dropOutput(error)
        case .close: release()
        }
    }

    func dropOutput(_ error: IOError) {
        let (bytes, items) = (output.bytes, output.count)
        if bytes > 0 { hasDroppedOutput = true }
        let waiters = output.removeAll()
        reduceLoad(by: OutputLoad.addend(bytes: bytes, items: items))
        for waiter in waiters { waiter.writeEnded(error) }
    }
}

import Glibc
import RxPrimitives
import RxSwift

extension ConnectionCore {
    /// Queues bytes, in order, on any thread. Returns 0, or the errno with which they are rejected.
    ///
    /// - Parameter isLimited: false for bytes of a source that pauses, which are accepted also beyond the limit.
    func enqueue(_ bytes: ByteChunk, _ waiter: (any WriteWaiter)? = nil, isLimited: Bool = true) -> CInt {
        // Relaxed: out of date in any case; the loop thread checks again.
        let rejected = rejection.loadRelaxed()
        if rejected != 0 { return CInt(rejected) }
        let count = bytes.count
        if count == 0, waiter == nil { return 0 }
        let before = OutputLoad(word: load.fetchAdd(OutputLoad.addend(bytes: count, items: 1))).bytes
        if isLimited, before > 0, count > 0, before + count > options.sendLimit {
            reduceLoad(bytes: count, items: 1)
            return ENOBUFS
        }
        let item = OutputQueue.Item(bytes: bytes, waiter: waiter)
        if loop.isCurrent { acceptInOrder(item) } else { leaveInInbox(item) }
        return 0
    }

    /// Accepts an item on the loop thread, behind all sends on other threads that the caller knows of.
    ///
    /// Those need not wait for the turn of the submitted `takeInbox`.
    private func acceptInOrder(_ item: OutputQueue.Item) {
        // Another thread made the connection, and the loop thread has not opened it yet.
        if state.isStarting { return leaveInInbox(item) }
        // Relaxed: a caller that knows of such a send comes after it, and so sees the word.
        if isInboxAnnounced.loadRelaxed() != 0 { takeInbox() }
        accept(item)
    }

    private func leaveInInbox(_ item: OutputQueue.Item) {
        inboxLock.lock()
        inbox.append(item)
        let isFirst = isInboxAnnounced.loadRelaxed() == 0
        if isFirst { isInboxAnnounced.storeRelaxed(1) }
        inboxLock.unlock()
        if isFirst { loop.perform(takeInbox, rejected: dropInbox) }
    }

    /// Accepts the items that were sent on other threads.
    func takeInbox() {
        for item in emptyInbox() { accept(item) }
    }

    private func emptyInbox() -> [OutputQueue.Item] {
        inboxLock.withLock {
            let taken = inbox
            inbox = []
            isInboxAnnounced.storeRelaxed(0)
            return taken
        }
    }

    /// Rejects the items of the inbox, since the loop has ended.
    private func dropInbox() {
        for item in emptyInbox() {
            reject(item, IOError(code: ECANCELED, operation: "event loop shut down", subject: subject))
        }
    }

    private func accept(_ item: OutputQueue.Item) {
        // An item accepted before `close` is still sent after it.
        switch state.bytesArrived() {
        case .reject: reject(item, state.sendFailure ?? sendError(ENOTCONN))
        case .rejectBehindEnd: rejectBehindEnd(item)
        case .queue(let isLimited):
            output.append(item)
            if isLimited { limitFlushing() }
            flushAtEndOfTick()
        }
    }

    func flushAtEndOfTick() {
        if state.flushWanted() { loop.notifyAtEndOfTick(self) }
    }

    // MARK: Pausing the sources of write

    /// The number of bytes accepted that the kernel has not taken; on any thread.
    var queuedBytes: Int { OutputLoad(word: load.loadRelaxed()).bytes }

    /// Tells whether a source of bytes has to pause; on its thread. Out of date as soon as it is read.
    var isFull: Bool { OutputLoad(word: load.loadRelaxed()).mustPause(watermarks) }

    /// Begins the wait of a source until the output has emptied, on its thread. Returns false if there is no need to.
    func beginWait(_ source: any PausableSource) -> Bool {
        let inspected = inboxLock.withLock { waitingSources.add(source) }
        withExtendedLifetime(inspected) {}
        // The source is in the list before the word says so: the thread that clears the word finds it.
        while true {
            let before = OutputLoad(word: load.loadRelaxed())
            if !before.mustPause(watermarks) { return false }
            if before.isAwaited || load.compareExchange(before.word, before.awaited.word) { return true }
        }
    }

    /// Takes bytes and items that were sent or dropped off the load, on any thread.
    private func reduceLoad(bytes: Int, items: Int) {
        let before = load.fetchAdd(0 &- OutputLoad.addend(bytes: bytes, items: items))
        if OutputLoad(word: before).isAwaited { resumeSources() }
    }

    /// Resumes the waiting sources if the output has emptied.
    @inline(never)
    private func resumeSources() {
        while true {
            let before = OutputLoad(word: load.loadRelaxed())
            if !before.canResume(watermarks) { return }
            if load.compareExchange(before.word, before.notAwaited.word) { break }
        }
        inboxLock.lock()
        let taken = waitingSources.takeAll()
        inboxLock.unlock()
        taken.resume()
    }

    // MARK: Rejecting

    private func reject(_ item: OutputQueue.Item, _ error: IOError) {
        reduceLoad(bytes: item.bytes.count, items: 1)
        item.waiter?.writeEnded(error)
    }

    /// Rejects an item that another thread sent before it knew of `shutDownOutput`.
    private func rejectBehindEnd(_ item: OutputQueue.Item) {
        let error = sendError(EPIPE)
        reject(item, error)
        if !item.bytes.isEmpty { IOHooks.reportRejectedSend(error, item.bytes.count) }
    }

    private func sendError(_ code: CInt) -> IOError { IOError(code: code, operation: "send", subject: subject) }

    func rejectSends(_ code: CInt) {
        _ = rejection.compareExchange(0, UInt(code))
    }

    /// Sends a FIN behind the queued bytes. New sends are rejected already.
    func shutDownOutput() {
        takeInbox()
        if state.shutdownRequested() { flushAtEndOfTick() }
    }

    func tickEnded() {
        switch state.tickEnded() {
        case .none: break
        case .send: flush()
        case .close: release()
        }
    }

    /// Sends the bytes that can be sent now, and leaves the rest to the kernel.
    private func flush() {
        guard let socket, state.isSending else { return }
        let send = send ?? ConnectionSend(socket)
        self.send = send
        if send.isInFlight { return }
        while !output.isEmpty {
            // Items queued during one tick of the loop go out together.
            let wanted = send.load(output)
            // Many connections share one system call; for a few, one call each costs less than the completions.
            if wanted > 0, loop.submitsInBulk { return send.send(self, on: socket) }
            let result = wanted == 0 ? 0 : send.perform()
            if result == -EAGAIN { return send.send(self, on: socket) }
            if result < 0 { return outputFailed(-result) }
            remove(Int(result))
            guard state.isSending, !send.isInFlight else { return }
            if Int(result) < wanted, !output.isEmpty {
                _ = send.load(output)
                return send.send(self, on: socket)
            }
        }
        allIsSent(socket)
    }

    private func remove(_ count: Int) {
        let items = output.count
        let waiters = output.remove(count)
        reduceLoad(bytes: count, items: items - output.count)
        for waiter in waiters { waiter.writeEnded(nil) }
    }

    private func allIsSent(_ socket: Descriptor) {
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

    /// Reads and drops unread input: closing the socket before that resets the connection, and bytes already sent are lost.
    private func dropUnread(_ socket: Descriptor) {
        withUnsafeTemporaryAllocation(byteCount: ReceivePool.size, alignment: 16) { buffer in
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
        let waiters = output.removeAll()
        reduceLoad(bytes: bytes, items: items)
        for waiter in waiters { waiter.writeEnded(error) }
    }
}

// SPDX-License-Identifier: Apache-2.0

import CRxIOUring
import Glibc
import RxPrimitives
import RxSwift

/// The part of a `Connection` on its loop: the descriptor, the input, and the bytes to be sent.
///
/// Lives until the connection is closed. Used on the loop thread only, unless a comment says otherwise.
final class ConnectionCore: ReceivingCore, LoopDependent, TickObserver, PiecewiseDelivery, @unchecked Sendable {
    typealias Received = ByteChunk

    let loop: EventLoop

    // Each message needs the fields from here to `state`. They stand together, in five lines of the cache: with a thousand connections, most of
    // the time in this library was that of waiting for memory.

    @exclusivity(unchecked) private(set) var heldSocket = Held<Descriptor>()
    @exclusivity(unchecked) var heldReceive = Held<ConnectionReceive>()
    @exclusivity(unchecked) var heldWindow = Held<ReceiveWindow>()
    @exclusivity(unchecked) var heldReceiver = Held<ReceiveSource<ConnectionCore>>()
    /// The deliveries and questions under way: they are lent the receiver. One that leaves meanwhile goes into `leftReceivers`.
    @exclusivity(unchecked) var receiverCalls = 0
    @exclusivity(unchecked) var leftReceivers: [ReceiveSource<ConnectionCore>] = []
    /// The rest of a chunk that the subscriber gets in pieces.
    @exclusivity(unchecked) var held: ByteChunk?
    /// True while a chunk is being emitted.
    @exclusivity(unchecked) var isDelivering = false
    /// True while the loop is to ask for the next piece of `held`.
    @exclusivity(unchecked) var isDeliveryQueued = false
    /// True once a sequence that was being written was cut off, until other bytes are accepted behind it.
    @exclusivity(unchecked) var isIncomplete = false
    @exclusivity(unchecked) var hangUp = HangUpState()
    /// Nil without a limit, and when the connection is closed.
    @exclusivity(unchecked) var idleTimer: IdleTimer?

    @exclusivity(unchecked) var heldSend = Held<ConnectionSend>()
    @exclusivity(unchecked) var output = OutputQueue()
    /// An `OutputLoad`: what was accepted and the kernel has not taken; used from any thread.
    let load = AtomicWord(0)
    /// 0, or the errno with which sends are rejected from now on, for ever; used from any thread.
    let rejection = AtomicWord(0)
    /// 1 once this side has sent something, or asked to be told of the close; used from any thread.
    let useMark = AtomicWord(0)
    /// 1 if there are `outputObservers`; used from any thread.
    let isOutputObserved = AtomicWord(0)
    /// 1 if the inbox holds items of which the loop was notified. Written under `inboxLock`.
    let isInboxAnnounced = AtomicWord(0)
    /// The amounts of `load` at which the sources of `write` pause, and at which sends are rejected.
    let watermarks: OutputWatermarks

    /// Decides; the methods of this class do what it says.
    @exclusivity(unchecked) var state = ConnectionStateMachine()

    let subject: String
    let options: ConnectionOptions

    /// The list of the listener's connections, in which this one is until it is closed; nil if no listener accepted it.
    private let accepted: AcceptedConnections?

    /// The open descriptor, until the loop takes it over.
    private let fd: CInt

    // Receiving.
    /// The chunk that arrived after the subscriber had left, for the next subscriber.
    @exclusivity(unchecked) var unclaimed: ByteChunk?
    @exclusivity(unchecked) var pace = DeliveryPace()

    // Sending.
    @exclusivity(unchecked) var flushTimer: DelayTimer?
    /// True once the connection is closed, if the kernel has taken all accepted bytes.
    @exclusivity(unchecked) var hasSentEverything = false
    /// True once bytes were dropped or rejected that others of the stream come behind: the peer must not see a clean end.
    @exclusivity(unchecked) var hasDroppedOutput = false
    /// True while the loop ends, and waits for the peer to take what the kernel has, since the peer will be reset.
    @exclusivity(unchecked) private(set) var awaitsAcknowledgement = false
    /// See `ReceivingCore`.
    @exclusivity(unchecked) var isInputEnding = false
    /// When paused sources were resumed last, by `MonotonicClock`; used from any thread.
    let lastResume = AtomicWord(0)
    /// 1 once the end of the output waits for sends that other threads have begun.
    let awaitsSends = AtomicWord(0)
    /// 1 once this side has aborted, also if the loop ends and takes no more work; used from any thread.
    private let isAborted = AtomicWord(0)
    /// 1 once this side has asked for the end of its output by `close` or `shutdownOutput`, also if the loop ends and takes no more work; used
    /// from any thread.
    let isEndRequested = AtomicWord(0)
    /// 1 once it has done so by `close`; used from any thread.
    private let isCloseRequested = AtomicWord(0)
    let inboxLock = Mutex()
    /// The items that were sent on other threads, protected by `inboxLock`.
    @exclusivity(unchecked) var inbox = OutputQueue()
    /// The sources of `write` that wait until the output has emptied, protected by `inboxLock`.
    @exclusivity(unchecked) var waitingSources = WaitingSources()
    /// The objects to be told when the output becomes full.
    @exclusivity(unchecked) var outputObservers = ObserverList<any OutputObserver>()
    /// True once nothing more may come into the inbox: the loop has ended, or the connection has failed. Protected by `inboxLock`.
    @exclusivity(unchecked) var isInboxClosed = false
    /// True once the end of the loop does not look into the inbox any more, since the descriptor is closed. Protected by `inboxLock`.
    @exclusivity(unchecked) var isInboxReleased = false

    /// The objects to be told when the connection is closed.
    @exclusivity(unchecked) private var watchers = ObserverList<any ConnectionWatcher>()

    /// Takes over an open descriptor, on any thread.
    init(
        _ fd: CInt, subject: String, options: ConnectionOptions, loop: EventLoop, accepted: AcceptedConnections? = nil
    ) {
        self.fd = fd
        self.accepted = accepted
        self.subject = subject
        self.options = options
        watermarks = OutputWatermarks(limit: options.sendLimit, most: options.highWatermark)
        self.loop = loop
        #if TRACE_RESOURCES
            ResourceCensus.born(Self.self)
        #endif
    }

    #if TRACE_RESOURCES
        deinit { ResourceCensus.died(Self.self) }
    #endif

    /// The subscriber.
    var receiver: ReceiveSource<ConnectionCore>? { heldReceiver.object }
    /// The socket while it is open.
    var socket: Descriptor? { heldSocket.object }
    var receive: ConnectionReceive? { heldReceive.object }
    var send: ConnectionSend? { heldSend.object }
    /// Nil before the first receive, and without a pool.
    var window: ReceiveWindow? { heldWindow.object }

    /// True if the program has sent on the connection, has watched its close, or has asked for its end. Exact for the last owner.
    var isUsed: Bool { useMark.loadRelaxed() != 0 || isEndRequested.loadRelaxed() != 0 }

    /// Opens the connection on the loop. Called from any thread, before any other method.
    func start() {
        accepted?.add(self)
        loop.perform(open) {
            // No other object knows the descriptor. Nothing will be sent: a clean end would look like a whole answer without bytes.
            Socket.resetWhenClosed(self.fd)
            _ = Glibc.close(self.fd)
            _ = self.rejection.exchange(UInt(ECANCELED))
            self.closeInbox()
            self.accepted?.remove(self)
        }
    }

    private func open() {
        heldSocket.hold(Descriptor(fd, on: loop))
        guard loop.add(self) else {
            hasDroppedOutput = true
            return finishClosing(shutDownError)
        }
        state.opened()
        if let limit = options.idleTimeout { limitIdleTime(limit.nanosecondsClamped) }
        watchAtEndOfTick()
    }

    func drain() -> Bool {
        state.drainBegan()
        rejectSends(ECANCELED)
        if hasOverflowed { finishClosing(overflowError(OutputLoad(word: load.loadRelaxed()))) }
        if isAborted.loadRelaxed() != 0 { finishClosing(nil) }
        if isCloseRequested.loadRelaxed() != 0 {
            close()
        } else if isEndRequested.loadRelaxed() != 0 {
            shutDownOutput()
        }
        let isLeft = state.life != .closed && drainUntilReset()
        // The loop ends before the descriptor is closed: the watchers get the reason of the close, not the end of the loop.
        if state.life == .closed { notifyWatchers(state.failure) }
        return isLeft
    }

    /// Sends what is left, and tells whether something is left then, or a reset would drop some of it.
    private func drainUntilReset() -> Bool {
        let hasPausedSource = OutputLoad(word: load.loadRelaxed()).isAwaited || wasResumedJustNow
        let isLeft = drainOutput()
        // At rest between two elements a sequence may be whole, as that of a server's answers is. One that has to pause, or whose bytes the peer does
        // not take, is not.
        if isLeft || hasPausedSource, watchers.all.contains(where: { $0.hasMore }) { isIncomplete = true }
        guard endsIncomplete, state.isSending, let socket else { return isLeft }
        awaitsAcknowledgement = Socket.isUnacknowledged(socket.fd)
        discardInput()
        return isLeft || awaitsAcknowledgement
    }

    /// True if the stream ends in the midst of what was to be written, and this side has not asked for that.
    private var endsIncomplete: Bool { isEndRequested.loadRelaxed() == 0 && isIncomplete }

    func loopEnded() {
        closeInbox()
        if output.bytes > 0 {
            let rest = "\(subject) (\(output.bytes) bytes that the peer did not take)"
            IOHooks.report("\(rest): reset, as the event loop has ended")
        }
        if output.isEmpty, let socket, state.isSending { dropUnread(socket) }
        finishClosing(shutDownError)
    }

    var shutDownError: IOError {
        loop.closedError(subject: subject)
    }

    // MARK: Closing

    /// Closes behind all work that was submitted before; called on any thread.
    ///
    /// - Parameter isRequested: false if the connection closes since nothing holds it any more.
    func closeInOrder(isRequested: Bool) {
        if isRequested {
            isEndRequested.storeRelaxed(1)
            isCloseRequested.storeRelaxed(1)
        }
        rejectSends(ENOTCONN)
        // If the loop thread itself closes, receiving stops at once.
        if loop.isCurrent { state.closeAnnounced() }
        loop.perform(close)
        if isRequested { loop.recall(self) }
    }

    /// Closes when the queued bytes are sent, or after a time limit.
    private func close() {
        rejectSends(ENOTCONN)
        guard !hasOverflowed, state.closeRequested() else { return }
        endInput()
        takeInbox()
        // Not flushed here: the caller may be an observer of this connection.
        flushAtEndOfTick()
        if !output.isEmpty { limitFlushing() }
    }

    /// Limits the time for which queued bytes are sent after `close`.
    func limitFlushing() {
        if flushTimer != nil { return }
        flushTimer = DelayTimer(on: loop, after: options.closeTimeout.nanosecondsClamped) { [weak self] in
            guard let self else { return }
            let rest = "\(subject) (\(queuedBytes) bytes that the peer did not take)"
            IOHooks.report("\(rest): closed")
            finishClosing(IOError(code: ETIMEDOUT, operation: "close", subject: rest))
        }
    }

    /// Ends the connection when no byte has come or gone for a time, in nanoseconds.
    private func limitIdleTime(_ limit: Int64) {
        idleTimer = IdleTimer(on: loop, limit: limit) { [weak self] in
            guard let self, let socket else { return false }
            return held != nil || receiver != nil && rx_readable_bytes(socket.fd) > 0
        } untakenBytes: { [weak self] in
            (self?.socket).map { Socket.untakenBytes($0.fd) } ?? 0
        } whenIdle: { [weak self] in
            guard let self, state.isOpen else { return }
            finishClosing(IOError(code: ETIMEDOUT, operation: "idle timeout", subject: subject))
        }
    }

    /// Stops receiving, and ends the input of the subscriber.
    private func endInput() {
        if let receive { loop.cancel(receive) }
        unclaimed = nil
        held = nil
        receiver?.inputEnded()
    }

    /// Closes and resets the peer soon, on any thread: never at once, as the caller may be an observer of this connection.
    func abortSoon() {
        isAborted.storeRelaxed(1)
        rejectSends(ENOTCONN)
        loop.submit {
            self.finishClosing(nil)
        } rejected: {
            self.wakeEndingLoop()
            return false
        }
        loop.recall(self)
    }

    /// Closes now. `error` is the reason, or nil if the close was requested.
    func finishClosing(_ error: IOError?) {
        if state.terminated(error) { release() }
    }

    /// Releases the resources of a connection that the state machine has closed.
    func release() {
        let error = state.failure
        rejectSends(error?.code ?? ENOTCONN)
        if let send, send.isInFlight {
            send.hold(output)
            loop.cancel(send)
        }
        if let watch = hangUp.watch { loop.cancel(watch) }
        idleTimer?.cancel()
        idleTimer = nil
        flushTimer?.cancel(on: loop)
        flushTimer = nil
        awaitsSends.storeRelaxed(0)
        // A clean end says that everything was sent, also what the loop has not taken from the inbox yet. Threads that have found their bytes
        // accepted before a failure, and put them into the inbox after it, have them rejected. An orderly end has awaited such threads.
        let waiting = inboxLock.withLock {
            if error != nil { isInboxClosed = true }
            return output.bytes + inbox.bytes
        }
        let isAborted = isAborted.loadRelaxed() != 0
        let isCut = isAborted || hasDroppedOutput || hasOverflowed || waiting > 0 || endsIncomplete
        hasSentEverything = error == nil && !isCut
        if isCut, let socket { Socket.resetWhenClosed(socket.fd) }
        endInput()
        dropOutput(error ?? IOError(code: ECANCELED, operation: "send", subject: subject))
        socket?.onClosed = { self.descriptorClosed() }
        socket?.close()
    }

    /// Notifies the watchers once the descriptor is closed.
    private func descriptorClosed() {
        let failure = state.descriptorClosed()
        releaseInbox()
        heldReceive.release()
        hangUp.watch = nil
        heldSend.release()
        heldSocket.release()
        loop.remove(self)
        accepted?.remove(self)
        notifyWatchers(failure)
    }

    private func notifyWatchers(_ failure: IOError?) {
        while !watchers.isEmpty {
            // One that is told may remove others.
            for identity in watchers.identities { watchers.remove(identity)?.connectionClosed(failure) }
        }
    }

    /// Adds an object to be told when the connection is closed; tells it at once if it is closed already.
    func add(_ watcher: any ConnectionWatcher) {
        switch state.watcherArrived() {
        case .keep: watchers.add(watcher, ObjectIdentifier(watcher))
        case .tell(let error): watcher.connectionClosed(error)
        case .reject: watcher.connectionClosed(shutDownError)
        }
    }

    func remove(_ watcher: any ConnectionWatcher) { watchers.remove(ObjectIdentifier(watcher)) }
}

/// An object that is told, on the loop thread, when a connection is closed.
protocol ConnectionWatcher: AnyObject {
    /// True if it writes a sequence whose source has not completed.
    var hasMore: Bool { get }

    /// - Parameter error: nil if the close was requested.
    func connectionClosed(_ error: IOError?)
}

extension ConnectionWatcher {
    var hasMore: Bool { false }
}

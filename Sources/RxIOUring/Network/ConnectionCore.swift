import Glibc
import RxPrimitives
import RxSwift

/// What a `Connection` is on its loop: the descriptor, what is received and what is to be sent. Lives until it is closed.
///
/// For the loop's thread, where nothing else is said.
final class ConnectionCore: ReceivingCore, LoopDependent, TickObserver, @unchecked Sendable {
    typealias Received = ByteChunk

    let loop: EventLoop
    let subject: String
    let options: ConnectionOptions

    /// The open descriptor, until the loop takes it over.
    private let number: CInt
    @exclusivity(unchecked) var socket: Descriptor?

    enum Phase { case starting, open, flushing, closed }
    @exclusivity(unchecked) var phase = Phase.starting
    /// Why it was closed, if not because that was asked for.
    @exclusivity(unchecked) var failure: IOError?
    /// Whether the descriptor is closed, too.
    @exclusivity(unchecked) var isClosed = false

    // What is received.
    @exclusivity(unchecked) var receive: ConnectionReceive?
    @exclusivity(unchecked) var window: ReceiveWindow?
    /// Nil until there was no room in the window.
    @exclusivity(unchecked) var stall: StallWarning?
    @exclusivity(unchecked) var receiver: ReceiveSource<ConnectionCore>?
    /// What came after the subscriber had left, for the next one.
    @exclusivity(unchecked) var unclaimed: ByteChunk?
    @exclusivity(unchecked) var inputEnd: InputEnd?
    /// Whether nothing is received any more, since it is going to be closed.
    @exclusivity(unchecked) var isReceivingOver = false
    /// Whether the last receive has left nothing behind.
    @exclusivity(unchecked) var isDrained = true

    // What is sent.
    @exclusivity(unchecked) var send: ConnectionSend?
    @exclusivity(unchecked) var output = OutputQueue()
    @exclusivity(unchecked) var isObservingTick = false
    /// Why nothing can be sent any more.
    @exclusivity(unchecked) var outputFailure: IOError?
    @exclusivity(unchecked) var wantsShutdown = false
    /// Whether the FIN was sent.
    @exclusivity(unchecked) var isOutputShut = false
    @exclusivity(unchecked) var flushTimer: DelayTimer?

    /// Bytes accepted that the kernel has not taken. From any thread.
    let queuedBytes = AtomicWord(0)
    /// 0, or the errno with which sends are rejected from now on, for ever. From any thread.
    let rejection = AtomicWord(0)
    let inboxLock = Mutex()
    /// What was sent on other threads. Under the lock.
    @exclusivity(unchecked) var inbox: [OutputQueue.Item] = []
    /// 1 if there is something in it, of which the loop was told. Written under the lock.
    let isInboxAnnounced = AtomicWord(0)

    /// Who wants to know of the end.
    @exclusivity(unchecked) private var watchers: [ObjectIdentifier: any ConnectionWatcher] = [:]

    /// How long what is queued is still sent after `close`.
    static let flushTime: Int64 = 30_000_000_000

    /// Takes over an open descriptor. On any thread.
    init(_ number: CInt, subject: String, options: ConnectionOptions, loop: EventLoop) {
        self.number = number
        self.subject = subject
        self.options = options
        self.loop = loop
        #if TRACE_RESOURCES
            ResourceCensus.born(Self.self)
        #endif
    }

    #if TRACE_RESOURCES
        deinit { ResourceCensus.died(Self.self) }
    #endif

    /// From any thread, before anything else.
    func start() {
        loop.perform(open) {
            // Nothing but this knows the descriptor.
            _ = Glibc.close(self.number)
            _ = self.rejection.exchange(UInt(ECANCELED))
        }
    }

    private func open() {
        socket = Descriptor(number, on: loop)
        guard loop.add(self) else { return finishClosing(shutDownError) }
        phase = .open
    }

    func loopEnded() { finishClosing(shutDownError) }

    private var shutDownError: IOError {
        IOError(code: ECANCELED, operation: "event loop shut down", subject: subject)
    }

    // MARK: Closing

    /// Closes behind what was handed over before. On any thread.
    func closeInOrder() {
        // Nothing is received any more where the loop itself closes.
        if loop.isCurrent { isReceivingOver = true }
        loop.perform(close)
    }

    /// Closes when what is queued was sent, but after a time in any case.
    private func close() {
        guard phase == .open else { return }
        phase = .flushing
        rejectSends(ENOTCONN)
        endInput()
        takeInbox()
        // Who waited for the input may have ended it all.
        guard phase == .flushing else { return }
        // Not here: the caller may be an observer of this connection.
        flushAtEndOfTick()
        if !output.isEmpty { limitFlushing() }
    }

    /// What is queued is sent for a time, and no longer.
    func limitFlushing() {
        if flushTimer != nil { return }
        flushTimer = DelayTimer(on: loop, after: ConnectionCore.flushTime) { [weak self] in
            guard let self else { return }
            IOHooks.report("\(subject): closed with \(queuedBytes.loadRelaxed()) bytes that the peer did not take")
            finishClosing(nil)
        }
    }

    /// Ends what is received for the subscriber, since this side wants no more.
    private func endInput() {
        window?.cancelWait()
        stall?.end()
        if inputEnd == nil { inputEnd = .completed }
        if let receive { loop.cancel(receive) }
        unclaimed = nil
        receiver?.inputEnded()
    }

    /// Closes now. `error` says why if it was not asked for.
    func finishClosing(_ error: IOError?) {
        if phase == .closed { return }
        phase = .closed
        failure = error
        rejectSends(error?.code ?? ENOTCONN)
        if inputEnd == nil { inputEnd = error.map(InputEnd.failed) ?? .completed }
        window?.cancelWait()
        stall?.end()
        unclaimed = nil
        if let receive { loop.cancel(receive) }
        if let send, send.isInFlight {
            send.hold(output)
            loop.cancel(send)
        }
        flushTimer?.cancel(on: loop)
        flushTimer = nil
        receiver?.inputEnded()
        dropOutput(error ?? IOError(code: ECANCELED, operation: "send", subject: subject))
        socket?.onClosed = { self.gone() }
        socket?.close()
    }

    /// Whether there is room for a chunk more, which then is taken. Else receiving goes on when there is some.
    func takeRoom() -> Bool {
        if window!.take(for: self) {
            stall?.unblocked()
            return true
        }
        let stall = stall ?? StallWarning(subject, window: options.receiveWindow, on: loop)
        self.stall = stall
        stall.blocked()
        return false
    }

    /// The descriptor is closed.
    private func gone() {
        isClosed = true
        receive = nil
        send = nil
        socket = nil
        loop.remove(self)
        while let (_, watcher) = watchers.popFirst() { watcher.connectionClosed(failure) }
    }

    /// Has `watcher` told of the end; at once, if that was.
    func add(_ watcher: any ConnectionWatcher) {
        if phase == .starting { return watcher.connectionClosed(shutDownError) }
        if isClosed { return watcher.connectionClosed(failure) }
        watchers[ObjectIdentifier(watcher)] = watcher
    }

    func remove(_ watcher: any ConnectionWatcher) { watchers[ObjectIdentifier(watcher)] = nil }
}

/// Who wants to know when a connection is closed. On the loop.
protocol ConnectionWatcher: AnyObject {
    /// - Parameter error: nil if it was closed because that was asked for.
    func connectionClosed(_ error: IOError?)
}

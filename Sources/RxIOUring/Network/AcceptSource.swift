// SPDX-License-Identifier: Apache-2.0

import CRxIOUring
import Glibc
import RxSwift

/// Accepts connections for the subscriber of a listener.
final class AcceptSource: LoopSource<Connection>, @unchecked Sendable {
    private let core: ListenerCore
    private let accepted: AcceptedConnections
    private let address: SocketAddress
    private let options: ConnectionOptions
    private let scheduler: IOUringScheduler
    private let group: IOUringSchedulerGroup?

    @exclusivity(unchecked) private var socket: Descriptor?
    @exclusivity(unchecked) private var readiness: AcceptReadiness?
    @exclusivity(unchecked) private var hasBegun = false
    @exclusivity(unchecked) private var isEmitting = false
    @exclusivity(unchecked) private var wantsClose = false
    /// The pause after the process ran out of descriptors, in nanoseconds; 0 if it has some.
    @exclusivity(unchecked) private var pause: Int64 = 0
    @exclusivity(unchecked) private var timer: DelayTimer?

    /// The number of connections that are accepted before the loop does other work.
    private static let maxAtOnce = 32
    private static let shortestPause: Int64 = 10_000_000
    private static let longestPause: Int64 = 100_000_000

    init(
        _ core: ListenerCore, _ accepted: AcceptedConnections, address: SocketAddress, options: ConnectionOptions,
        scheduler: IOUringScheduler,
        group: IOUringSchedulerGroup?, downstream: Sink<Connection>
    ) {
        self.core = core
        self.accepted = accepted
        self.address = address
        self.options = options
        self.scheduler = scheduler
        self.group = group
        super.init(loop: scheduler.loop, downstream: downstream)
        core.expectSource()
    }

    deinit {
        if !hasBegun { core.expectNoMore() }
    }

    override var subject: String { "\(address)" }

    override func begin() {
        hasBegun = true
        let rejected = core.claim(self)
        core.expectNoMore()
        if rejected != 0 { return fail("accept", rejected) }
        let socket = Descriptor(core.fd, on: loop)
        self.socket = socket
        // The source accepts by itself, and asks after each connection whether to pause: a multishot accept of the kernel would empty the
        // whole queue of connections before this thread sees the first.
        _ = fcntl(core.fd, F_SETFL, fcntl(core.fd, F_GETFL) | O_NONBLOCK)
        readiness = AcceptReadiness(socket) { [unowned self] result in ready(result) }
        awaitConnections()
    }

    override func wasDisposedUnbegun() { core.closeIfFree() }

    override func wasRejected() { core.closeIfFree() }

    override func end() { closeSocket() }

    /// Stops accepting, and closes the descriptor.
    ///
    /// - Parameter closed: called on the loop thread when the system has closed it.
    private func closeSocket(_ closed: @escaping () -> Void = {}) {
        timer?.cancel(on: loop)
        timer = nil
        guard let socket else { return }
        if let readiness { loop.cancel(readiness) }
        readiness = nil
        core.sourceEnded()
        socket.onClosed = { [core] in
            // First: who waits for the connections' end learns that no more come before it learns that all are closed.
            closed()
            core.descriptorClosed()
        }
        socket.close()
        self.socket = nil
    }

    /// The end of the loop waits for an orderly close under way.
    override func drain() -> Bool {
        guard isRunning, wantsClose else { return false }
        // The loop takes no work any more: the close that was submitted may never have its turn.
        closeAndComplete()
        return isRunning
    }

    override var isInput: Bool { !wantsClose }

    /// Completes when the descriptor is closed: from then on another listener can have the address.
    private func closeAndComplete() {
        closeSocket { self.complete() }
    }

    /// Ends the subscription, and closes the listener with it; called on any thread.
    func closeListener() {
        // If the loop thread itself closes, no more connections are emitted.
        if loop.isCurrent { wantsClose = true }
        whileRunning {
            self.wantsClose = true
            if !self.isEmitting { self.closeAndComplete() }
        }
    }

    override func continueReading() { awaitConnections() }

    private func awaitConnections() {
        guard let readiness, let socket, timer == nil, !readiness.isInFlight, !wantsClose, !mustPause() else { return }
        readiness.source = self
        socket.submit(readiness)
    }

    /// Handles that a connection waits, or a negated errno.
    private func ready(_ result: Int32) {
        guard isRunning else { return }
        if result < 0 { failed(-result) } else { acceptSome() }
        if isRunning { awaitConnections() }
    }

    private func acceptSome() {
        for _ in 0..<AcceptSource.maxAtOnce {
            let (fd, remote) = Socket.accept(core.fd)
            if fd == -EAGAIN { return }
            if fd >= 0 {
                pause = 0
                take(fd, remote)
            } else {
                failed(-fd)
            }
            if !isRunning || !isWanted || timer != nil || wantsClose || mustPause() { return }
        }
    }

    private func take(_ fd: CInt, _ remote: SocketAddress) {
        var connection = Connection(
            fd, local: nil, remote: remote, options: options, scheduler: group?.next() ?? scheduler, accepted: accepted)
        isEmitting = true
        emit(connection)
        isEmitting = false
        // A dispose beside the emission has dropped it: to the peer an orderly end would look like an empty answer. A subscriber that has used it
        // and let go of it, as behind `take(1)`, has answered.
        if !isWanted, isKnownUniquelyReferenced(&connection), !connection.core.isUsed { connection.abort() }
        if isRunning, wantsClose { closeAndComplete() }
    }

    private func failed(_ code: CInt) {
        switch code {
        case EMFILE, ENFILE, ENOBUFS, ENOMEM: waitForDescriptors(code)
        // The peer has closed the connection already, or the network has a fault: neither affects the next connection.
        case ECONNABORTED, EPROTO, ENETDOWN, ENOPROTOOPT, EHOSTDOWN, ENONET, EHOSTUNREACH, ENETUNREACH, EPERM,
            ECANCELED, EAGAIN, EINTR:
            break
        default: fail("accept", code)
        }
    }

    private func waitForDescriptors(_ code: CInt) {
        if pause == 0 {
            IOHooks.report(
                "accept \(address): \(String(cString: strerror(code))); no connections are accepted until there is room. See 'ulimit -n'."
            )
        }
        pause = max(AcceptSource.shortestPause, min(pause * 2, AcceptSource.longestPause))
        timer = DelayTimer(on: loop, after: pause) { [weak self] in
            guard let self else { return }
            timer = nil
            awaitConnections()
        }
    }
}

/// Waits until a listening descriptor has a connection; used on the loop thread only.
private final class AcceptReadiness: DescriptorOperation {
    private let whenReady: (Int32) -> Void
    /// The source, kept alive while the operation is in flight.
    @exclusivity(unchecked) var source: AcceptSource?

    init(_ descriptor: Descriptor, whenReady: @escaping (Int32) -> Void) {
        self.whenReady = whenReady
        super.init(
            Request(kind: RX_POLL, descriptor: descriptor.fd, address: nil, flags: UInt32(bitPattern: POLLIN)))
    }

    override func finished(_ result: Int32, buffer: Int32, hasMore: Bool) {
        let kept = source
        source = nil
        whenReady(result)
        withExtendedLifetime(kept) {}
    }
}

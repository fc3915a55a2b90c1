import CRxIOUring
import Glibc
import RxSwift

/// Accepts connections for the subscriber of a listener.
final class AcceptSource: LoopSource<Connection>, @unchecked Sendable {
    private let core: ListenerCore
    private let address: SocketAddress
    private let options: ConnectionOptions
    private let scheduler: IOUringScheduler
    private let group: IOUringSchedulerGroup?

    @exclusivity(unchecked) private var socket: Descriptor?
    @exclusivity(unchecked) private var accept: AcceptOperation?
    @exclusivity(unchecked) private var hasBegun = false
    @exclusivity(unchecked) private var isEmitting = false
    @exclusivity(unchecked) private var wantsClose = false
    /// The pause after the process ran out of descriptors, in nanoseconds; 0 if it has some.
    @exclusivity(unchecked) private var pause: Int64 = 0
    @exclusivity(unchecked) private var timer: DelayTimer?

    private static let shortestPause: Int64 = 10_000_000
    private static let longestPause: Int64 = 1_000_000_000

    init(
        _ core: ListenerCore, address: SocketAddress, options: ConnectionOptions, scheduler: IOUringScheduler,
        group: IOUringSchedulerGroup?, downstream: Sink<Connection>
    ) {
        self.core = core
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
        accept = AcceptOperation(socket, many: loop.backend.acceptsMany) { [unowned self] result, hasMore in
            accepted(result, hasMore: hasMore)
        }
        acceptNext()
    }

    override func end() {
        timer?.cancel(on: loop)
        timer = nil
        guard let socket else { return }
        if let accept { loop.cancel(accept) }
        accept = nil
        core.sourceEnded()
        socket.close()
        self.socket = nil
    }

    /// Ends the subscription, and closes the listener with it; called on any thread.
    func closeListener() {
        // If the loop thread itself closes, no more connections are emitted.
        if loop.isCurrent { wantsClose = true }
        whileRunning {
            self.wantsClose = true
            if !self.isEmitting { self.complete() }
        }
    }

    private func acceptNext() {
        guard let accept, let socket, !accept.isInFlight else { return }
        accept.source = self
        socket.submit(accept)
    }

    /// Handles the result of an accept: a new descriptor, or a negated errno.
    private func accepted(_ result: Int32, hasMore: Bool) {
        if result >= 0 {
            guard isRunning, !wantsClose else {
                _ = Glibc.close(result)
                return
            }
            pause = 0
            take(result)
        } else if isRunning {
            failed(-result)
        }
        if isRunning, !hasMore, timer == nil { acceptNext() }
    }

    private func take(_ fd: CInt) {
        // A peer that has disconnected already has no address.
        let remote = Socket.remoteAddress(fd) ?? SocketAddress(.unix([]))
        let connection = Connection(
            fd, local: nil, remote: remote, options: options, scheduler: group?.next() ?? scheduler)
        isEmitting = true
        emit(connection)
        isEmitting = false
        if isRunning, wantsClose { complete() }
    }

    private func failed(_ code: CInt) {
        switch code {
        case EMFILE, ENFILE, ENOBUFS, ENOMEM: waitForDescriptors(code)
        // The connection is gone already, or the network has a fault: neither affects the next connection.
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
            acceptNext()
        }
    }
}

/// Accepts on a listening descriptor; used on the loop thread only.
private final class AcceptOperation: DescriptorOperation {
    private let whenAccepted: (Int32, Bool) -> Void
    /// The source, kept alive while the operation is in flight.
    @exclusivity(unchecked) var source: AcceptSource?

    init(_ descriptor: Descriptor, many: Bool, whenAccepted: @escaping (Int32, Bool) -> Void) {
        self.whenAccepted = whenAccepted
        super.init(
            Request(
                kind: many ? RX_ACCEPT_MANY : RX_ACCEPT, descriptor: descriptor.fd, address: nil,
                flags: UInt32(SOCK_CLOEXEC.rawValue)))
    }

    override func finished(_ result: Int32, buffer: Int32, hasMore: Bool) {
        let kept = source
        if !hasMore { source = nil }
        whenAccepted(result, hasMore)
        withExtendedLifetime(kept) {}
    }
}

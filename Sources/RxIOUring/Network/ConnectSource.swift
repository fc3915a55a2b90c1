import CRxIOUring
import Glibc
import RxSwift

/// Connects to one of the addresses of a host.
final class ConnectSource: LoopSource<Connection> {
    enum Target {
        case host(String, Int)
        case address(SocketAddress)
    }

    private let target: Target
    private let timeout: RxTimeInterval?
    private let options: ConnectionOptions
    private let scheduler: IOUringScheduler

    /// The addresses that were not tried yet, in reverse order.
    @exclusivity(unchecked) private var addresses: [SocketAddress] = []
    @exclusivity(unchecked) private var attempt: ConnectAttempt?
    @exclusivity(unchecked) private var timer: DelayTimer?
    /// The timer of the next attempt at the same address.
    @exclusivity(unchecked) private var pause: DelayTimer?
    @exclusivity(unchecked) private var pauseLength: Int64 = 1_000_000

    private static let longestPause: Int64 = 64_000_000

    static func single(
        _ target: Target, _ timeout: RxTimeInterval?, _ options: ConnectionOptions, _ scheduler: IOUringScheduler
    ) -> Single<Connection> {
        Single(raw: scheduler.observable { ConnectSource(target, timeout, options, scheduler, downstream: $0) })
    }

    private init(
        _ target: Target, _ timeout: RxTimeInterval?, _ options: ConnectionOptions, _ scheduler: IOUringScheduler,
        downstream: Sink<Connection>
    ) {
        self.target = target
        self.timeout = timeout
        self.options = options
        self.scheduler = scheduler
        super.init(loop: scheduler.loop, downstream: downstream)
    }

    override var subject: String {
        if let attempt { return "\(attempt.address)" }
        switch target {
        case .host(let host, let port): return "\(host):\(port)"
        case .address(let address): return "\(address)"
        }
    }

    override func begin() {
        if let timeout {
            timer = DelayTimer(on: loop, after: timeout.nanosecondsClamped) { [weak self] in
                self?.fail("connect", ETIMEDOUT)
            }
        }
        switch target {
        case .address(let address): tryAddresses([address])
        case .host(let host, let port):
            guard let known = UInt16(exactly: port), known > 0 else { return fail("connect", EINVAL) }
            if let address = try? SocketAddress(ip: host, port: port) { return tryAddresses([address]) }
            SocketAddress.resolve(host, port) { result in self.whileRunning { self.resolved(result) } }
        }
    }

    override func end() {
        timer?.cancel(on: loop)
        timer = nil
        pause?.cancel(on: loop)
        pause = nil
        attempt?.abandon(on: loop)
        attempt = nil
    }

    private func resolved(_ result: Result<[SocketAddress], IOError>) {
        switch result {
        case .failure(let error): fail(with: error)
        case .success(let addresses): tryAddresses(addresses.reversed())
        }
    }

    private func tryAddresses(_ lastFirst: [SocketAddress]) {
        addresses = lastFirst
        if lastFirst.isEmpty { fail("connect", EADDRNOTAVAIL) } else { tryNext() }
    }

    private func tryNext() {
        let address = addresses.removeLast()
        do {
            let fd = try Socket.open(address, SOCK_STREAM, operation: "connect") { fd in
                Socket.applyBuffers(options, to: fd)
                try options.prepareSocket?(fd)
            }
            attempt = ConnectAttempt(fd, address, on: loop) { [weak self] in self?.attempted($0) }
        } catch let error as IOError {
            failed(error)
        } catch {
            fail(with: error)
        }
    }

    /// Handles the end of an attempt. The number of a connected descriptor owns that descriptor.
    private func attempted(_ result: Result<CInt, IOError>) {
        guard isRunning, let attempt else {
            if case .success(let fd) = result { _ = Glibc.close(fd) }
            return
        }
        switch result {
        case .failure(let error) where error.code == EAGAIN && attempt.address.family == AF_UNIX:
            waitForRoom(at: attempt.address)
        case .failure(let error): failed(error)
        case .success(let fd):
            let connection = Connection(
                fd, local: nil, remote: attempt.address, options: options, scheduler: scheduler)
            self.attempt = nil
            emit(connection)
            complete()
        }
    }

    /// Tries the address again after a pause, since the listener's queue is full: a Unix socket does not report when that
    /// changes.
    private func waitForRoom(at address: SocketAddress) {
        attempt = nil
        addresses.append(address)
        pause = DelayTimer(on: loop, after: pauseLength) { [weak self] in
            self?.pause = nil
            self?.tryNext()
        }
        pauseLength = min(2 * pauseLength, ConnectSource.longestPause)
    }

    private func failed(_ error: IOError) {
        attempt = nil
        if addresses.isEmpty { fail(with: error) } else { tryNext() }
    }
}

/// One attempt to connect; used on the loop thread only.
private final class ConnectAttempt: Operation {
    let address: SocketAddress
    private let fd: CInt
    private unowned(unsafe) let loop: EventLoop
    private let storage = UnsafeMutablePointer<sockaddr_storage>.allocate(capacity: 1)
    @exclusivity(unchecked) private var whenDone: ((Result<CInt, IOError>) -> Void)?

    /// Takes over a descriptor and begins to connect it.
    init(
        _ fd: CInt, _ address: SocketAddress, on loop: EventLoop,
        whenDone: @escaping (Result<CInt, IOError>) -> Void
    ) {
        self.address = address
        self.fd = fd
        self.loop = loop
        self.whenDone = whenDone
        let length = address.write(to: storage)
        super.init(Request(kind: RX_CONNECT, descriptor: fd, address: UnsafeMutableRawPointer(storage)))
        request.length = Int(length)
        loop.backend.prepare(fd)
        loop.submit(self)
    }

    deinit { storage.deallocate() }

    /// Closes the descriptor as soon as the kernel has released it.
    func abandon(on loop: EventLoop) {
        whenDone = nil
        loop.cancel(self)
    }

    override func completed(_ result: Int32, buffer: Int32, hasMore: Bool) {
        loop.backend.forget(fd)
        guard let whenDone else {
            _ = Glibc.close(fd)
            return
        }
        self.whenDone = nil
        if result < 0 {
            _ = Glibc.close(fd)
            whenDone(.failure(IOError(code: -result, operation: "connect", subject: "\(address)")))
        } else {
            whenDone(.success(fd))
        }
    }
}

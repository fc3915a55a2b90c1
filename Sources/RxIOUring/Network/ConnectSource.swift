// SPDX-License-Identifier: Apache-2.0

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

    @exclusivity(unchecked) private var lookUp: BlockingCall<Result<[SocketAddress], IOError>>?
    @exclusivity(unchecked) private var state: ConnectStateMachine
    /// The attempts under way, by number.
    @exclusivity(unchecked) private var attempts: [Int: ConnectAttempt] = [:]
    /// The timer of the whole.
    @exclusivity(unchecked) private var timer: DelayTimer?
    /// The timer of the attempt at the next address.
    @exclusivity(unchecked) private var delay: DelayTimer?
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
        state = ConnectStateMachine([], subject: "")
        super.init(loop: scheduler.loop, downstream: downstream)
    }

    override var subject: String {
        switch target {
        case .host(let host, let port): return SocketAddress.text(host, port)
        case .address(let address): return "\(address)"
        }
    }

    override func begin() {
        if let timeout {
            timer = DelayTimer(on: loop, after: timeout.nanosecondsClamped) { [weak self] in
                guard let self else { return }
                fail(lookUp == nil ? "connect" : "resolve", ETIMEDOUT)
            }
        }
        switch target {
        case .address(let address): connect(to: [address])
        case .host(let host, let port):
            guard let known = UInt16(exactly: port), known > 0 else { return fail("connect", EINVAL) }
            if let address = try? SocketAddress(ip: host, port: port) { return connect(to: [address]) }
            lookUp = loop.resolve(host, port) { [self] in resolved($0) }
        }
    }

    override func end() {
        lookUp?.cancel()
        lookUp = nil
        for timer in [timer, delay, pause] { timer?.cancel(on: loop) }
        timer = nil
        delay = nil
        pause = nil
        for attempt in attempts.values { attempt.abandon(on: loop) }
        attempts = [:]
    }

    private func resolved(_ result: Result<[SocketAddress], IOError>) {
        lookUp = nil
        switch result {
        case .failure(let error): fail(with: error)
        case .success(let addresses): connect(to: addresses)
        }
    }

    private func connect(to addresses: [SocketAddress]) {
        state = ConnectStateMachine(addresses, subject: subject)
        perform(state.start())
    }

    private func perform(_ first: ConnectStateMachine.Step) {
        var step = first
        while true {
            switch step {
            case .wait: return
            case .fail(let error): return fail(with: error)
            case .connect(let number, let restartsTimer):
                delay?.cancel(on: loop)
                delay = restartsTimer ? makeDelay() : nil
                guard let error = begin(number) else { return }
                step = state.failed(number, error)
            }
        }
    }

    private func makeDelay() -> DelayTimer {
        DelayTimer(on: loop, after: options.attemptDelay.nanosecondsClamped) { [weak self] in
            guard let self else { return }
            delay = nil
            perform(state.delayElapsed())
        }
    }

    /// Begins an attempt, or returns the error for which that is impossible. An error of `prepareSocket` that is no `IOError` ends this source.
    private func begin(_ number: Int) -> IOError? {
        let address = state.addresses[number]
        do {
            let fd = try Socket.open(address, SOCK_STREAM, operation: "connect") { fd in
                Socket.applyBuffers(options, to: fd)
                try options.prepareSocket?(fd)
            }
            attempts[number] = ConnectAttempt(fd, address, on: loop) { [weak self] in self?.ended(number, $0) }
            return nil
        } catch {
            if let error = error as? IOError { return error }
            // An error of the user's own would be the same for each address.
            fail(with: error)
            return nil
        }
    }

    /// Handles the end of an attempt. The number of a connected descriptor owns that descriptor.
    private func ended(_ number: Int, _ result: Result<CInt, IOError>) {
        guard isRunning, let attempt = attempts.removeValue(forKey: number) else {
            if case .success(let fd) = result { _ = Glibc.close(fd) }
            return
        }
        switch result {
        case .failure(let error) where error.code == EAGAIN && attempt.address.family == AF_UNIX: waitForRoom(number)
        case .failure(let error): perform(state.failed(number, error))
        case .success(let fd):
            for loser in state.connected(number) { attempts.removeValue(forKey: loser)?.abandon(on: loop) }
            emit(Connection(fd, local: nil, remote: attempt.address, options: options, scheduler: scheduler))
            complete()
        }
    }

    /// Tries the address again after a pause, since the listener's queue is full: a Unix socket does not report when that
    /// changes. It is the only address then.
    private func waitForRoom(_ number: Int) {
        pause = DelayTimer(on: loop, after: pauseLength) { [weak self] in
            guard let self else { return }
            pause = nil
            if let error = begin(number) { perform(state.failed(number, error)) }
        }
        pauseLength = min(2 * pauseLength, ConnectSource.longestPause)
    }
}

/// One attempt to connect; used on the loop thread only.
private final class ConnectAttempt: Operation {
    let address: SocketAddress
    private let fd: CInt
    private unowned(unsafe) let loop: EventLoop
    private let storage = UnsafeMutablePointer<sockaddr_storage>.allocate(capacity: 1)
    @exclusivity(unchecked) private var whenDone: ((Result<CInt, IOError>) -> Void)?
    /// The call of a thread that connects, if that may wait for a server.
    @exclusivity(unchecked) private var call: BlockingCall<Int32>?
    /// True while the descriptor is the call's: it is closed with the last reference, be it the thread's or that of a call that never began.
    @exclusivity(unchecked) private var closesAtEnd = false

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
        if let path = address.filePath, loop.backend.mayWaitForServer(!path.isKnownLocal) {
            connectOnThread(path)
        } else if address.family == AF_UNIX {
            connectNow()
        } else {
            loop.backend.prepare(fd)
            loop.submit(self)
        }
    }

    /// Connects a Unix socket, which takes no time or has to be tried again later. The result comes later, as that of an operation.
    ///
    /// io_uring would have a thread of the kernel wait for room in the queue of each listener.
    private func connectNow() {
        _ = fcntl(fd, F_SETFL, O_NONBLOCK)
        let result = loop.backend.performNow(self)
        // The backend of the connection arranges the flags that it wants.
        _ = fcntl(fd, F_SETFL, 0)
        loop.queue.submitExpress {
            self.completed(result, buffer: -1, hasMore: false)
        } rejected: {
            _ = Glibc.close(self.fd)
            return false
        }
    }

    /// Connects a Unix socket of whose file system it is not known that it waits for no server.
    private func connectOnThread(_ path: File.Path) {
        _ = fcntl(fd, F_SETFL, O_NONBLOCK)
        closesAtEnd = true
        call = BlockingCall(on: loop, in: loop.configuration.files) { [self] in
            path.learnMount()
            return perform()
        } whenDone: { [self] in
            call = nil
            closesAtEnd = false
            _ = fcntl(fd, F_SETFL, 0)
            switch $0 {
            case .success(let result): completed(result, buffer: -1, hasMore: false)
            case .failure(let error):
                failed(IOError(code: error.code, operation: error.operation, subject: "\(address)"))
            }
        }
    }

    deinit {
        if closesAtEnd { _ = Glibc.close(fd) }
        storage.deallocate()
    }

    /// Closes the descriptor as soon as the kernel has released it.
    func abandon(on loop: EventLoop) {
        whenDone = nil
        guard let call else { return loop.cancel(self) }
        self.call = nil
        call.cancel()
    }

    override func completed(_ result: Int32, buffer: Int32, hasMore: Bool) {
        loop.backend.forget(fd)
        guard let whenDone else {
            _ = Glibc.close(fd)
            return
        }
        if result < 0 { return failed(IOError(code: -result, operation: "connect", subject: "\(address)")) }
        self.whenDone = nil
        whenDone(.success(fd))
    }

    private func failed(_ error: IOError) {
        let whenDone = whenDone.take()
        _ = Glibc.close(fd)
        whenDone?(.failure(error))
    }
}

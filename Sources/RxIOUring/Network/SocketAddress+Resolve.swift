// SPDX-License-Identifier: Apache-2.0

import Glibc
public import RxSwift

extension SocketAddress {
    /// The addresses of a host, in the order in which they should be tried.
    ///
    /// Asks the system's resolver at each subscription; not for an IP address. The resolver blocks, so it is called on one of at most 32
    /// threads for all look-ups of the process; further look-ups wait for them. A dispose takes effect at once: a look-up that waits is
    /// dropped, and the result of one that has begun is ignored.
    /// - Parameters:
    ///   - host: a name, or an IP address as text.
    ///   - port: 0...65535.
    ///   - scheduler: the event loop on whose thread the addresses are emitted.
    /// - Returns: at least one address. Fails with an `IOError` (`resolve`), whose code is negative for the resolver's own
    ///   errors (`EAI_NONAME` and the like); (`pthread_create`) if the system has had no thread for a second.
    public static func resolve(host: String, port: Int, scheduler: IOUringScheduler) -> Single<[SocketAddress]> {
        Single(raw: scheduler.observable { ResolveSource(host, port, loop: scheduler.loop, downstream: $0) })
    }

    /// The errno with which the system gives no descriptor now; nil if it does. Without one, `getaddrinfo` says that it knows no such name.
    private static var descriptorShortage: CInt? {
        let fd = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        if fd < 0 { return errno }
        close(fd)
        return nil
    }

    /// Resolves a host, and blocks the caller meanwhile.
    static func resolveNow(
        _ host: String, _ port: Int, flags: CInt = AI_ADDRCONFIG
    ) -> Result<[SocketAddress], IOError> {
        if host.containsNUL {
            return .failure(IOError(code: EINVAL, operation: "resolve", subject: SocketAddress.text(host, port)))
        }
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        hints.ai_flags = flags | AI_NUMERICSERV
        var first: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, "\(port)", &hints, &first)
        defer { if let first { freeaddrinfo(first) } }
        if status != 0 {
            let code = status == EAI_SYSTEM ? errno : descriptorShortage ?? status
            return .failure(IOError(code: code, operation: "resolve", subject: SocketAddress.text(host, port)))
        }
        var found: [SocketAddress] = []
        var next = first
        while let entry = next {
            next = entry.pointee.ai_next
            guard let pointer = entry.pointee.ai_addr else { continue }
            var storage = sockaddr_storage()
            let length = entry.pointee.ai_addrlen
            withUnsafeMutableBytes(of: &storage) {
                $0.copyMemory(from: UnsafeRawBufferPointer(start: pointer, count: min(Int(length), $0.count)))
            }
            if let address = SocketAddress(&storage, length: length), !found.contains(address) { found.append(address) }
        }
        return .success(found)
    }
}

private final class ResolveSource: LoopSource<[SocketAddress]> {
    private let host: String
    private let port: Int
    @exclusivity(unchecked) private var lookUp: BlockingCall<Result<[SocketAddress], IOError>>?

    init(_ host: String, _ port: Int, loop: EventLoop, downstream: Sink<[SocketAddress]>) {
        self.host = host
        self.port = port
        super.init(loop: loop, downstream: downstream)
    }

    override var subject: String { SocketAddress.text(host, port) }

    override func begin() {
        if UInt16(exactly: port) == nil { return fail("resolve", EINVAL) }
        if let address = try? SocketAddress(ip: host, port: port) { return finish(.success([address])) }
        lookUp = loop.resolve(host, port) { [self] in finish($0) }
    }

    override func end() {
        lookUp?.cancel()
        lookUp = nil
    }

    private func finish(_ result: Result<[SocketAddress], IOError>) {
        switch result {
        case .failure(let error): fail(with: error)
        case .success(let addresses):
            emit(addresses)
            complete()
        }
    }
}

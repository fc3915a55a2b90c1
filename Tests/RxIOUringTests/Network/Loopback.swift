// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Glibc
import RxIOUring
import RxSwift
import TestSupport
import Testing

/// The errno of an error.
func code(_ error: any Error) -> CInt { (error as? IOError)?.code ?? -1 }

/// Waits until a condition holds, on the calling thread.
func waitUntil(within seconds: Double = 20, _ condition: () -> Bool) -> Bool {
    let end = DispatchTime.now() + seconds
    while DispatchTime.now() < end {
        if condition() { return true }
        usleep(500)
    }
    return condition()
}

/// A socket that the test reads and writes by blocking system calls: a peer without any code of the library.
final class PlainSocket: @unchecked Sendable {
    let fd: CInt
    private var isOpen = true

    init(connectedTo address: SocketAddress, receiveBuffer: CInt? = nil) {
        fd = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        if var size = receiveBuffer {
            setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<CInt>.size))
        }
        var target = sockaddr_in()
        target.sin_family = sa_family_t(AF_INET)
        target.sin_port = UInt16(address.port).bigEndian
        target.sin_addr.s_addr = inet_addr("127.0.0.1")
        let status = withUnsafePointer(to: &target) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(fd, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        precondition(status == 0, "connect: errno \(errno)")
        // A lost byte fails the test instead of blocking it.
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close() }

    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.send(fd, $0.baseAddress! + sent, bytes.count - sent, CInt(MSG_NOSIGNAL))
            }
            if count <= 0 { return false }
            sent += count
        }
        return true
    }

    /// Receives `count` bytes, or the bytes before the end.
    func receive(_ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var received = 0
        while received < count {
            let more = bytes.withUnsafeMutableBytes {
                recv(fd, $0.baseAddress! + received, count - received, 0)
            }
            if more <= 0 { break }
            received += more
        }
        return Array(bytes.prefix(received))
    }

    /// Sends later bytes at once, also while earlier bytes are not acknowledged.
    func sendWithoutDelay() {
        var option: CInt = 1
        setsockopt(fd, CInt(IPPROTO_TCP), TCP_NODELAY, &option, socklen_t(MemoryLayout<CInt>.size))
    }

    var localPort: Int {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafeMutableBytes(of: &address) { bytes in
            getsockname(fd, bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self), &length)
        }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    func shutdownOutput() { shutdown(fd, CInt(SHUT_WR)) }

    /// Closes the socket so that the other end gets a reset.
    func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(fd, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        close()
    }

    func close() {
        if isOpen { Glibc.close(fd) }
        isOpen = false
    }
}

/// A listener on a loop, and the connections that it has accepted.
final class Server: @unchecked Sendable {
    let scheduler: IOUringScheduler
    let listener: Listener
    let connections = Guarded<[Connection]>([])
    let errors = Guarded<[any Error]>([])
    let isOver = Guarded<Bool>(false)
    private var subscription: (any Disposable)?

    var address: SocketAddress { listener.address }

    /// - Parameters:
    ///   - keeps: true if `connections` retains the connections.
    ///   - onConnection: called on the loop with each connection.
    init(
        _ backend: Backend, options: ConnectionOptions = ConnectionOptions(), keeps: Bool = false,
        backlog: Int = 1_024, onConnection: @escaping @Sendable (Connection) -> Void = { _ in }
    ) throws {
        scheduler = IOUringScheduler(name: "test.server", backend: backend)
        listener = try TCP.listener(port: 0, backlog: backlog, options: options, scheduler: scheduler)
        subscription = listener.connections.subscribe(
            onNext: { [connections] connection in
                if keeps { connections.change { $0.append(connection) } }
                onConnection(connection)
            },
            onError: { [errors] error in errors.change { $0.append(error) } },
            onDisposed: { [isOver] in isOver.value = true })
    }

    /// A server that sends back the bytes that it receives.
    static func echo(
        _ backend: Backend, options: ConnectionOptions = ConnectionOptions()
    ) throws -> Server {
        try Server(backend, options: options) { connection in
            _ = connection.received.subscribe(onNext: { connection.send($0) })
        }
    }

    func firstConnection() -> Connection? {
        guard waitUntil({ !connections.value.isEmpty }) else { return nil }
        return connections.value.first
    }

    func end() {
        subscription?.dispose()
        subscription = nil
        connections.value = []
        scheduler.shutdown()
    }
}

/// Receives until the end. Returns the bytes, and 0 for a clean end or the errno.
func receiveAll(_ peer: PlainSocket) -> (bytes: [UInt8], end: CInt) {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
        let count = buffer.withUnsafeMutableBytes { recv(peer.fd, $0.baseAddress, $0.count, 0) }
        if count <= 0 { return (bytes, count == 0 ? 0 : errno) }
        bytes += buffer[..<count]
    }
}

/// The two ends of a connected pair of Unix stream sockets.
func socketPair() -> [CInt] {
    var ends: [CInt] = [0, 0]
    #expect(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &ends) == 0)
    return ends
}

/// Runs a body, and expects that it leaves no descriptor and no live object.
func leavingNothingBehind(_ body: () throws -> Void) rethrows {
    // The threads of other tests may still be releasing objects.
    usleep(2_000)
    let descriptors = descriptorCount()
    #if TRACE_RESOURCES
        let objects = Resources.total
    #endif
    try body()
    #expect(
        waitUntil(within: 5) { descriptorCount() <= descriptors },
        "descriptors are left: \(descriptorCount()), not \(descriptors)")
    #if TRACE_RESOURCES
        #expect(
            waitUntil(within: 5) { Resources.total <= objects }, "objects are left: \(Resources.total), not \(objects)")
    #endif
}

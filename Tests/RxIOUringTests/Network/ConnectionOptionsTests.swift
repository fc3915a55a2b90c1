// SPDX-License-Identifier: Apache-2.0

import Glibc
import RxIOUring
import RxSwift
import TestSupport
import Testing

@Suite struct ConnectionOptionsTests {
    /// The value of an option of a socket; -1 if the system has none.
    private func option(_ fd: CInt, _ level: CInt, _ name: CInt) -> CInt {
        var value: CInt = -1
        var size = socklen_t(MemoryLayout<CInt>.size)
        return getsockopt(fd, level, name, &value, &size) == 0 ? value : -1
    }

    /// The descriptor of this process whose peer has a port.
    private func descriptor(peerPort: Int) -> CInt? {
        (3..<1_024).first { fd in
            var address = sockaddr_in()
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let status = withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(fd, $0, &size) }
            }
            return status == 0 && UInt16(bigEndian: address.sin_port) == UInt16(peerPort)
        }
    }

    private func expectOptions(_ fd: CInt, _ location: SourceLocation = #_sourceLocation) {
        let level = CInt(IPPROTO_TCP)
        #expect(option(fd, SOL_SOCKET, SO_KEEPALIVE) == 1, sourceLocation: location)
        #expect(option(fd, level, TCP_KEEPIDLE) == 11, sourceLocation: location)
        #expect(option(fd, level, TCP_KEEPINTVL) == 7, sourceLocation: location)
        #expect(option(fd, level, TCP_KEEPCNT) == 5, sourceLocation: location)
        #expect((2_500...2_501).contains(option(fd, level, TCP_USER_TIMEOUT)), sourceLocation: location)
        #expect(option(fd, level, TCP_NODELAY) == 1, sourceLocation: location)
    }

    @Test("Both ends of a connection have the probes and the limit that they ask for", arguments: Backend.built)
    func probes(_ backend: Backend) throws {
        try leavingNothingBehind {
            var options = ConnectionOptions()
            options.keepAlive = KeepAlive(idle: 11, interval: 7, count: 5)
            options.userTimeout = .milliseconds(2_500)
            let server = try Server(backend, options: options, keeps: true)
            let connection = Guarded<Connection?>(nil)
            let subscription = TCP.connect(to: server.address, options: options, scheduler: server.scheduler)
                .subscribe(onSuccess: { connection.value = $0 })
            #expect(waitUntil { connection.value != nil && !server.connections.value.isEmpty })
            let client = try #require(connection.exchange(nil))
            expectOptions(try #require(descriptor(peerPort: server.address.port)))
            expectOptions(try #require(descriptor(peerPort: client.localAddress.port)))
            client.close()
            subscription.dispose()
            server.end()
        }
    }

    @Test("A peer that reads nothing for the user timeout is given up", arguments: Backend.built)
    func userTimeout(_ backend: Backend) throws {
        try leavingNothingBehind {
            var options = ConnectionOptions()
            options.userTimeout = .milliseconds(300)
            options.sendBufferSize = 4_096
            let server = try Server(backend, options: options, keeps: true)
            let peer = PlainSocket(connectedTo: server.address, receiveBuffer: 4_096)
            let log = EventLog()
            let connection = try #require(server.firstConnection())
            _ = connection.closed.subscribe(onError: { log.note("\(code($0))") })
            connection.send(ByteChunk(pattern(1 << 20)))
            #expect(waitUntil { log.text == "\(ETIMEDOUT)" }, "\(log.text)")
            peer.close()
            server.end()
        }
    }

    @Test("A program sets options of its own before the connect", arguments: Backend.built)
    func hook(_ backend: Backend) throws {
        try leavingNothingBehind {
            let server = try Server(backend, keeps: true)
            let log = EventLog()
            let number = Guarded<CInt>(-1)
            var options = ConnectionOptions()
            options.prepareSocket = { fd in
                number.value = fd
                var service: CInt = 0x10
                setsockopt(fd, CInt(IPPROTO_IP), IP_TOS, &service, socklen_t(MemoryLayout<CInt>.size))
                var size: socklen_t = 0
                var address = sockaddr()
                if getpeername(fd, &address, &size) != 0 { log.note("\(errno == ENOTCONN)") }
            }
            let connection = Guarded<Connection?>(nil)
            let subscription = TCP.connect(to: server.address, options: options, scheduler: server.scheduler)
                .subscribe(onSuccess: { connection.value = $0 })
            #expect(waitUntil { connection.value != nil })
            #expect(log.text == "true")
            #expect(option(number.value, CInt(IPPROTO_IP), IP_TOS) == 0x10)
            connection.value = nil
            subscription.dispose()
            server.end()
        }
    }

    @Test("An error of the program's own preparation fails the attempt", arguments: Backend.built)
    func throwingHook(_ backend: Backend) throws {
        try leavingNothingBehind {
            let scheduler = IOUringScheduler(backend: backend)
            let listener = try TCP.listener(port: 0, scheduler: scheduler)
            var options = ConnectionOptions()
            options.prepareSocket = { _ in throw Failure.expected }
            let log = EventLog(
                TCP.connect(to: listener.address, options: options, scheduler: scheduler).asObservable().map { _ in })
            #expect(waitUntil { log.text == "error(expected)" }, "\(log.text)")
            var socket = ListenerOptions()
            socket.prepareSocket = { _ in throw Failure.expected }
            #expect(throws: Failure.expected) { try TCP.listener(port: 0, socket: socket, scheduler: scheduler) }
            let folder = TemporaryFolder()
            #expect(throws: Failure.expected) {
                try Unix.listener(path: folder["s"], socket: socket, scheduler: scheduler)
            }
            listener.close()
            scheduler.shutdown()
        }
    }

    @Test("Arguments that make no sense stop the program") func invalidArguments() async {
        await #expect(processExitsWith: .failure) { _ = KeepAlive(idle: 0) }
        await #expect(processExitsWith: .failure) { _ = KeepAlive(interval: 32_768) }
        await #expect(processExitsWith: .failure) { _ = KeepAlive(count: 128) }
        await #expect(processExitsWith: .failure) {
            var options = ConnectionOptions()
            options.idleTimeout = .seconds(0)
        }
        await #expect(processExitsWith: .failure) {
            var options = ConnectionOptions()
            options.userTimeout = .milliseconds(-1)
        }
        await #expect(processExitsWith: .failure) {
            var options = ListenerOptions()
            options.fileMode = 0o1000
        }
    }
}

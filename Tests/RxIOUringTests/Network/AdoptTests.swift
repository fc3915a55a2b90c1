// SPDX-License-Identifier: Apache-2.0

import Glibc
import RxIOUring
import RxSwift
import TestSupport
import Testing

@Suite struct AdoptTests {
    @Test("The end of a socket pair is a connection", arguments: Backend.built)
    func pair(_ backend: Backend) throws {
        leavingNothingBehind {
            let scheduler = IOUringScheduler(backend: backend)
            let ends = socketPair()
            let connection = Guarded<Connection?>(nil)
            let subscription = Connection.adopt(ends[0], scheduler: scheduler).subscribe(onSuccess: { made in
                #expect(scheduler.isCurrent)
                connection.value = made
            })
            #expect(waitUntil { connection.value != nil })
            #expect(fcntl(ends[0], F_GETFD) & FD_CLOEXEC != 0)
            #expect(connection.value?.peerCredentials?.processID == getpid())
            let received = connection.value!.received.received()
            connection.value?.send("abc")
            var bytes = [UInt8](repeating: 0, count: 3)
            #expect(recv(ends[1], &bytes, 3, CInt(MSG_WAITALL)) == 3)
            Glibc.send(ends[1], bytes, 3, 0)
            Glibc.close(ends[1])
            #expect(received.wait())
            #expect(received.text == "abc")
            connection.value = nil
            subscription.dispose()
            scheduler.shutdown()
        }
    }

    /// The fault: each subscription had a connection of the same descriptor, and closed what had its number by then.
    @Test("A second subscription does not take the same descriptor over", arguments: Backend.built)
    func twice(_ backend: Backend) throws {
        leavingNothingBehind {
            let scheduler = IOUringScheduler(backend: backend)
            let ends = socketPair()
            let adopting = Connection.adopt(ends[0], scheduler: scheduler)
            let connections = Guarded<[Connection]>([])
            let errors = Guarded<[CInt]>([])
            for _ in 0..<2 {
                _ = adopting.subscribe(
                    onSuccess: { connection in connections.change { $0.append(connection) } },
                    onFailure: { error in errors.change { $0.append(code(error)) } })
            }
            #expect(waitUntil { connections.value.count == 1 && errors.value == [EBUSY] })
            connections.value = []
            Glibc.close(ends[1])
            scheduler.shutdown()
        }
    }

    @Test("A subscription that is disposed of at once has the descriptor closed", arguments: Backend.built)
    func disposedAtOnce(_ backend: Backend) throws {
        leavingNothingBehind {
            let scheduler = IOUringScheduler(backend: backend)
            let ends = socketPair()
            scheduler.run(after: { Connection.adopt(ends[0], scheduler: scheduler).subscribe().dispose() }, {})
            var byte: UInt8 = 0
            #expect(recv(ends[1], &byte, 1, 0) == 0)
            Glibc.close(ends[1])
            scheduler.shutdown()
        }
    }

    @Test("A listening socket and what it accepts elsewhere can be taken over", arguments: Backend.built)
    func listener(_ backend: Backend) throws {
        try leavingNothingBehind {
            let scheduler = IOUringScheduler(backend: backend)
            let descriptor = listeningSocket()
            let first = PlainSocket(connectedTo: try address(of: descriptor))
            let accepted = accept(descriptor, nil, nil)
            let echo: @Sendable (Connection) -> Void = { connection in
                _ = connection.received.subscribe(onNext: { connection.send($0) })
            }
            let adopted = Connection.adopt(accepted, scheduler: scheduler).subscribe(onSuccess: echo)
            let listener = try Listener.adopt(descriptor, scheduler: scheduler)
            let subscription = listener.connections.subscribe(onNext: echo)
            let second = PlainSocket(connectedTo: listener.address)
            for peer in [first, second] {
                peer.send([1, 2, 3])
                #expect(peer.receive(3) == [1, 2, 3])
                peer.close()
            }
            adopted.dispose()
            subscription.dispose()
            scheduler.shutdown()
        }
    }

    enum Misfit: CaseIterable, Sendable { case closed, file, datagram, listening, unconnected, folder }

    private func make(_ misfit: Misfit) -> CInt {
        switch misfit {
        case .closed: 1_000_000
        case .file: open("/dev/null", O_RDONLY)
        case .datagram: socket(AF_INET, CInt(SOCK_DGRAM.rawValue), 0)
        case .listening: listeningSocket()
        case .unconnected: socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        case .folder: open("/", O_RDONLY)
        }
    }

    @Test(
        "A descriptor that does not fit is an error, and stays the caller's", arguments: Backend.built, Misfit.allCases)
    func misfits(_ backend: Backend, _ misfit: Misfit) throws {
        leavingNothingBehind {
            let scheduler = IOUringScheduler(backend: backend)
            let descriptor = make(misfit)
            let log = EventLog()
            let subscription = Connection.adopt(descriptor, scheduler: scheduler).subscribe(
                onSuccess: { _ in log.note("success") }, onFailure: { log.note("\(code($0))") })
            let expected =
                switch misfit {
                case .closed: EBADF
                case .file, .folder: ENOTSOCK
                case .datagram: EPROTOTYPE
                case .listening: EINVAL
                case .unconnected: ENOTCONN
                }
            #expect(waitUntil { log.text == "\(expected)" }, "\(log.text)")
            if misfit != .listening {
                let code = misfit == .unconnected ? EINVAL : expected
                #expect(throws: IOError(code: code, operation: "adopt", subject: "descriptor \(descriptor)")) {
                    try Listener.adopt(descriptor, scheduler: scheduler)
                }
            }
            subscription.dispose()
            scheduler.shutdown()
            #expect((Glibc.close(descriptor) == 0) == (misfit != .closed))
        }
    }

    private func listeningSocket() -> CInt {
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        var target = sockaddr_in()
        target.sin_family = sa_family_t(AF_INET)
        target.sin_addr.s_addr = inet_addr("127.0.0.1")
        let status = withUnsafePointer(to: &target) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        #expect(status == 0 && listen(descriptor, 16) == 0)
        return descriptor
    }

    private func address(of descriptor: CInt) throws -> SocketAddress {
        var found = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafeMutablePointer(to: &found) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
        }
        return try SocketAddress(ipv4: "127.0.0.1", port: Int(UInt16(bigEndian: found.sin_port)))
    }
}

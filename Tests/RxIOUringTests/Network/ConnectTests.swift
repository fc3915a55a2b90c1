import Dispatch
import Glibc
import RxIOUring
import RxSwift
import TestSupport
import Testing

@Suite struct ConnectTests {
    /// What connecting comes to, as text.
    private func outcome(_ single: Single<Connection>) -> (code: CInt, text: String) {
        let result = Guarded<(CInt, String)?>(nil)
        let subscription = single.subscribe(
            onSuccess: { _ in result.value = (0, "") },
            onFailure: { error in
                let error = error as! IOError
                result.value = (error.code, "\(error)")
            })
        #expect(waitUntil { result.value != nil })
        subscription.dispose()
        return result.value ?? (-99, "")
    }

    @Test(arguments: IOUringScheduler.Backend.built)
    func aUnixSocketWithoutRoomIsWaitedFor(_ backend: IOUringScheduler.Backend) throws {
        let folder = TemporaryFolder()
        try leavingNothingBehind {
            let scheduler = IOUringScheduler(backend: backend)
            let listener = try Unix.listener(path: folder["s"], backlog: 1, scheduler: scheduler)
            let connected = Guarded(0)
            let errors = Guarded<[CInt]>([])
            let connections = Guarded<[Connection]>([])
            let attempts = (0..<4).map { _ in
                Unix.connect(path: folder["s"], scheduler: scheduler).subscribe(
                    onSuccess: { connection in
                        connections.change { $0.append(connection) }
                        connected.change { $0 += 1 }
                    }, onFailure: { error in errors.change { $0.append(code(error)) } })
            }
            #expect(waitUntil { connected.value >= 1 })
            let late = Guarded<CInt>(0)
            let hasty = Unix.connect(path: folder["s"], timeout: .milliseconds(50), scheduler: scheduler)
                .subscribe(onFailure: { late.value = code($0) })
            #expect(waitUntil { late.value == ETIMEDOUT })
            #expect(connected.value < 4)
            let accepted = listener.connections.subscribe(onNext: { connection in
                connections.change { $0.append(connection) }
            })
            #expect(waitUntil { connected.value == 4 })
            #expect(errors.value == [])
            hasty.dispose()
            for attempt in attempts { attempt.dispose() }
            accepted.dispose()
            connections.value = []
            scheduler.shutdown()
        }
    }

    @Test(arguments: IOUringScheduler.Backend.built)
    func aPortThatNobodyListensToIsAnError(_ backend: IOUringScheduler.Backend) throws {
        try leavingNothingBehind {
            let scheduler = IOUringScheduler(backend: backend)
            let listener = try TCP.listener(port: 0, scheduler: scheduler)
            let address = listener.address
            listener.close()
            let (code, text) = outcome(TCP.connect(to: address, scheduler: scheduler))
            #expect(code == ECONNREFUSED)
            #expect(text == "connect \(address): Connection refused (errno 111)")
            scheduler.shutdown()
        }
    }

    @Test(arguments: IOUringScheduler.Backend.built)
    func aNameThatDoesNotExistIsAnError(_ backend: IOUringScheduler.Backend) throws {
        leavingNothingBehind {
            let scheduler = IOUringScheduler(backend: backend)
            let (code, text) = outcome(TCP.connect(host: "nonexistent.invalid", port: 80, scheduler: scheduler))
            #expect(code < 0)
            #expect(text.hasPrefix("resolve nonexistent.invalid:80: "))
            scheduler.shutdown()
        }
    }

    /// A listener whose backlog is full takes no connection, and says nothing.
    @Test(arguments: IOUringScheduler.Backend.built)
    func connectingEndsAfterItsTimeout(_ backend: IOUringScheduler.Backend) throws {
        try leavingNothingBehind {
            let scheduler = IOUringScheduler(backend: backend)
            let listener = try TCP.listener(port: 0, backlog: 0, scheduler: scheduler)
            let bag = Guarded<[Connection]>([])
            let attempts = (0..<3).map { _ in
                TCP.connect(to: listener.address, scheduler: scheduler)
                    .subscribe(onSuccess: { connection in bag.change { $0.append(connection) } })
            }
            #expect(waitUntil { bag.value.count == 1 })
            let (code, text) = outcome(
                TCP.connect(to: listener.address, timeout: .milliseconds(50), scheduler: scheduler))
            #expect(code == ETIMEDOUT)
            #expect(text == "connect \(listener.address): Connection timed out (errno 110)")
            for attempt in attempts { attempt.dispose() }
            bag.value = []
            listener.close()
            scheduler.shutdown()
        }
    }

    @Test(arguments: IOUringScheduler.Backend.built)
    func aPortInUseIsAnError(_ backend: IOUringScheduler.Backend) throws {
        try leavingNothingBehind {
            let scheduler = IOUringScheduler(backend: backend)
            let listener = try TCP.listener(port: 0, scheduler: scheduler)
            let port = listener.address.port
            let log = EventLog()
            let subscription = TCP.listen(port: port, scheduler: scheduler).subscribe(onError: {
                log.note("\($0)")
            })
            #expect(log.text == "bind 127.0.0.1:\(port): Address already in use (errno 98)")
            subscription.dispose()
            listener.close()
            scheduler.shutdown()
        }
    }

    @Test(arguments: IOUringScheduler.Backend.built)
    func listenersShareAPort(_ backend: IOUringScheduler.Backend) throws {
        try leavingNothingBehind {
            let scheduler = IOUringScheduler(backend: backend)
            let first = try TCP.listener(port: 0, reusePort: true, scheduler: scheduler)
            let second = try TCP.listener(port: first.address.port, reusePort: true, scheduler: scheduler)
            #expect(first.address == second.address)
            first.close()
            second.close()
            scheduler.shutdown()
        }
    }

    @Test(arguments: IOUringScheduler.Backend.built)
    func namesAreResolvedOffTheLoop(_ backend: IOUringScheduler.Backend) throws {
        leavingNothingBehind {
            let scheduler = IOUringScheduler(backend: backend)
            let found = Guarded<[SocketAddress]>([])
            let isOnLoop = Guarded(false)
            let subscription = SocketAddress.resolve(host: "localhost", port: 80, scheduler: scheduler).subscribe(
                onSuccess: {
                    isOnLoop.value = scheduler.isCurrent
                    found.value = $0
                })
            #expect(waitUntil { !found.value.isEmpty })
            #expect(isOnLoop.value)
            #expect(found.value.contains { $0.description == "127.0.0.1:80" || $0.description == "[::1]:80" })
            subscription.dispose()
            scheduler.shutdown()
        }
    }

    @Test func addressesAreWrittenAndReadBack() throws {
        #expect(try SocketAddress(ipv4: "127.0.0.1", port: 80).description == "127.0.0.1:80")
        #expect(try SocketAddress(ipv6: "::1", port: 80).description == "[::1]:80")
        #expect(try SocketAddress(ip: "fe80::1%3", port: 1).description == "[fe80::1%3]:1")
        #expect(try SocketAddress(ip: "2001:db8::ff00:42:8329", port: 65_535).host == "2001:db8::ff00:42:8329")
        #expect(try SocketAddress(unixPath: "/a/b").description == "unix:/a/b")
        #expect(try SocketAddress(abstractUnixName: "name").description == "unix:@name")
        #expect(try SocketAddress(ipv4: "1.2.3.4", port: 5).port == 5)
        #expect(throws: IOError.self) { try SocketAddress(ipv4: "1.2.3", port: 80) }
        #expect(throws: IOError.self) { try SocketAddress(ipv4: "1.2.3.4", port: 65_536) }
        let long = String(repeating: "x", count: 108)
        #expect(throws: IOError(code: ENAMETOOLONG, operation: "address", subject: "unix:" + long)) {
            try SocketAddress(unixPath: long)
        }
    }
}

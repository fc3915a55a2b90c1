// SPDX-License-Identifier: Apache-2.0

import Glibc
import RxIOUring
import RxSwift
import TestSupport
import Testing

private let hasIPv6: Bool = {
    let scheduler = IOUringScheduler()
    defer { scheduler.shutdown() }
    return (try? UDP.bind(host: "::1", port: 0, scheduler: scheduler)) != nil
}()

@Suite(.enabled(if: hasIPv6, "this machine has no IPv6")) struct IPv6Tests {
    @Test("Errors name a host that is an address as that address is written") func hostOfErrors() {
        onLoop(Backend.built[0]) { scheduler in
            let received = Receiver(TCP.connect(host: "2001:db8::1", port: 70_000, scheduler: scheduler).asObservable())
            #expect(received.wait())
            #expect("\(received.error!)".contains("[2001:db8::1]:70000"))
        }
    }

    @Test("A connection knows both addresses", arguments: Backend.built)
    func connections(_ backend: Backend) throws {
        try leavingNothingBehind {
            let scheduler = IOUringScheduler(backend: backend)
            let listener = try TCP.listener(host: "::1", port: 0, scheduler: scheduler)
            #expect("\(listener.address)" == "[::1]:\(listener.address.port)")
            let remote = Guarded<SocketAddress?>(nil)
            let serving = listener.connections.subscribe(onNext: { connection in
                remote.value = connection.remoteAddress
                #expect(connection.localAddress == listener.address)
                _ = connection.received.subscribe(onNext: { connection.send($0) }, onError: { _ in })
            })
            let local = Guarded<SocketAddress?>(nil)
            let answer = Receiver(
                TCP.connect(host: "::1", port: listener.address.port, scheduler: scheduler).asObservable()
                    .flatMap { connection in
                        local.value = connection.localAddress
                        #expect(connection.remoteAddress == listener.address)
                        connection.send("text")
                        return connection.received.flatMap { Observable.from(Array($0)) }.take(4).map { [$0] }
                    })
            #expect(answer.wait())
            #expect(answer.text == "text")
            #expect(local.value != nil && local.value == remote.value)
            serving.dispose()
            scheduler.shutdown()
        }
    }

    @Test("A datagram carries the address of its sender", arguments: Backend.built)
    func datagrams(_ backend: Backend) throws {
        try leavingNothingBehind {
            let scheduler = IOUringScheduler(backend: backend)
            let receiver = try UDP.bind(host: "::1", port: 0, scheduler: scheduler)
            let sender = try UDP.bind(host: "::1", port: 0, scheduler: scheduler)
            let senders = Receiver(receiver.received.map(\.sender).take(2))
            sender.send(ByteChunk("to"), to: receiver.address)
            try sender.connect(to: receiver.address)
            sender.send(ByteChunk("connected"))
            #expect(senders.wait())
            #expect(senders.elements == [sender.address, sender.address])
            scheduler.shutdown()
        }
    }

    @Test("IPv4 peers of IPv6 sockets have their IPv4 addresses", arguments: Backend.built)
    func mappedAddresses(_ backend: Backend) throws {
        try leavingNothingBehind {
            let scheduler = IOUringScheduler(backend: backend)
            let listener = try TCP.listener(host: "::", port: 0, scheduler: scheduler)
            let remote = Guarded<SocketAddress?>(nil)
            let serving = listener.connections.subscribe(onNext: { remote.value = $0.remoteAddress })
            let connections = Guarded<[Connection]>([])
            let client = TCP.connect(host: "127.0.0.1", port: listener.address.port, scheduler: scheduler)
                .subscribe(onSuccess: { connection in connections.change { $0.append(connection) } })
            #expect(waitUntil { remote.value != nil && connections.value.count == 1 })
            #expect(remote.value == connections.value.first?.localAddress)
            client.dispose()
            connections.value = []
            serving.dispose()
            let both = try UDP.bind(host: "::", port: 0, scheduler: scheduler)
            let other = try UDP.bind(host: "127.0.0.1", port: 0, scheduler: scheduler)
            let answers = both.received.subscribe(onNext: { both.send($0.bytes, to: $0.sender) })
            let received = Receiver(other.received.map { String($0.bytes) }.take(1))
            other.send(ByteChunk("hello"), to: try SocketAddress(ipv4: "127.0.0.1", port: both.address.port))
            #expect(received.wait())
            #expect(received.elements == ["hello"])
            answers.dispose()
            scheduler.shutdown()
        }
    }
}

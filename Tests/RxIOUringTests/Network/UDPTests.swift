// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import RxIOUring
import RxSwift
import TestSupport
import Testing

@Suite struct UDPTests {
    @Test("The datagrams of one sender come in order", arguments: Backend.built)
    func order(_ backend: Backend) throws {
        try leavingNothingBehind {
            let scheduler = IOUringScheduler(backend: backend)
            let receiver = try UDP.bind(port: 0, scheduler: scheduler)
            let sender = try UDP.bind(port: 0, scheduler: scheduler)
            let log = Guarded<[String]>([])
            let subscription = receiver.received.subscribe(onNext: { datagram in
                #expect(datagram.sender == sender.address)
                #expect(!datagram.isTruncated)
                log.change { $0.append(String(datagram.bytes)) }
            })
            for number in 0..<100 { #expect(sender.send(ByteChunk("\(number)"), to: receiver.address)) }
            #expect(waitUntil { log.value.count == 100 })
            #expect(log.value == (0..<100).map { "\($0)" })
            subscription.dispose()
            scheduler.shutdown()
        }
    }

    @Test("A datagram that is too long is truncated and marked", arguments: Backend.built)
    func truncated(_ backend: Backend) throws {
        try leavingNothingBehind {
            let scheduler = IOUringScheduler(backend: backend)
            let receiver = try UDP.bind(port: 0, maximumLength: 10, scheduler: scheduler)
            let sender = try UDP.bind(port: 0, scheduler: scheduler)
            try sender.connect(to: receiver.address)
            let log = EventLog()
            let subscription = receiver.received.subscribe(onNext: { log.note("\($0.bytes.count) \($0.isTruncated)") })
            sender.send(ByteChunk(pattern(10)))
            sender.send(ByteChunk(pattern(11)))
            sender.send(ByteChunk([]))
            #expect(waitUntil { log.lines == ["10 false", "10 true", "0 false"] })
            subscription.dispose()
            scheduler.shutdown()
        }
    }

    /// The fault: what a stranger had sent before the socket was connected was received behind that.
    @Test("A connected socket receives nothing from others, nor what they sent before", arguments: Backend.built)
    func stranger(_ backend: Backend) throws {
        try leavingNothingBehind {
            let scheduler = IOUringScheduler(backend: backend)
            let receiver = try UDP.bind(port: 0, scheduler: scheduler)
            let stranger = try UDP.bind(port: 0, scheduler: scheduler)
            let peer = try UDP.bind(port: 0, scheduler: scheduler)
            stranger.send(ByteChunk("stranger"), to: receiver.address)
            peer.send(ByteChunk("early"), to: receiver.address)
            scheduler.performAndWait {}
            usleep(20_000)
            try receiver.connect(to: peer.address)
            let log = EventLog()
            let subscription = receiver.received.subscribe(onNext: { log.note(String($0.bytes)) })
            peer.send(ByteChunk("late"), to: receiver.address)
            #expect(waitUntil { log.lines.last == "late" })
            #expect(log.lines == ["early", "late"])
            subscription.dispose()
            scheduler.shutdown()
        }
    }

    /// The fault: what was sent right before another connect went to the later peer.
    @Test("A datagram goes to the peer that its sender had connected to", arguments: Backend.built)
    func peers(_ backend: Backend) throws {
        try leavingNothingBehind {
            let scheduler = IOUringScheduler(backend: backend)
            let peers = try (0..<2).map { _ in try UDP.bind(port: 0, scheduler: scheduler) }
            let logs = peers.map { _ in EventLog() }
            let subscriptions = zip(peers, logs).map { peer, log in
                peer.received.subscribe(onNext: { log.note(String($0.bytes)) })
            }
            let sender = try UDP.bind(port: 0, scheduler: scheduler)
            #expect(!sender.send(ByteChunk("nowhere")))
            for index in 0..<40 {
                try sender.connect(to: peers[index % 2].address)
                #expect(sender.send(ByteChunk("\(index)")))
            }
            for (index, log) in logs.enumerated() {
                let expected = stride(from: index, to: 40, by: 2).map { "\($0)" }
                #expect(waitUntil { log.lines.count == expected.count })
                #expect(log.lines == expected)
            }
            for subscription in subscriptions { subscription.dispose() }
            scheduler.shutdown()
        }
    }

    @Test("Options that the library does not know are set before the socket is bound", arguments: Backend.built)
    func prepareSocket(_ backend: Backend) throws {
        try leavingNothingBehind {
            let scheduler = IOUringScheduler(backend: backend)
            let sender = try UDP.bind(
                host: "0.0.0.0", port: 0,
                prepareSocket: { descriptor in
                    var yes: CInt = 1
                    let size = socklen_t(MemoryLayout<CInt>.size)
                    if setsockopt(descriptor, SOL_SOCKET, SO_BROADCAST, &yes, size) != 0 {
                        throw IOError(code: errno, operation: "setsockopt", subject: "SO_BROADCAST")
                    }
                }, scheduler: scheduler)
            let receiver = try UDP.bind(host: "0.0.0.0", port: 0, scheduler: scheduler)
            let log = EventLog()
            let subscription = receiver.received.subscribe(onNext: { log.note(String($0.bytes)) })
            let broadcast = try SocketAddress(ipv4: "127.255.255.255", port: receiver.address.port)
            sender.send(ByteChunk("all"), to: broadcast)
            #expect(waitUntil { log.lines == ["all"] })
            subscription.dispose()
            scheduler.shutdown()
        }
    }

    @Test("An error of the caller's preparation is thrown, and the socket closed", arguments: Backend.built)
    func failingPreparation(_ backend: Backend) throws {
        leavingNothingBehind {
            let scheduler = IOUringScheduler(backend: backend)
            #expect(throws: Failure.expected) {
                try UDP.bind(port: 0, prepareSocket: { _ in throw Failure.expected }, scheduler: scheduler)
            }
            scheduler.shutdown()
        }
    }

    @Test("The error of an earlier datagram does not cost the next one", arguments: Backend.built)
    func pendingError(_ backend: Backend) throws {
        try leavingNothingBehind {
            let scheduler = IOUringScheduler(backend: backend)
            let peer = try UDP.bind(port: 0, scheduler: scheduler)
            let address = peer.address
            let sender = try UDP.bind(port: 0, scheduler: scheduler)
            try sender.connect(to: address)
            peer.close()
            #expect(scheduler.performAndWait { true })
            // Comes back as an error, as no socket is there.
            sender.send(ByteChunk("lost"))
            usleep(50_000)
            let later = try UDP.bind(port: address.port, scheduler: scheduler)
            let log = EventLog()
            let subscription = later.received.subscribe(onNext: { log.note(String($0.bytes)) })
            sender.send(ByteChunk("arrives"))
            #expect(waitUntil { log.lines == ["arrives"] })
            subscription.dispose()
            scheduler.shutdown()
        }
    }

    @Test("A datagram that the system rejects is reported", arguments: Backend.built)
    func systemRejects(_ backend: Backend) throws {
        let codes = Guarded<[CInt]>([])
        let before = IOHooks.sendRejectedHandler
        IOHooks.sendRejectedHandler = { error, _ in codes.change { $0.append(error.code) } }
        defer { IOHooks.sendRejectedHandler = before }
        try leavingNothingBehind {
            let scheduler = IOUringScheduler(backend: backend)
            let socket = try UDP.bind(port: 0, scheduler: scheduler)
            // There is no peer.
            #expect(!socket.send(ByteChunk("lost")))
            #expect(codes.value == [EDESTADDRREQ])
            // Nor may a socket send to all without having asked for it.
            #expect(socket.send(ByteChunk("lost"), to: try SocketAddress(ipv4: "255.255.255.255", port: 9)))
            #expect(waitUntil { codes.value == [EDESTADDRREQ, EACCES] })
            socket.close()
            #expect(waitUntil { !socket.send(ByteChunk("late"), to: socket.address) })
            scheduler.shutdown()
        }
    }

    @Test("A datagram that is too long is rejected at once, and takes no room", arguments: Backend.built)
    func tooLong(_ backend: Backend) throws {
        let codes = Guarded<[CInt]>([])
        let before = IOHooks.sendRejectedHandler
        IOHooks.sendRejectedHandler = { error, _ in codes.change { $0.append(error.code) } }
        defer { IOHooks.sendRejectedHandler = before }
        try leavingNothingBehind {
            let scheduler = IOUringScheduler(backend: backend)
            let socket = try UDP.bind(port: 0, maximumLength: .max, scheduler: scheduler)
            let lengths = EventLog()
            let subscription = socket.received.subscribe(onNext: { lengths.note("\($0.bytes.count)") })
            #expect(!socket.send(ByteChunk(pattern(65_508)), to: socket.address))
            #expect(codes.value == [EMSGSIZE])
            #expect(socket.queuedBytes == 0)
            #expect(socket.send(ByteChunk(pattern(65_507)), to: socket.address))
            #expect(waitUntil { lengths.lines == ["65507"] })
            subscription.dispose()
            scheduler.shutdown()
        }
    }

    /// The fault: only their bytes were counted.
    @Test("Datagrams without bytes count", arguments: Backend.built)
    func emptyDatagrams(_ backend: Backend) throws {
        try leavingNothingBehind {
            let scheduler = IOUringScheduler(backend: backend)
            let socket = try UDP.bind(port: 0, sendLimit: 1 << 20, scheduler: scheduler)
            let (isBusy, mayGoOn) = (OneShot(), OneShot())
            scheduler.run {
                isBusy.fire()
                _ = mayGoOn.wait(seconds: 10)
            }
            #expect(isBusy.wait(seconds: 10))
            var accepted = 0
            while accepted < 10_000, socket.send(ByteChunk([]), to: socket.address) { accepted += 1 }
            #expect(accepted > 8_000 && accepted < 8_400)
            mayGoOn.fire()
            #expect(waitUntil { socket.send(ByteChunk("again"), to: socket.address) })
            socket.close()
            scheduler.shutdown()
        }
    }

    /// The fault: the 128 bytes of the new datagram were not counted.
    @Test(
        "No datagram is accepted beyond the limit",
        arguments: [(128, 0, 1), (256, 10, 1), (1_000, 73, 4), (1_000, 72, 5)])
    func exactLimit(limit: Int, size: Int, count: Int) throws {
        try leavingNothingBehind {
            let scheduler = IOUringScheduler()
            let socket = try UDP.bind(port: 0, sendLimit: limit, scheduler: scheduler)
            let (isBusy, mayGoOn) = (OneShot(), OneShot())
            scheduler.run {
                isBusy.fire()
                _ = mayGoOn.wait(seconds: 10)
            }
            #expect(isBusy.wait(seconds: 10))
            var accepted = 0
            while accepted < 100, socket.send(ByteChunk(pattern(size)), to: socket.address) { accepted += 1 }
            #expect(accepted == count)
            mayGoOn.fire()
            socket.close()
            scheduler.shutdown()
        }
    }

    /// The fault: the sequence completes or fails by chance.
    @Test("Receiving fails when the loop is shut down", arguments: Backend.built)
    func shutdown(_ backend: Backend) throws {
        try leavingNothingBehind {
            for _ in 0..<10 {
                let scheduler = IOUringScheduler(backend: backend)
                let codes = Guarded<[CInt]>([])
                let socket = try UDP.bind(port: 0, scheduler: scheduler)
                let subscription = socket.received.subscribe(
                    onError: { error in codes.change { $0.append(code(error)) } },
                    onCompleted: { codes.change { $0.append(0) } })
                #expect(scheduler.performAndWait { true })
                scheduler.shutdown()
                #expect(codes.value == [ECANCELED])
                subscription.dispose()
            }
        }
    }

    enum Ending: CaseIterable { case close, release, shutdown }

    @Test("A socket sends what was accepted before it ends", arguments: Backend.built, Ending.allCases)
    func ending(_ backend: Backend, _ ending: Ending) throws {
        try leavingNothingBehind {
            let receiving = IOUringScheduler(backend: backend)
            let receiver = try UDP.bind(port: 0, scheduler: receiving)
            let log = Guarded<[String]>([])
            let subscription = receiver.received.subscribe(onNext: { datagram in
                log.change { $0.append(String(datagram.bytes)) }
            })
            let scheduler = IOUringScheduler(backend: backend)
            var sender: UDPSocket? = try UDP.bind(port: 0, scheduler: scheduler)
            for number in 0..<100 { #expect(sender!.send(ByteChunk("\(number)"), to: receiver.address)) }
            switch ending {
            case .close: sender!.close()
            case .release: sender = nil
            case .shutdown: scheduler.shutdown()
            }
            #expect(waitUntil { log.value.count == 100 })
            #expect(log.value == (0..<100).map { "\($0)" })
            subscription.dispose()
            scheduler.shutdown()
            receiving.shutdown()
        }
    }

    @Test("A socket that was closed rejects at once", arguments: Backend.built)
    func closed(_ backend: Backend) throws {
        try leavingNothingBehind {
            let scheduler = IOUringScheduler(backend: backend)
            let socket = try UDP.bind(port: 0, scheduler: scheduler)
            let isOver = Guarded(false)
            // The loop does not come to the close before the expectations.
            scheduler.run { spin { isOver.value } }
            socket.close()
            #expect(!socket.send(ByteChunk("late"), to: socket.address))
            #expect(throws: IOError.self) { try socket.connect(to: socket.address) }
            isOver.value = true
            scheduler.shutdown()
        }
    }

    @Test("Datagrams that are kept do not stop receiving", arguments: Backend.built)
    func keptDatagrams(_ backend: Backend) throws {
        try leavingNothingBehind {
            let scheduler = IOUringScheduler(backend: backend)
            let receiver = try UDP.bind(port: 0, window: 2, scheduler: scheduler)
            let kept = Guarded<[Datagram]>([])
            let log = EventLog()
            let subscription = receiver.received.subscribe(
                onNext: { datagram in kept.change { $0.append(datagram) } }, onCompleted: { log.note("completed") })
            for number in 0..<10 { receiver.send(ByteChunk("\(number)"), to: receiver.address) }
            #expect(waitUntil { kept.value.count == 10 })
            #expect(kept.value.map { String($0.bytes) } == (0..<10).map { "\($0)" })
            receiver.close()
            #expect(waitUntil { log.text == "completed" })
            subscription.dispose()
            scheduler.shutdown()
        }
    }
}

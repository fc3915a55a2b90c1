// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import RxIOUring
import RxSwift
import TestSupport
import Testing

/// Streams that end before what was to be written has ended.
@Suite struct IncompleteWriteTests {
    struct Failure: Error {}

    enum End: CaseIterable {
        case sourceFails, loopEnds, bytesFollow, closeFollows, outputEnds, isDisposed

        /// True if this side says that the stream is whole as it is.
        var isWanted: Bool { self != .sourceFails }
    }

    /// The fault: nothing held the connection any more, so it was closed in order, and half a stream ended as a whole one does.
    @Test("A sequence that fails on its way to a peer resets it", arguments: Backend.built, End.allCases)
    func cutShort(_ backend: Backend, _ end: End) throws {
        try leavingNothingBehind {
            let source = PublishSubject<ByteChunk>()
            let isWriting = OneShot()
            let (failure, write) = (Guarded<(any Error)?>(nil), SerialDisposable())
            let server = try Server(backend) { connection in
                if end == .outputEnds { _ = connection.received.subscribe() }
                // Otherwise the connection ends with the write.
                let kept = end == .sourceFails ? nil : connection
                write.disposable = connection.write(source).subscribe(onError: { error in
                    failure.value = error
                    if end == .bytesFollow { kept?.send("!") }
                    if end == .closeFollows { kept?.close() }
                    if end == .outputEnds { kept?.shutdownOutput() }
                })
                isWriting.fire()
            }
            let peer = PlainSocket(connectedTo: server.address)
            #expect(isWriting.wait(seconds: 10))
            source.onNext(ByteChunk("0123456789"))
            #expect(peer.receive(10) == Array("0123456789".utf8))
            switch end {
            case .loopEnds: server.scheduler.shutdown()
            case .isDisposed: write.dispose()
            default: source.onError(Failure())
            }
            let (bytes, code) = receiveAll(peer)
            #expect((code == 0) == end.isWanted)
            #expect(bytes == (end == .bytesFollow ? Array("!".utf8) : []))
            #expect(waitUntil { (failure.value != nil) == (end != .isDisposed) })
            peer.close()
            server.end()
        }
    }

    /// The fault: the peer got what was accepted, and a clean end in the midst of the sequence. A reset drops what the kernel has not sent.
    @Test(
        "A loop that ends sends what was accepted, and resets the peer in the midst of a sequence",
        arguments: Backend.built, [true, false])
    func loopEndsInTheMidst(_ backend: Backend, _ hasMore: Bool) throws {
        try leavingNothingBehind {
            let source = PublishSubject<ByteChunk>()
            let isWriting = OneShot()
            let server = try Server(backend) { connection in
                _ = connection.write(source).subscribe(onError: { _ in })
                isWriting.fire()
            }
            let peer = PlainSocket(connectedTo: server.address, receiveBuffer: 16_384)
            #expect(isWriting.wait(seconds: 10))
            let sent = [UInt8](repeating: 7, count: 8_000_000)
            source.onNext(ByteChunk(sent))
            if !hasMore { source.onCompleted() }
            let shutdown = Thread { server.scheduler.shutdown(draining: .seconds(20)) }
            shutdown.start()
            usleep(20_000)
            let (bytes, code) = receiveAll(peer)
            #expect(bytes == sent && code == (hasMore ? ECONNRESET : 0))
            #expect(waitUntil { shutdown.isFinished })
            peer.close()
            server.end()
        }
    }

    enum Ending: CaseIterable {
        case outputEnds, closes

        func perform(_ connection: Connection?) {
            if self == .closes { connection?.close() } else { connection?.shutdownOutput() }
        }
    }

    /// The fault: the loop took no more work, and so the peer was reset.
    @Test(
        "An end in order that is asked for while the loop ends is one", arguments: Backend.built,
        Ending.allCases.flatMap { [($0, true), ($0, false)] })
    func endInOrderWhileLoopEnds(_ backend: Backend, _ kind: (ending: Ending, byHandler: Bool)) throws {
        try leavingNothingBehind {
            let source = PublishSubject<ByteChunk>()
            let (isWriting, isEnding) = (OneShot(), OneShot())
            let held = Guarded<Connection?>(nil)
            let server = try Server(backend) { connection in
                held.value = connection
                _ = connection.write(source).subscribe(onError: { _ in })
                _ = connection.received.subscribe(onError: { _ in
                    // On the loop, before it sends what is left.
                    if kind.byHandler { kind.ending.perform(held.value) }
                    isEnding.fire()
                })
                isWriting.fire()
            }
            let peer = PlainSocket(connectedTo: server.address, receiveBuffer: 16_384)
            #expect(isWriting.wait(seconds: 10))
            let sent = [UInt8](repeating: 7, count: 8_000_000)
            source.onNext(ByteChunk(sent))
            let shutdown = Thread { server.scheduler.shutdown(draining: .seconds(20)) }
            shutdown.start()
            #expect(isEnding.wait(seconds: 10))
            // For the loop's look at what is left.
            usleep(20_000)
            if !kind.byHandler { kind.ending.perform(held.value) }
            let (bytes, code) = receiveAll(peer)
            #expect(bytes == sent && code == 0)
            #expect(waitUntil { shutdown.isFinished })
            held.value = nil
            peer.close()
            server.end()
        }
    }

    /// The fault: the loop took no more work, and went on sending until its time was over.
    @Test("An abort ends a connection that its loop is draining", arguments: Backend.built)
    func abortWhileLoopEnds(_ backend: Backend) throws {
        try leavingNothingBehind {
            let held = Guarded<Connection?>(nil)
            let server = try Server(backend) { connection in
                connection.send(ByteChunk([UInt8](repeating: 7, count: 8_000_000)))
                held.value = connection
            }
            let peer = PlainSocket(connectedTo: server.address, receiveBuffer: 16_384)
            #expect(waitUntil { held.value != nil })
            let shutdown = Thread { server.scheduler.shutdown(draining: .seconds(60)) }
            shutdown.start()
            usleep(20_000)
            #expect(!shutdown.isFinished)
            held.value?.abort()
            #expect(waitUntil { shutdown.isFinished })
            #expect(receiveAll(peer).end == ECONNRESET)
            held.value = nil
            peer.close()
            server.end()
        }
    }

    enum Stage: CaseIterable {
        case none, hop, hops, boundedHop, buffer, delay

        func apply(_ file: Observable<ByteChunk>, _ loop: IOUringScheduler) -> Observable<ByteChunk> {
            switch self {
            case .none: file
            case .hop: file.observe(on: loop)
            case .hops: file.observe(on: loop).map { $0 }.observe(on: loop)
            case .boundedHop: file.observe(on: loop, buffer: 4, overflow: .suspend)
            case .buffer: file.onBackpressure(buffer: 4, overflow: .suspend)
            case .delay: file.delay(.milliseconds(1), scheduler: loop)
            }
        }
    }

    /// The faults: the file was read on and its write disposed of, and whether the peer saw a clean end was chance; and the error of the file waited in
    /// a hop to the same loop, or its elements behind a timer, when the outputs ended.
    @Test(
        "A file whose reading the end of the loop cuts off does not look whole", arguments: Backend.built,
        Stage.allCases)
    func cutFile(_ backend: Backend, _ stage: Stage) throws {
        let folder = TemporaryFolder()
        let size = 20_000_000
        let path = folder.put([UInt8](repeating: 7, count: size), into: "file")
        try leavingNothingBehind {
            for round in 0..<20 {
                let scheduler = Guarded<IOUringScheduler?>(nil)
                let server = try Server(backend) { connection in
                    guard let scheduler = scheduler.value else { return }
                    // A chunk that fills the output, and that the system takes as a whole.
                    let chunkSize = stage == .buffer ? 65_536 : 4_096
                    let file = File.read(path, chunkSize: chunkSize, scheduler: scheduler)
                    _ = connection.write(stage.apply(file, scheduler)).subscribe(onError: { _ in })
                }
                scheduler.value = server.scheduler
                let peer = PlainSocket(connectedTo: server.address)
                let first = peer.receive(1 + round * 10_000)
                let shutdown = Thread { server.scheduler.shutdown(draining: .seconds(20)) }
                shutdown.start()
                let (rest, code) = receiveAll(peer)
                #expect(code == ECONNRESET || first.count + rest.count == size)
                #expect(waitUntil { shutdown.isFinished })
                scheduler.value = nil
                peer.close()
                server.end()
            }
        }
    }

    /// Writes a sequence on a busy loop that ends right behind that. Returns the errors with which the peer's stream and the write end.
    private func writeBeforeEnd(
        _ backend: Backend, _ source: (IOUringScheduler) -> Observable<ByteChunk>
    ) throws -> (peer: CInt, write: (any Error)?) {
        let failure = Guarded<(any Error)?>(nil)
        let server = try Server(backend, keeps: true)
        let peer = PlainSocket(connectedTo: server.address)
        let connection = try #require(server.firstConnection())
        let isBusy = OneShot()
        server.scheduler.run {
            isBusy.fire()
            usleep(50_000)
        }
        #expect(isBusy.wait())
        _ = connection.write(source(server.scheduler)).subscribe(onError: { failure.value = $0 })
        server.scheduler.shutdown()
        let end = receiveAll(peer).end
        #expect(waitUntil { failure.value != nil })
        server.end()
        return (end, failure.value)
    }

    /// The fault: the file, to which the write had just subscribed, was rejected when the outputs had ended.
    @Test("A file that the end of the loop does not begin any more resets the peer", arguments: Backend.built)
    func fileNotBegun(_ backend: Backend) throws {
        let folder = TemporaryFolder()
        let path = folder.put([1], into: "file")
        try leavingNothingBehind {
            // The write begins behind the work of the loop, and the file would behind the end of the loop.
            let ends = try writeBeforeEnd(backend) { File.read(path, scheduler: $0) }
            #expect(ends.peer == ECONNRESET)
        }
    }

    enum Failing: CaseIterable { case source, file, fileBehindHop }

    /// The fault: the source had failed, but the loop dropped the word of that, which waited behind its end.
    @Test(
        "A source that fails right before the end of the loop resets the peer", arguments: Backend.built,
        Failing.allCases)
    func failsBeforeEnd(_ backend: Backend, _ failing: Failing) throws {
        try leavingNothingBehind {
            let ends = try writeBeforeEnd(backend) { scheduler in
                let file = File.read("/nonexistent", scheduler: scheduler)
                let failed: Observable<ByteChunk> =
                    switch failing {
                    case .source: .error(Failure())
                    case .file: file
                    case .fileBehindHop: file.observe(on: scheduler)
                    }
                return .just(ByteChunk("head")).concat(failed)
            }
            #expect(ends.peer == ECONNRESET)
            if failing == .source { #expect(ends.write is Failure) }
        }
    }

    @Test("An element that comes while the loop drains makes the stream one that was cut off", arguments: Backend.built)
    func elementWhileDraining(_ backend: Backend) throws {
        try leavingNothingBehind {
            let server = try Server(backend, keeps: true)
            let slow = PlainSocket(connectedTo: server.address, receiveBuffer: 16_384)
            let first = try #require(server.firstConnection())
            let peer = PlainSocket(connectedTo: server.address)
            #expect(waitUntil { server.connections.value.count == 2 })
            let second = try #require(server.connections.value.last)
            let source = PublishSubject<ByteChunk>()
            server.scheduler.performAndWait {
                _ = second.write(source).subscribe(onError: { _ in })
                // Its end comes in the time for sending.
                _ = first.write(ByteChunk([UInt8](repeating: 7, count: 8_000_000)))
                    .subscribe(onCompleted: { source.onNext(ByteChunk("more")) })
                source.onNext(ByteChunk("1"))
            }
            #expect(peer.receive(1) == Array("1".utf8))
            let shutdown = Thread { server.scheduler.shutdown(draining: .seconds(20)) }
            shutdown.start()
            usleep(20_000)
            #expect(receiveAll(slow).bytes.count == 8_000_000)
            #expect(receiveAll(peer).end == ECONNRESET)
            #expect(waitUntil { shutdown.isFinished })
            server.end()
        }
    }

    /// The fault: a write that a loop did not come to, since its end was asked for meanwhile, left a clean end with nothing before it.
    @Test("A write that the loop does not begin any more resets its peer", arguments: Backend.built, [true, false])
    func unbegunWrite(_ backend: Backend, _ isOnLoop: Bool) throws {
        try leavingNothingBehind {
            let server = try Server(backend, keeps: true)
            let peer = PlainSocket(connectedTo: server.address)
            let connection = try #require(server.firstConnection())
            let (isBusy, mayGoOn, hasFailed) = (OneShot(), OneShot(), OneShot())
            let code = Guarded<CInt>(0)
            let write = {
                _ = connection.write(Observable.just(ByteChunk("answer"))).subscribe(onError: { error in
                    code.change { $0 = (error as? IOError)?.code ?? -1 }
                    hasFailed.fire()
                })
            }
            _ = server.scheduler.schedule(()) { _ in
                isBusy.fire()
                _ = mayGoOn.wait()
                if isOnLoop { write() }
                return Disposables.create()
            }
            #expect(isBusy.wait())
            let shutdown = Thread { server.scheduler.shutdown() }
            shutdown.start()
            usleep(50_000)
            // On the loop, the write begins behind this.
            if isOnLoop { connection.closed.subscribe().dispose() } else { write() }
            mayGoOn.fire()
            #expect(hasFailed.wait())
            #expect(code.value == ECANCELED)
            #expect(receiveAll(peer).end == ECONNRESET)
            #expect(waitUntil { shutdown.isFinished })
            server.end()
        }
    }

    enum Relay: CaseIterable { case toLater, toEarlier, back }

    /// The faults: whether the source's connection or the other one was told first of the end was chance; and the end waited in a hop to the same loop.
    @Test(
        "A relay resets its peer at the end of the loop, and a server ends in order", arguments: Backend.built,
        Relay.allCases.flatMap { [($0, Stage.none), ($0, .hops)] })
    func relay(_ backend: Backend, _ kind: (relay: Relay, stage: Stage)) throws {
        let relay = kind.relay
        try leavingNothingBehind {
            let server = try Server(backend, keeps: true)
            let earlier = PlainSocket(connectedTo: server.address)
            let first = try #require(server.firstConnection())
            #expect(waitUntil { server.connections.value.count == 1 })
            let later = PlainSocket(connectedTo: server.address)
            #expect(waitUntil { server.connections.value.count == 2 })
            let second = try #require(server.connections.value.last)
            let (from, to) =
                switch relay {
                case .toLater: (first, second)
                case .toEarlier: (second, first)
                case .back: (first, first)
                }
            let (sender, receiver) =
                switch relay {
                case .toLater: (earlier, later)
                case .toEarlier: (later, earlier)
                case .back: (earlier, earlier)
                }
            _ = to.write(kind.stage.apply(from.received, server.scheduler)).subscribe(onError: { _ in })
            sender.send(Array("hello".utf8))
            #expect(receiver.receive(5) == Array("hello".utf8))
            server.scheduler.shutdown()
            #expect(receiveAll(receiver).end == (relay == .back ? 0 : ECONNRESET))
            server.end()
        }
    }

    enum Source: CaseIterable { case program, collectedProgram, signals, connections }

    /// The fault: only some inputs were told of the end of the loop before the outputs, so that the peer saw a clean end.
    @Test("A sequence that the end of the loop cuts off does not look whole", arguments: Backend.built, Source.allCases)
    func cutSource(_ backend: Backend, _ kind: Source) throws {
        for _ in 0..<5 {
            let isWriting = OneShot()
            let later = Guarded<Observable<ByteChunk>?>(nil)
            let server = try Server(backend) { connection in
                let source = Observable.just(ByteChunk("head")).concat(later.value ?? .empty())
                _ = connection.write(source).subscribe(onError: { _ in })
                isWriting.fire()
            }
            let scheduler = server.scheduler
            later.value =
                switch kind {
                case .program:
                    ChildProcess.run("/bin/sleep", arguments: ["100"], whenDisposed: .kill, scheduler: scheduler)
                        .map { _ in ByteChunk("x") }
                case .collectedProgram:
                    ChildProcess.output("/bin/sleep", arguments: ["100"], whenDisposed: .kill, scheduler: scheduler)
                        .map { ByteChunk($0.output) }.asObservable()
                case .signals: Signals.observe(SIGWINCH, scheduler: scheduler).map { _ in ByteChunk("x") }
                case .connections:
                    try TCP.listener(port: 0, scheduler: scheduler).connections.map { _ in ByteChunk("x") }
                }
            let peer = PlainSocket(connectedTo: server.address)
            #expect(isWriting.wait(seconds: 10))
            #expect(peer.receive(4) == Array("head".utf8))
            later.value = nil
            scheduler.shutdown()
            #expect(receiveAll(peer).end == ECONNRESET)
            peer.close()
            server.end()
        }
    }
}

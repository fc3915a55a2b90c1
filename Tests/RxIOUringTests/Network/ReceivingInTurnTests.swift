// SPDX-License-Identifier: Apache-2.0

import Dispatch
@preconcurrency import RxIOUring
import RxSwift
import TestSupport
import Testing

/// The fault: behind a hop, the next subscriber could come before the thread of the last one had disposed of its subscription.
@Suite(.serialized) struct ReceivingInTurnTests {
    @Test("A subscriber of datagrams behind the end of the last one receives", arguments: Backend.built)
    func datagrams(_ backend: Backend) throws {
        try onLoop(backend) { loop in
            let other = SerialDispatchQueueScheduler(internalSerialQueueName: "other")
            let (client, server) = (try UDP.bind(port: 0, scheduler: loop), try UDP.bind(port: 0, scheduler: loop))
            for _ in 0..<300 {
                _ = server.send(ByteChunk([1]), to: client.address)
                let received = Receiver(client.received.observe(on: other).take(1))
                // The last one may still have been there when the datagram came.
                _ = soon(seconds: 0.1) { received.isCompleted || received.error != nil }
                #expect(received.error == nil)
                received.dispose()
            }
        }
    }

    @Test("A subscriber of bytes behind the end of the last one receives them", arguments: Backend.built)
    func bytes(_ backend: Backend) throws {
        try onLoop(backend) { loop in
            let other = SerialDispatchQueueScheduler(internalSerialQueueName: "other")
            let listener = try TCP.listener(port: 0, scheduler: loop)
            let accepted = Receiver(listener.connections)
            let connected = Receiver(TCP.connect(to: listener.address, scheduler: loop).asObservable())
            #expect(soon { accepted.elements.count == 1 && connected.elements.count == 1 })
            let (sender, receiving) = (accepted.take()[0], connected.take()[0])
            for _ in 0..<300 {
                sender.send(ByteChunk([1]))
                let received = Receiver(receiving.received.observe(on: other).take(1).map { $0.count })
                #expect(received.wait(seconds: 10))
                #expect(received.error == nil)
            }
            accepted.dispose()
        }
    }

    /// The fault: the last subscriber had ended, but the thread that disposed of it was held up on its way to the connection, which went on to
    /// deliver to it.
    @Test("A dispose that is held up behind the end takes no bytes with it", arguments: Backend.built)
    func heldUpDispose(_ backend: Backend) throws {
        try onLoop(backend) { loop in
            let listener = try TCP.listener(port: 0, scheduler: loop)
            let accepted = Receiver(listener.connections)
            let connected = Receiver(TCP.connect(to: listener.address, scheduler: loop).asObservable())
            #expect(soon { accepted.elements.count == 1 && connected.elements.count == 1 })
            let (sender, receiving) = (accepted.take()[0], connected.take()[0])

            sender.send(ByteChunk((0..<100).map { "line \($0)\n" }.joined().utf8))
            let release = endHoldingUpDispose(of: receiving.received.lines())
            let lines = Receiver(receiving.received.lines().take(99))
            #expect(lines.wait(seconds: 10))
            #expect(lines.elements == (1..<100).map { "line \($0)" })
            release()

            sender.send(ByteChunk([1]))
            let releaseChunk = endHoldingUpDispose(of: receiving.received)
            sender.send(ByteChunk([2]))
            let chunk = Receiver(receiving.received.take(1).map { Array($0) })
            #expect(chunk.wait(seconds: 10))
            #expect(chunk.elements == [[2]])
            releaseChunk()
            accepted.dispose()
        }
    }

    /// The fault: the task that leaves the loop behind its last line disposes of the subscription on another thread, before the end, and what the
    /// connection sent until that thread had come there was lost.
    @Test("A task that takes lines one by one, and leaves each sequence, gets all", arguments: Backend.withoutFaults)
    func valuesInTurn(_ backend: Backend) async throws {
        let loop = IOUringScheduler(backend: backend)
        let listener = try TCP.listener(port: 0, scheduler: loop)
        let accepted = Receiver(listener.connections)
        let expected = (0..<100).map { "line \($0)" }
        for round in 0..<100 {
            let client = PlainSocket(connectedTo: listener.address)
            #expect(soon { accepted.elements.count == round + 1 })
            guard let connection = accepted.elements.last else { break }
            client.send(Array(expected.map { $0 + "\n" }.joined().utf8))
            client.close()
            var lines: [String] = []
            while let line = try await Self.first(of: connection.received.lines().map { $0 }.take(1)) {
                lines.append(line)
            }
            #expect(lines == expected)
        }
        accepted.dispose()
        await Task.detached { loop.shutdown() }.value
    }

    private static func first(of lines: Observable<String>) async throws -> String? {
        for try await line in lines.values { return line }
        return nil
    }

    /// Subscribes to the first element of `source`, and disposes of that within its completion, on a thread that does not get as far as `source`
    /// until the closure returned is called.
    private func endHoldingUpDispose<Element>(of source: Observable<Element>) -> () -> Void {
        let (hasSubscribed, isHeldUp, hasEnded) = (Flag(), Flag(), Flag())
        let (mayGoOn, isDisposed) = (Flag(), Flag())
        let subscription = Guarded<(any Disposable)?>(nil)
        let obstacle = Observable.create { observer in
            observer.onNext(())
            return Disposables.create {
                isHeldUp.set()
                mayGoOn.wait()
            }
        }
        subscription.value = Observable.combineLatest(obstacle, source).take(1).subscribe(onCompleted: {
            hasSubscribed.wait()
            DispatchQueue.global().async {
                subscription.value?.dispose()
                isDisposed.set()
            }
            isHeldUp.wait()
            hasEnded.set()
        })
        hasSubscribed.set()
        hasEnded.wait()
        return {
            mayGoOn.set()
            isDisposed.wait()
        }
    }
}

private struct Flag: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func set() { semaphore.signal() }

    func wait() { semaphore.wait() }
}

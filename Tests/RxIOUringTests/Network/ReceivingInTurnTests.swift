// SPDX-License-Identifier: Apache-2.0

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
}

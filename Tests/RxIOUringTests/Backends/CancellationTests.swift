// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import RxIOUring
import RxSwift
import TestSupport
import Testing

@Suite struct CancellationTests {
    /// The fault: the loop waited for completions of cancellations that it had taken from the ring, and not handled in its turn.
    @Test("A loop ends with more operations in flight than one turn handles", arguments: Backend.built)
    func shutdownAmongMany(_ backend: Backend) throws {
        onLoop(backend) { scheduler in
            let (begun, ended) = (AtomicCounter(0), AtomicCounter(0))
            let count = 1_500
            for _ in 0..<count {
                // Its reads have been completed by the time they are cancelled.
                let stream = File.read("/dev/zero", chunkSize: 16, scheduler: scheduler).enumerated()
                _ = stream.subscribe(
                    onNext: { if $0.index == 0 { begun.increment() } }, onError: { _ in ended.increment() })
            }
            // The simulated kernel under AddressSanitizer takes 16 s for that.
            #expect(waitUntil(within: 120) { begun.value == count })
            scheduler.shutdown()
            #expect(ended.value == count)
        }
    }

    /// The fault: the kernel does not find an operation to cancel that is between two of its lists, as a receive is whose bytes are there,
    /// and which waits for its turn. When it came, the bytes had been dropped, and it waited for ever: so did the close.
    @Test("Connections that are closed while their receives have their turn all end", arguments: Backend.built)
    func closeAmongReceives(_ backend: Backend) throws {
        try leavingNothingBehind {
            let server = try Server(backend, keeps: true)
            for _ in 0..<stepCount(10, debug: 5) {
                let peers = (0..<200).map { _ in PlainSocket(connectedTo: server.address) }
                for peer in peers { peer.send([1]) }
                try #require(waitUntil { server.connections.value.count == peers.count })
                let connections = server.connections.value
                server.connections.value = []
                let ended = AtomicCounter(0)
                server.scheduler.run {
                    for (place, connection) in connections.enumerated() {
                        _ = connection.closed.subscribe(
                            onCompleted: { ended.increment() }, onError: { _ in ended.increment() })
                        _ = connection.received.subscribe(onNext: { _ in
                            if place % 10 == 0 { for other in connections { other.close() } }
                        })
                    }
                }
                #expect(waitUntil(within: 10) { ended.value == connections.count }, "\(ended.value) have ended")
            }
            server.end()
        }
    }
}

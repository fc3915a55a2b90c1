// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxIOUring
import RxSwift
import TestSupport
import Testing

/// While a loop that ends waits for slow peers, programs still decide how their connections end.
@Suite struct DrainingTests {
    enum End: CaseIterable { case close, abort, shutdownOutput }

    /// The fault: a connection without bytes was looked at once, and then when the peers of all others had taken theirs.
    @Test(
        "An end takes effect while the loop waits for another connection's peer", arguments: Backend.built, End.allCases
    )
    func endWhileAnotherDrains(_ backend: Backend, _ end: End) throws {
        try leavingNothingBehind {
            let server = try Server(backend, keeps: true)
            let silent = PlainSocket(connectedTo: server.address, receiveBuffer: 4_096)
            let filled = try #require(server.firstConnection())
            let peer = PlainSocket(connectedTo: server.address)
            #expect(waitUntil { server.connections.value.count == 2 })
            let idle = try #require(server.connections.value.last)
            let closedEnds = Guarded<[String]>([])
            _ = idle.closed.subscribe(
                onCompleted: { closedEnds.change { $0.append("completed") } },
                onError: { error in closedEnds.change { $0.append("\(error)") } })
            #expect(filled.send(ByteChunk(pattern(10_000_000))))
            let ender = Thread { server.scheduler.shutdown(draining: .seconds(20)) }
            let start = Date()
            ender.start()
            #expect(waitUntil { !idle.send(ByteChunk([])) })
            switch end {
            case .close: idle.close()
            case .abort: idle.abort()
            case .shutdownOutput: idle.shutdownOutput()
            }
            let (bytes, code) = receiveAll(peer)
            #expect(bytes.isEmpty && code == (end == .abort ? ECONNRESET : 0))
            if end != .shutdownOutput { #expect(waitUntil { closedEnds.value == ["completed"] }) }
            filled.abort()
            #expect(waitUntil { ender.isFinished })
            #expect(Date().timeIntervalSince(start) < 15, "The loop has waited for the peer that reads nothing.")
            silent.close()
            server.end()
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Glibc
import RxIOUring
import RxSwift
import TestSupport
import Testing

@Suite struct CloseTimeoutTests {
    @Test("A connection whose peer takes too little within the time of its close is reset", arguments: Backend.built)
    func tooLittle(_ backend: Backend) throws {
        try leavingNothingBehind {
            var options = ConnectionOptions()
            options.closeTimeout = .milliseconds(200)
            options.sendBufferSize = 4_096
            let server = try Server(backend, options: options, keeps: true)
            let peer = PlainSocket(connectedTo: server.address, receiveBuffer: 4_096)
            let log = EventLog()
            let connection = try #require(server.firstConnection())
            _ = connection.closed.subscribe(
                onCompleted: { log.note("completed") },
                onError: { log.note("\(code($0)) \(($0 as? IOError)?.operation ?? "")") })
            connection.send(ByteChunk(pattern(1 << 20)))
            connection.close()
            #expect(waitUntil { log.lines == ["\(ETIMEDOUT) close"] })
            #expect(receiveAll(peer).end == ECONNRESET)
            server.end()
        }
    }

    @Test(
        "A connection whose peer takes everything within the time of its close ends in order", arguments: Backend.built)
    func everything(_ backend: Backend) throws {
        try leavingNothingBehind {
            var options = ConnectionOptions()
            options.closeTimeout = .seconds(60)
            let server = try Server(backend, options: options, keeps: true)
            let peer = PlainSocket(connectedTo: server.address)
            let log = EventLog()
            let connection = try #require(server.firstConnection())
            _ = connection.closed.subscribe(onCompleted: { log.note("completed") }, onError: { log.note("\($0)") })
            connection.send(ByteChunk(pattern(2 << 20)))
            connection.close()
            let (bytes, end) = receiveAll(peer)
            #expect(bytes.count == 2 << 20 && end == 0)
            #expect(waitUntil { log.lines == ["completed"] })
            server.end()
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import CTestSupport
import Glibc
import RxIOUring
import RxSwift
import TestSupport
import Testing

/// What a socket may hold behind a receive that brought less than it asked for. A backend that took such a socket for empty, and waited for the next
/// report of epoll, would wait for ever.
@Suite struct ShortReceiveTests {
    @Test("The end that comes with the bytes is seen behind them", arguments: Backend.built, [false, true])
    func end(_ backend: Backend, _ isReset: Bool) throws {
        try check(backend) { peer in
            peer.send(Array("ab".utf8))
            if isReset { peer.reset() } else { peer.close() }
        } expecting: {
            // A reset may overtake the bytes.
            isReset ? $0.error != nil : $0.text == "ab" && $0.isCompleted
        }
    }

    @Test("Bytes behind an urgent one arrive", arguments: Backend.built)
    func urgent(_ backend: Backend) throws {
        try check(backend) { peer in
            peer.send(Array("ab".utf8))
            _ = Glibc.send(peer.fd, "!", 1, CInt(MSG_OOB))
            peer.send(Array("cd".utf8))
        } expecting: {
            $0.text == "abcd"
        }
    }

    @Test("Bytes that come while no receive waits arrive", arguments: Backend.built)
    func unobserved(_ backend: Backend) throws {
        let server = try Server(backend, keeps: true)
        let peer = PlainSocket(connectedTo: server.address)
        let connection = try #require(server.firstConnection())
        for round in 0..<20 {
            let receiver = connection.received.take(1).received()
            peer.send([UInt8(round)])
            #expect(receiver.wait() && receiver.bytes == [UInt8(round)])
        }
        // The first byte is received for the next subscriber, and nothing after that.
        for round in 0..<20 {
            peer.send([1])
            usleep(2_000)
            peer.send([2])
            usleep(round % 2 == 0 ? 2_000 : 0)
            let receiver = connection.received.received()
            #expect(waitUntil { receiver.bytes == [1, 2] }, "\(receiver.bytes)")
            receiver.dispose()
        }
        server.end()
    }

    @Test("Bytes behind a descriptor that a Unix socket passes arrive", arguments: Backend.built)
    func passedDescriptor(_ backend: Backend) throws {
        let scheduler = IOUringScheduler(name: "test.passed", backend: backend)
        let ends = socketPair()
        let adopted = Receiver(Connection.adopt(ends[0], scheduler: scheduler).asObservable())
        #expect(adopted.wait())
        let connection = try #require(adopted.take().first)
        for isBusy in [false, true] {
            let sendAll = {
                #expect(send(ends[1], "ab", 2, 0) == 2)
                #expect(rx_test_pass_descriptor(ends[1], ends[1], "c") == 1)
                #expect(send(ends[1], "de", 2, 0) == 2)
            }
            if isBusy { scheduler.run(after: sendAll) {} } else { sendAll() }
            let receiver = connection.received.received()
            #expect(waitUntil { receiver.text == "abcde" }, "\(receiver.text)")
            receiver.dispose()
        }
        connection.close()
        Glibc.close(ends[1])
        scheduler.shutdown()
    }

    /// Has a peer do something at once while the loop is busy, and again while a receive waits.
    private func check(
        _ backend: Backend, _ act: (PlainSocket) -> Void, expecting isExpected: (Receiver<[UInt8]>) -> Bool
    ) throws {
        for isBusy in [false, true] {
            let server = try Server(backend, keeps: true)
            let peer = PlainSocket(connectedTo: server.address)
            peer.sendWithoutDelay()
            let connection = try #require(server.firstConnection())
            let receiver = connection.received.received()
            peer.send([UInt8(ascii: "-")])
            #expect(waitUntil { receiver.take().count == 1 })
            if isBusy { server.scheduler.run(after: { act(peer) }, {}) } else { act(peer) }
            #expect(waitUntil { isExpected(receiver) }, "\(receiver.text), \(String(describing: receiver.error))")
            server.end()
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Glibc
import RxIOUring
import RxSwift
import TestSupport
import Testing

/// The fate of bytes that a connection has rejected, or no longer sends.
@Suite struct RejectedBytesTests {
    /// The kernel may still read the bytes, so their memory must not be reused. The test depends on chunks that are not cut short.
    @Test("Bytes being sent are held until the kernel releases them", arguments: Backend.withoutFaults)
    func heldBytes(_ backend: Backend) throws {
        try leavingNothingBehind {
            var options = ConnectionOptions()
            options.sendBufferSize = 4_096
            let server = try Server(backend, options: options, keeps: true)
            let peer = PlainSocket(connectedTo: server.address, receiveBuffer: 4_096)
            let connection = try #require(server.firstConnection())
            let (readEnd, writeEnd) = try DescriptorStream.makePipe(capacity: 1 << 20)
            // The memory of each chunk. Only the first is sent; each other one is released at once, and its memory used for the next.
            let places = Guarded<[UInt]>([])
            let reading = DescriptorStream.read(
                readEnd, closesWhenDone: true, chunkSize: 1 << 20, window: 8, scheduler: server.scheduler
            )
            .subscribe(onNext: { chunk in
                chunk.withUnsafeBytes { bytes in places.change { $0.append(UInt(bitPattern: bytes.baseAddress)) } }
                if places.value.count == 1 { connection.send(chunk) }
            })
            func feed(_ count: Int) {
                let before = places.value.count
                let bytes = pattern(count)
                #expect(bytes.withUnsafeBytes { Glibc.write(writeEnd, $0.baseAddress, count) } == count)
                #expect(waitUntil { places.value.count > before })
            }
            feed(500_000)
            var queued = -1
            // Waits until the socket takes no more bytes.
            #expect(
                waitUntil {
                    defer { queued = connection.queuedBytes }
                    usleep(20_000)
                    return queued == connection.queuedBytes && queued > 0
                })
            let first = places.value[0]
            for _ in 0..<10 { feed(1_000) }
            #expect(!places.value.dropFirst().contains(first))
            connection.abort()
            for _ in 0..<10 where !places.value.dropFirst().contains(first) { feed(1_000) }
            #expect(places.value.dropFirst().contains(first))
            reading.dispose()
            Glibc.close(writeEnd)
            peer.close()
            server.end()
        }
    }

    /// Closing a socket with unread bytes would reset the connection and lose the sent bytes.
    @Test("Sent bytes arrive although the peer's bytes were not read", arguments: Backend.built)
    func unreadBytes(_ backend: Backend) throws {
        try leavingNothingBehind {
            var options = ConnectionOptions()
            options.sendLimit = 16 << 20
            let server = try Server(backend, options: options, keeps: true)
            let peer = PlainSocket(connectedTo: server.address, receiveBuffer: 4_096)
            let connection = try #require(server.firstConnection())
            peer.send(pattern(50_000))
            usleep(20_000)
            let bytes = pattern(1 << 20)
            connection.send(ByteChunk(bytes))
            connection.close()
            #expect(difference(peer.receive(bytes.count), bytes) == nil)
            // The peer gets the end of the stream, and no reset.
            var byte: UInt8 = 0
            #expect(recv(peer.fd, &byte, 1, 0) == 0)
            server.end()
        }
    }

    /// The fault: they were released when the loop told the subscriber of the rejection.
    @Test(
        "Bytes that were rejected are released while the loop is busy",
        .disabled(if: hasAddressSanitizer, "it keeps the memory that was freed"), arguments: Backend.built,
        [false, true])
    func releasedWhereRejected(_ backend: Backend, isFile: Bool) throws {
        let folder = TemporaryFolder()
        try leavingNothingBehind {
            var options = ConnectionOptions()
            options.sendLimit = 2 << 20
            let server = try Server(backend, options: options, keeps: true)
            let peer = PlainSocket(connectedTo: server.address)
            let connection = try #require(server.firstConnection())
            let opened = Receiver(
                File.open(folder["a"], writeLimit: 2 << 20, scheduler: server.scheduler).asObservable())
            #expect(opened.wait())
            let file = try #require(opened.take().first)
            let gate = OneShot()
            server.scheduler.run { _ = gate.wait() }
            let ends = AtomicCounter(0)
            let memory = residentBytes()
            for number in 0..<200 {
                let bytes = ByteChunk([UInt8](repeating: UInt8(number), count: 1 << 20))
                let written = isFile ? file.write(bytes) : connection.write(bytes)
                _ = written.subscribe(
                    onCompleted: { ends.increment() }, onError: { _ in ends.increment() }, onDisposed: nil)
            }
            #expect(residentBytes() - memory < 32 << 20, "\(residentBytes() - memory) bytes more")
            gate.fire()
            #expect(waitUntil { ends.value == 200 })
            peer.close()
            server.end()
        }
    }

    @Test("A send after the end of the output is rejected at once", arguments: Backend.built)
    func endedOutput(_ backend: Backend) throws {
        try leavingNothingBehind {
            let server = try Server(backend, keeps: true)
            let peer = PlainSocket(connectedTo: server.address)
            let connection = try #require(server.firstConnection())
            let gate = OneShot()
            server.scheduler.run { _ = gate.wait() }
            #expect(connection.send("before"))
            connection.shutdownOutput()
            #expect(!connection.send("behind"))
            gate.fire()
            #expect(peer.receive(20) == Array("before".utf8))
            peer.close()
            server.end()
        }
    }
}

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
}

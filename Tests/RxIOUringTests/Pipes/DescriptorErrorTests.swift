// SPDX-License-Identifier: Apache-2.0

import Glibc
import RxIOUring
import RxSwift
import TestSupport
import Testing

@Suite struct DescriptorErrorTests {
    @Test("Using the wrong end of a pipe is an error", arguments: Backend.built)
    func wrongEnd(_ backend: Backend) throws {
        try onLoop(backend) { scheduler in
            let (readEnd, writeEnd) = try DescriptorStream.makePipe()
            let received = DescriptorStream.read(writeEnd, closesWhenDone: true, scheduler: scheduler).received()
            let written = Receiver(
                DescriptorStream.write(
                    .just(ByteChunk("text")), to: readEnd, closesWhenDone: true, scheduler: scheduler
                ).asObservable())
            #expect(received.wait() && written.wait())
            #expect(
                received.error as? IOError
                    == IOError(code: EBADF, operation: "read", subject: "descriptor \(writeEnd)"))
            #expect(
                written.error as? IOError
                    == IOError(code: EBADF, operation: "write", subject: "descriptor \(readEnd)"))
        }
    }

    @Test("A negative descriptor is an error", arguments: Backend.built)
    func negative(_ backend: Backend) throws {
        onLoop(backend) { scheduler in
            let received = DescriptorStream.read(-1, scheduler: scheduler).received()
            let written = Receiver(
                DescriptorStream.write(.just(ByteChunk("text")), to: -1, scheduler: scheduler).asObservable())
            #expect(received.wait() && written.wait())
            let error = IOError(code: EBADF, operation: "dup", subject: "descriptor -1")
            #expect(received.error as? IOError == error)
            #expect(written.error as? IOError == error)
        }
    }
}

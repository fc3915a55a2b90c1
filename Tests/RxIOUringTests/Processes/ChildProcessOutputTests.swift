// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxIOUring
import RxSwift
import TestSupport
import Testing

@Suite struct ChildProcessOutputTests {
    @Test("Both outputs and the signal are collected", arguments: Backend.built)
    func bothOutputs(_ backend: Backend) {
        onLoop(backend) { scheduler in
            let receiver = Receiver(
                ChildProcess.output(
                    "sh", arguments: ["-c", "echo out; echo error >&2; kill -KILL $$"], scheduler: scheduler
                ).asObservable())
            #expect(receiver.wait())
            let collected = receiver.elements.first
            #expect(collected.map { String(decoding: $0.output, as: UTF8.self) } == "out\n")
            #expect(collected.map { String(decoding: $0.errorOutput, as: UTF8.self) } == "error\n")
            #expect(collected?.signal == SIGKILL && collected?.status == nil)
        }
    }

    @Test("Output beyond the limit is an error and ends the program", arguments: Backend.built)
    func outputLimit(_ backend: Backend) throws {
        onLoop(backend) { scheduler in
            let output = Receiver(
                ChildProcess.output("/bin/cat", arguments: ["/dev/zero"], limit: 1 << 20, scheduler: scheduler)
                    .asObservable())
            #expect(output.wait())
            #expect(output.error as? IOError == IOError(code: EMSGSIZE, operation: "output", subject: "/bin/cat"))
            #expect(soon { zombies().isEmpty })
        }
    }
}
